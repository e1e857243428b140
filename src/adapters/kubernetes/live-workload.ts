import { isObject } from "#domain/shared/json";
import { containersWithOwners, mainEntries, owns, writtenAt } from "#domain/workload/image-owners";
import { imageFields, type ImagePlaces, restartFields, templateAt } from "#domain/workload/image-places";
import { readPlacement } from "#domain/workload/read-placement";
import { type EpochMs, parseInstant } from "#domain/shared/time";
import {
  attributeLabelsIn,
  type LiveContainer,
  type LiveWorkload,
  restartedAtKey,
  templateMapsIn,
  type WorkloadName,
} from "#domain/workload/workload";
import type { ManagedFields, PodTemplate, WorkloadObject } from "./objects.ts";

/** How the objects of a kind are read as workloads. */
export interface WorkloadReading {
  readonly places: ImagePlaces;
  /** Returns whether the spec of an object pauses its rollouts. */
  readonly isPaused?: (object: WorkloadObject) => boolean;
  /** Returns annotations that the object does not have, about its problems. */
  problems?(object: WorkloadObject): Readonly<Record<string, string>>;
}

/** Returns an object as a workload. If a container has no image, `image` is the empty text. */
export function liveWorkload(reading: WorkloadReading, workload: WorkloadName, object: WorkloadObject): LiveWorkload {
  const { places } = reading;
  const template = templateAt(places, object) as PodTemplate | undefined;
  const { metadata } = object;
  const entries = mainEntries(metadata.managedFields);
  const containers = containersWithOwners(places, object, metadata);
  const maps = mapsOf(template);
  const restartedAt = maps.annotations?.[restartedAtKey];
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const lastWriter = newestWriter(places, entries, containers);
  return {
    workload,
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    annotations: { ...metadata.annotations, ...reading.problems?.(object) },
    labels: metadata.labels ?? {},
    existingMaps: {
      labels: metadata.labels !== undefined,
      annotations: metadata.annotations !== undefined,
      ...templateMapsIn(maps),
    },
    containers,
    ...(typeof restartedAt === "string" && { restartedAt }),
    ...attributeLabelsIn(maps),
    ...(controller && { controller: `${controller.kind}/${controller.name}` }),
    ...pauseOf(reading, object),
    ...placementOf(template),
    ...(lastWriter && { lastWriter }),
  };
}

/** Returns the maps of a template. Other operators may define any form. */
function mapsOf(
  template: PodTemplate | undefined,
): Pick<NonNullable<PodTemplate["metadata"]>, "annotations" | "labels"> {
  const { annotations, labels } = template?.metadata ?? {};
  return { ...(isObject(annotations) && { annotations }), ...(isObject(labels) && { labels }) };
}

function pauseOf(
  { isPaused }: Pick<WorkloadReading, "isPaused">,
  object: WorkloadObject,
): Pick<LiveWorkload, "paused"> {
  return isPaused?.(object) === true ? { paused: true } : {};
}

function placementOf(template: PodTemplate | undefined): Pick<LiveWorkload, "placement"> {
  const placement = template === undefined ? undefined : readPlacement(template.spec);
  return placement === undefined ? {} : { placement };
}

function newestWriter(
  places: ImagePlaces,
  entries: readonly ManagedFields[],
  containers: readonly LiveContainer[],
): { readonly manager: string; readonly at: EpochMs } | undefined {
  const restart = restartFields(places);
  const paths = [
    ...containers.map((container) => imageFields(places, container)),
    ...(restart === undefined ? [] : [restart]),
  ];
  const newest = entries
    .filter((entry) => paths.some((path) => owns(entry, path)))
    .reduce<ManagedFields | undefined>(
      (best, entry) => (best && writtenAt(best) >= writtenAt(entry) ? best : entry),
      undefined,
    );
  const at = newest?.time === undefined ? undefined : parseInstant(newest.time);
  return newest?.manager === undefined || at === undefined ? undefined : { manager: newest.manager, at };
}
