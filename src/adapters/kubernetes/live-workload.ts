import {
  containersWithOwners,
  imagePath,
  mainEntries,
  owns,
  templatePath,
  writtenAt,
} from "#domain/workload/image-owners";
import { podTemplateOf, type TemplateHolder } from "#domain/workload/pod-template";
import { readPlacement } from "#domain/workload/read-placement";
import { type EpochMs, parseInstant } from "#domain/shared/time";
import type { WorkloadKind } from "#domain/workload/kinds";
import {
  attributeLabelsIn,
  type LiveContainer,
  type LiveWorkload,
  restartedAtKey,
  templateMapsIn,
  type WorkloadName,
} from "#domain/workload/workload";
import type { ManagedFields, PodTemplate, WorkloadObject } from "./objects.ts";

/** Returns an object as a workload. If a container has no image, `image` is the empty text. */
export function liveWorkload(workload: WorkloadName, object: WorkloadObject): LiveWorkload {
  const holder = object as TemplateHolder<PodTemplate>;
  const template = podTemplateOf(workload.kind, holder) ?? { spec: { containers: [] } };
  const { metadata } = object;
  const entries = mainEntries(metadata.managedFields);
  const containers = containersWithOwners(workload.kind, template, metadata);
  const restartedAt = template.metadata?.annotations?.[restartedAtKey];
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const lastWriter = newestWriter(workload.kind, entries, containers);
  return {
    workload,
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    annotations: metadata.annotations ?? {},
    labels: metadata.labels ?? {},
    existingMaps: {
      labels: metadata.labels !== undefined,
      annotations: metadata.annotations !== undefined,
      ...templateMapsIn(template.metadata),
    },
    containers,
    ...(restartedAt !== undefined && { restartedAt }),
    ...attributeLabelsIn(template.metadata),
    ...(controller && { controller: `${controller.kind}/${controller.name}` }),
    ...specPause(workload, object),
    ...placementOf(template),
    ...(lastWriter && { lastWriter }),
  };
}

function specPause({ kind }: WorkloadName, { spec }: WorkloadObject): Pick<LiveWorkload, "paused"> {
  return kind === "Deployment" && "paused" in spec && spec.paused === true ? { paused: true } : {};
}

function placementOf({ spec }: PodTemplate): Pick<LiveWorkload, "placement"> {
  const placement = readPlacement(spec);
  return placement === undefined ? {} : { placement };
}

function newestWriter(
  kind: WorkloadKind,
  entries: readonly ManagedFields[],
  containers: readonly LiveContainer[],
): { readonly manager: string; readonly at: EpochMs } | undefined {
  const paths = [
    ...containers.map(({ list, name }) => imagePath(kind, list, name)),
    [...templatePath(kind), "f:metadata", "f:annotations", `f:${restartedAtKey}`],
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
