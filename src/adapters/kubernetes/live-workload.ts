import { isObject } from "#domain/shared/json";
import { containersWithOwners, mainEntries, owns, writtenAt } from "#domain/workload/image-owners";
import { imageFields, type ImagePlaces, restartFields, templateAt } from "#domain/workload/image-places";
import { readPlacement } from "#domain/workload/read-placement";
import { type EpochMs, parseInstant } from "#domain/shared/time";
import { type LiveContainer, type LiveWorkload, restartedAtKey, type WorkloadName } from "#domain/workload/workload";
import type { ManagedFields, PodTemplate, WorkloadObject } from "./objects.ts";

/** How the objects of a kind are read as workloads. */
export interface WorkloadReading {
  readonly places: ImagePlaces;
  /** Returns whether the spec of an object pauses its rollouts. */
  isPaused?(object: WorkloadObject): boolean;
  /** Returns annotations that the object does not have, about its problems. */
  problems?(object: WorkloadObject): Readonly<Record<string, string>>;
}

/** Returns an object as a workload. If a container has no image, `image` is the empty text. */
export function liveWorkload(
  { places, isPaused, problems }: WorkloadReading,
  workload: WorkloadName,
  object: WorkloadObject,
): LiveWorkload {
  const template = templateAt(places, object) as PodTemplate | undefined;
  const { metadata } = object;
  const entries = mainEntries(metadata.managedFields);
  const containers = containersWithOwners(places, object, metadata);
  const templateAnnotations = template?.metadata?.annotations;
  const restartedAt = templateAnnotations?.[restartedAtKey];
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const lastWriter = newestWriter(places, entries, containers);
  return {
    workload,
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    annotations: { ...metadata.annotations, ...problems?.(object) },
    labels: metadata.labels ?? {},
    existingMaps: {
      labels: metadata.labels !== undefined,
      annotations: metadata.annotations !== undefined,
      templateAnnotations: isObject(templateAnnotations),
    },
    containers,
    ...(typeof restartedAt === "string" && { restartedAt }),
    ...(controller && { controller: `${controller.kind}/${controller.name}` }),
    ...(isPaused?.(object) === true && { paused: true }),
    ...(template === undefined ? {} : placementOf(template)),
    ...(lastWriter && { lastWriter }),
  };
}

function placementOf({ spec }: PodTemplate): Pick<LiveWorkload, "placement"> {
  const placement = readPlacement(spec);
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
