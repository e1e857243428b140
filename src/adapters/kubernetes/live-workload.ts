import { containersOf, podTemplateOf, type TemplateHolder } from "#domain/workload/pod-template";
import { type EpochMs, parseInstant } from "#domain/shared/time";
import {
  type ContainerList,
  type FieldOwner,
  type LiveContainer,
  type LiveWorkload,
  restartedAtKey,
  type WorkloadKind,
  type WorkloadName,
} from "#domain/workload/workload";
import type { ManagedFields, PodTemplate, WorkloadObject } from "./objects.ts";

/** Answers the pod template of an object of one of the four kinds. */
export function podTemplate(kind: WorkloadKind, object: WorkloadObject): PodTemplate {
  return podTemplateOf(kind, object as TemplateHolder<PodTemplate>) ?? { spec: { containers: [] } };
}

/** Translates an object of one of the four kinds. A container without an image reads as an empty image. */
export function liveWorkload(workload: WorkloadName, object: WorkloadObject): LiveWorkload {
  const template = podTemplate(workload.kind, object);
  const { metadata } = object;
  const entries = mainEntries(metadata.managedFields);
  const containers = containersOf(template).map((container): LiveContainer => {
    const imageOwner = ownerOf(entries, imagePath(workload.kind, container.list, container.name));
    return { ...container, ...(imageOwner && { imageOwner }) };
  });
  const restartedAt = template.metadata?.annotations?.[restartedAtKey];
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const lastWriter = newestWriter(workload.kind, entries, containers);
  return {
    workload,
    uid: metadata.uid,
    generation: metadata.generation ?? 0,
    annotations: metadata.annotations ?? {},
    labels: metadata.labels ?? {},
    maps: {
      labels: metadata.labels !== undefined,
      annotations: metadata.annotations !== undefined,
      templateAnnotations: template.metadata?.annotations !== undefined,
    },
    containers,
    ...(restartedAt !== undefined && { restartedAt }),
    ...(controller && { controller: `${controller.kind}/${controller.name}` }),
    ...(lastWriter && { lastWriter }),
  };
}

/** Entries that name a manager and are not about a subresource such as `status`. */
function mainEntries(entries: readonly ManagedFields[] = []): readonly ManagedFields[] {
  return entries.filter((entry) => entry.manager !== undefined && !entry.subresource);
}

function templatePath(kind: WorkloadKind): readonly string[] {
  return kind === "CronJob" ? ["f:spec", "f:jobTemplate", "f:spec", "f:template"] : ["f:spec", "f:template"];
}

function imagePath(kind: WorkloadKind, list: ContainerList, name: string): readonly string[] {
  return [...templatePath(kind), "f:spec", `f:${list}`, `k:${JSON.stringify({ name })}`, "f:image"];
}

function owns(entry: ManagedFields, path: readonly string[]): boolean {
  let node: unknown = entry.fieldsV1;
  for (const key of path) {
    if (typeof node !== "object" || node === null || !(key in node)) return false;
    node = (node as Record<string, unknown>)[key];
  }
  return true;
}

/** A field with the same value may have several owners: a declared source (Apply) would revert a change, so it is the one to name. */
function ownerOf(entries: readonly ManagedFields[], path: readonly string[]): FieldOwner | undefined {
  const owners = entries.filter((entry) => owns(entry, path)).sort((a, b) => writtenAt(b) - writtenAt(a));
  const owner = owners.find((entry) => entry.operation === "Apply") ?? owners[0];
  if (owner?.manager === undefined) return undefined;
  return { manager: owner.manager, operation: owner.operation === "Apply" ? "Apply" : "Update" };
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

function writtenAt(entry: ManagedFields): number {
  return (entry.time === undefined ? undefined : parseInstant(entry.time)) ?? 0;
}
