import { parseInstant } from "../shared/time.ts";
import { parseJson } from "../shared/json.ts";
import { containersAt, imageFields, type ImagePlaces } from "./image-places.ts";
import type { FieldOwner, LiveContainer } from "./workload.ts";

/** An entry of `metadata.managedFields`. */
export interface FieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly time?: string | undefined;
  readonly subresource?: string | undefined;
  readonly fieldsV1?: unknown;
}

/** The parts of an object's metadata that show the writers of its images. */
export interface OwnerMetadata {
  readonly managedFields?: readonly FieldsEntry[] | undefined;
  readonly annotations?: Readonly<Record<string, string>> | null | undefined;
}

/** Returns the containers of an object with the owners of their images. */
export function containersWithOwners(
  places: ImagePlaces,
  object: unknown,
  { managedFields, annotations }: OwnerMetadata,
): readonly LiveContainer[] {
  const entries = mainEntries(managedFields);
  const lastApplied = entries.length === 0 ? lastAppliedImages(places, annotations) : [];
  return containersAt(places, object).map((container): LiveContainer => {
    const imageOwner =
      ownerOf(entries, imageFields(places, container)) ??
      (lastApplied.some((one) => isSameImage(one, container)) ? clientSideApply : undefined);
    return { ...container, ...(imageOwner && { imageOwner }) };
  });
}

/** The owner of the fields of `kubectl apply`. */
export const clientSideApply: FieldOwner = { manager: "kubectl-client-side-apply", operation: "Update" };

/** Returns the containers of the manifest that `kubectl apply` applied last. Empty if it is unreadable. */
export function lastAppliedImages(
  places: ImagePlaces,
  annotations: OwnerMetadata["annotations"],
): ReturnType<typeof containersAt> {
  // Anyone may write the annotation, so it may be no manifest.
  const text = annotations?.["kubectl.kubernetes.io/last-applied-configuration"];
  return text === undefined ? [] : containersAt(places, parseJson(text)).filter(({ isUnset }) => isUnset !== true);
}

type Named = Pick<LiveContainer, "list" | "name" | "image">;

function isSameImage(one: Named, other: Named): boolean {
  return one.list === other.list && one.name === other.name && one.image === other.image;
}

/** Returns the entries of the object itself, without subresources. */
export function mainEntries<Entry extends FieldsEntry>(entries: readonly Entry[] = []): readonly Entry[] {
  return entries.filter((entry) => entry.manager !== undefined && !entry.subresource);
}

/** Returns whether an entry owns a field. */
export function owns(entry: FieldsEntry, path: readonly string[]): boolean {
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
function ownerOf(entries: readonly FieldsEntry[], path: readonly string[]): FieldOwner | undefined {
  const owners = entries.filter((entry) => owns(entry, path)).sort((a, b) => writtenAt(b) - writtenAt(a));
  const owner = owners.find((entry) => entry.operation === "Apply") ?? owners[0];
  if (owner?.manager === undefined) return undefined;
  return { manager: owner.manager, operation: owner.operation === "Apply" ? "Apply" : "Update" };
}

/** Returns the instant of an entry, or 0 for an invalid instant. */
export function writtenAt(entry: FieldsEntry): number {
  return (entry.time === undefined ? undefined : parseInstant(entry.time)) ?? 0;
}
