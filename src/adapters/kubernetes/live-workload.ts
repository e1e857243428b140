import { containersOf, podTemplateOf, type TemplateHolder } from "#domain/workload/pod-template";
import { readPlacement } from "#domain/workload/read-placement";
import { type EpochMs, parseInstant } from "#domain/shared/time";
import { kindSpecs, type WorkloadKind } from "#domain/workload/kinds";
import {
  type ContainerList,
  type FieldOwner,
  type LiveContainer,
  type LiveWorkload,
  restartedAtKey,
  type WorkloadName,
} from "#domain/workload/workload";
import type { ManagedFields, PodTemplate, WorkloadObject } from "./objects.ts";

/** Returns an object as a workload. If a container has no image, `image` is the empty text. */
export function liveWorkload(workload: WorkloadName, object: WorkloadObject): LiveWorkload {
  const holder = object as TemplateHolder<PodTemplate>;
  const template = podTemplateOf(workload.kind, holder) ?? { spec: { containers: [] } };
  const { metadata } = object;
  const entries = mainEntries(metadata.managedFields);
  const containers = withOwners(workload.kind, template, metadata, entries);
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
      templateAnnotations: template.metadata?.annotations !== undefined,
    },
    containers,
    ...(restartedAt !== undefined && { restartedAt }),
    ...(controller && { controller: `${controller.kind}/${controller.name}` }),
    ...specPause(workload, object),
    ...placementOf(template),
    ...(lastWriter && { lastWriter }),
  };
}

function withOwners(
  kind: WorkloadKind,
  template: PodTemplate,
  { annotations }: WorkloadObject["metadata"],
  entries: readonly ManagedFields[],
): readonly LiveContainer[] {
  const lastApplied = entries.length === 0 ? lastAppliedImages(kind, annotations) : [];
  return containersOf(template).map((container): LiveContainer => {
    const imageOwner =
      ownerOf(entries, imagePath(kind, container.list, container.name)) ??
      (lastApplied.some((one) => isSameImage(one, container)) ? clientSideApply : undefined);
    return { ...container, ...(imageOwner && { imageOwner }) };
  });
}

/** The owner of the fields of `kubectl apply`, if the object does not show owners. */
const clientSideApply: FieldOwner = { manager: "kubectl-client-side-apply", operation: "Update" };

/** Returns the containers of the manifest that `kubectl apply` applied last. Empty if it is unreadable. */
function lastAppliedImages(
  kind: WorkloadKind,
  annotations: Readonly<Record<string, string>> = {},
): ReturnType<typeof containersOf> {
  const text = annotations["kubectl.kubernetes.io/last-applied-configuration"];
  if (text === undefined) return [];
  try {
    const template = podTemplateOf(kind, JSON.parse(text) as TemplateHolder<PodTemplate>);
    return template === undefined ? [] : containersOf(template);
  } catch {
    // Anyone may write the annotation, so it may be no manifest.
    return [];
  }
}

function isSameImage(
  one: Pick<LiveContainer, "list" | "name" | "image">,
  other: Pick<LiveContainer, "list" | "name" | "image">,
): boolean {
  return one.list === other.list && one.name === other.name && one.image === other.image;
}

function specPause({ kind }: WorkloadName, { spec }: WorkloadObject): Pick<LiveWorkload, "paused"> {
  return kind === "Deployment" && "paused" in spec && spec.paused === true ? { paused: true } : {};
}

function placementOf({ spec }: PodTemplate): Pick<LiveWorkload, "placement"> {
  const placement = readPlacement(spec);
  return placement === undefined ? {} : { placement };
}

function mainEntries(entries: readonly ManagedFields[] = []): readonly ManagedFields[] {
  return entries.filter((entry) => entry.manager !== undefined && !entry.subresource);
}

function templatePath(kind: WorkloadKind): readonly string[] {
  return kindSpecs[kind].template.split(".").map((part) => `f:${part}`);
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

/**
 * Returns the owner of a field. An owner by server-side apply comes first, because this owner would
 * revert a change.
 */
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
