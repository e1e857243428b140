import { deepEqual } from "#domain/shared/deep-equal";
import type { WorkloadPatch } from "#domain/workload/patch";
import { attributeLabelsIn, updateLabelKey, restartedAtKey, templateMapsIn } from "#domain/workload/workload";
import {
  type Content,
  templateOf,
  withImage,
  withKeys,
  withLabels,
  withRestart,
  withTemplate,
} from "./cluster-manifest.ts";
import { containersOf, type StoredWorkload } from "./cluster-state.ts";

/** Returns whether an object still has the values that the patch's author read. */
export function guardsHold(stored: StoredWorkload, patch: WorkloadPatch): boolean {
  const { annotations } = stored.content;
  const { unchangedAnnotations: whole } = patch;
  const writesAnnotations = Object.keys(patch.annotations).length > 0;
  return (
    stored.uid === patch.uid &&
    stored.generation === patch.generation &&
    patch.images.every((image) => imageStands(stored, image)) &&
    labelStands(stored, patch) &&
    (!writesAnnotations || (annotations !== undefined) === patch.existingMaps.annotations) &&
    (whole === undefined || deepEqual(whole, annotations ?? {})) &&
    removedKeys(patch).every((key) => annotations?.[key] !== undefined) &&
    restartStands(stored, patch) &&
    attributeLabelsStand(stored, patch)
  );
}

/** Returns an object's content after a patch. */
export function patched(content: Content, patch: WorkloadPatch): Content {
  const imaged = patch.images.reduce(
    (template, { list, index, to }) => withImage(template, list, index, to),
    templateOf(content.spec),
  );
  const restarted = patch.restart === undefined ? imaged : withRestart(imaged, patch.restart.to);
  const template = patch.attributeLabels === undefined ? restarted : withLabels(restarted, patch.attributeLabels);
  return {
    ...content,
    labels: withKeys(content.labels, { [updateLabelKey]: patch.updateLabel.to }),
    annotations: withKeys(content.annotations, patch.annotations),
    spec: withTemplate(content.spec, template),
  };
}

function removedKeys({ annotations }: WorkloadPatch): readonly string[] {
  return Object.keys(annotations).filter((key) => annotations[key] === undefined);
}

function imageStands(stored: StoredWorkload, image: WorkloadPatch["images"][number]): boolean {
  const container = containersOf(templateOf(stored.content.spec)).find(
    ({ list, index }) => list === image.list && index === image.index,
  );
  return container?.name === image.name && container.image === image.from;
}

function labelStands(stored: StoredWorkload, patch: WorkloadPatch): boolean {
  const { labels } = stored.content;
  return (labels !== undefined) === patch.existingMaps.labels && labels?.[updateLabelKey] === patch.updateLabel.from;
}

function attributeLabelsStand(stored: StoredWorkload, { attributeLabels, existingMaps }: WorkloadPatch): boolean {
  if (attributeLabels === undefined) return true;
  const { metadata } = templateOf(stored.content.spec);
  const { attributeLabels: present = {} } = attributeLabelsIn(metadata);
  return (
    templateMapsIn(metadata).templateLabels === existingMaps.templateLabels && deepEqual(present, attributeLabels.from)
  );
}

function restartStands(stored: StoredWorkload, patch: WorkloadPatch): boolean {
  if (patch.restart === undefined) return true;
  const annotations = templateOf(stored.content.spec).metadata?.annotations;
  return (
    (annotations !== undefined) === patch.existingMaps.templateAnnotations &&
    annotations?.[restartedAtKey] === patch.restart.from
  );
}
