import type { FieldPath, ImagePlaces } from "#domain/workload/image-places";
import type { AnnotationPatch, ImageWrite, WorkloadPatch } from "#domain/workload/patch";
import { attributePrefix, updateLabelKey, restartedAtKey, volumePrefix } from "#domain/workload/workload";

/** An operation of RFC 6902 that Lookout sends. */
export type PatchOperation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * Returns a patch as JSON Patch. Each `test` comes before the write that it guards. A `test` for
 * `null` proves that a key is absent, if its map exists. An absent map is tested and added as a
 * whole.
 *
 * @see https://datatracker.ietf.org/doc/html/rfc6902
 */
export function jsonPatch(places: ImagePlaces, patch: WorkloadPatch): readonly PatchOperation[] {
  return [
    { op: "test", path: "/metadata/uid", value: patch.uid },
    { op: "test", path: "/metadata/generation", value: patch.generation },
    ...unchangedAnnotations(patch),
    ...patch.images.flatMap((image) => imageOperations(places, image)),
    ...restartOperations(places, patch),
    ...labelOperations(places, patch),
    ...putKeys(
      "/metadata/labels",
      patch.existingMaps.labels,
      { [updateLabelKey]: patch.updateLabel.from },
      { [updateLabelKey]: patch.updateLabel.to },
    ),
    ...annotationOperations(patch),
  ];
}

/** Returns the patch of one annotation as JSON Patch. */
export function annotationPatch({
  uid,
  generation,
  hasAnnotations,
  key,
  from,
  to,
}: AnnotationPatch): readonly PatchOperation[] {
  const map = "/metadata/annotations";
  const path = `${map}/${escaped(key)}`;
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/generation", value: generation },
    ...(to === undefined
      ? [test(path, from), { op: "remove" as const, path }]
      : putKeys(map, hasAnnotations, { [key]: from }, { [key]: to })),
  ];
}

/**
 * Returns the operations on annotations. A removal needs no `test`, because the removal of an
 * absent key fails the whole patch.
 */
function annotationOperations({ existingMaps, annotations }: WorkloadPatch): readonly PatchOperation[] {
  const map = "/metadata/annotations";
  const removed = Object.keys(annotations).filter((key) => annotations[key] === undefined);
  const set = Object.entries(annotations).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return [
    ...removed.map((key) => ({ op: "remove" as const, path: `${map}/${escaped(key)}` })),
    ...putKeys(map, existingMaps.annotations, {}, Object.fromEntries(set)),
  ];
}

/** Returns the test of the whole map. The server has no empty map, and an absent map equals `null`. */
function unchangedAnnotations({ unchangedAnnotations: whole }: WorkloadPatch): readonly PatchOperation[] {
  if (whole === undefined) return [];
  return [test("/metadata/annotations", Object.keys(whole).length === 0 ? undefined : whole)];
}

function imageOperations(places: ImagePlaces, image: ImageWrite): readonly PatchOperation[] {
  if (places.kind === "fields") return fieldOperations(places.paths[image.name] ?? noField, image);
  const at = `${pointer(places.path)}/spec/${image.list}/${String(image.index)}`;
  const isVolume = image.list === "volumes";
  const text = isVolume ? `${at}/image/reference` : `${at}/image`;
  return [
    test(`${at}/name`, isVolume ? image.name.slice(volumePrefix.length) : image.name),
    test(text, image.from),
    { op: "replace", path: text, value: image.to },
  ];
}

/** A field that no object has, so that a patch of an image without a place writes nothing. */
const noField: FieldPath = ["lookout.dev/no-field"];

/** A first image has no value that a test could claim: the test of the generation guards it. */
function fieldOperations(path: FieldPath, { from, isFirst, to }: ImageWrite): readonly PatchOperation[] {
  if (isFirst === true) return [{ op: "add", path: pointer(path), value: to }];
  return [test(pointer(path), from), { op: "replace", path: pointer(path), value: to }];
}

function restartOperations(places: ImagePlaces, patch: WorkloadPatch): readonly PatchOperation[] {
  if (patch.restart === undefined) return [];
  const { from, to } = patch.restart;
  if (places.kind === "fields") return [test(pointer(noField), to ?? "")];
  const map = `${pointer(places.path)}/metadata/annotations`;
  const exists = patch.existingMaps.templateAnnotations;
  if (to !== undefined) return putKeys(map, exists, { [restartedAtKey]: from }, { [restartedAtKey]: to });
  if (!exists) return [test(map, undefined), ...impossible(map, restartedAtKey, from)];
  const path = `${map}/${escaped(restartedAtKey)}`;
  return [test(path, from), ...(from === undefined ? [] : [{ op: "remove" as const, path }])];
}

/** Returns the operations on the pods' labels with attributes. Each key that changes is tested first. */
function labelOperations(
  places: ImagePlaces,
  { attributeLabels, existingMaps }: WorkloadPatch,
): readonly PatchOperation[] {
  if (attributeLabels === undefined || places.kind === "fields") return [];
  const { from, to } = attributeLabels;
  const map = `${pointer(places.path)}/metadata/labels`;
  const keyOf = (key: string) => `${attributePrefix}${key}`;
  const set = Object.entries(to).filter(([key, value]) => from[key] !== value);
  const removed = Object.entries(from).filter(([key]) => to[key] === undefined);
  return [
    ...removed.flatMap(([key, value]) => {
      const path = `${map}/${escaped(keyOf(key))}`;
      return [test(path, value), { op: "remove" as const, path }];
    }),
    ...putKeys(
      map,
      existingMaps.templateLabels,
      Object.fromEntries(set.map(([key]) => [keyOf(key), from[key]])),
      Object.fromEntries(set.map(([key, value]) => [keyOf(key), value])),
    ),
  ];
}

/** Returns the operations that set keys of a map, and that test the old values in `from`. */
function putKeys(
  map: string,
  exists: boolean,
  from: Readonly<Record<string, string | undefined>>,
  to: Readonly<Record<string, string>>,
): readonly PatchOperation[] {
  if (Object.keys(to).length === 0) return [];
  if (!exists) {
    const contradictions = Object.entries(from).flatMap(([key, value]) => impossible(map, key, value));
    return [test(map, undefined), ...contradictions, { op: "add", path: map, value: to }];
  }
  return [
    ...Object.entries(from).map(([key, value]) => test(`${map}/${escaped(key)}`, value)),
    ...Object.entries(to).map(([key, value]) => ({ op: "add" as const, path: `${map}/${escaped(key)}`, value })),
  ];
}

/**
 * Returns a test for a value in an absent map. This test always fails, so that the contradictory
 * patch writes nothing.
 */
function impossible(map: string, key: string, value: string | undefined): readonly PatchOperation[] {
  return value === undefined ? [] : [test(`${map}/${escaped(key)}`, value)];
}

function test(path: string, value: unknown): PatchOperation {
  return { op: "test", path, value: value ?? null };
}

function pointer(path: FieldPath): string {
  return path.map((step) => `/${escaped(step)}`).join("");
}

/** @see https://datatracker.ietf.org/doc/html/rfc6901#section-3 */
function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
