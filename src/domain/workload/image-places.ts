import { isObject, valueAt } from "../shared/json.ts";
import { type BuiltInKind, kindSpecs } from "./kinds.ts";
import { containerLists, containersOf, type ImageTemplate } from "./pod-template.ts";
import { type ContainerList, type LiveContainer, restartedAtKey, volumePrefix } from "./workload.ts";

/** The steps from an object to a field: `["spec", "image"]`. */
export type FieldPath = readonly string[];

/** The places of an object's images. */
export type ImagePlaces =
  | { readonly kind: "template"; readonly path: FieldPath }
  /** Single images. The keys are the names of the containers that run the images. */
  | {
      readonly kind: "fields";
      readonly paths: Readonly<Record<string, FieldPath>>;
      /** The repositories of the first images, without tag and digest. Absent if Lookout writes no first image. */
      readonly initial?: Readonly<Record<string, string>>;
    };

/** Returns the places of the images of a built-in kind. */
export function placesOf(kind: BuiltInKind): ImagePlaces {
  return { kind: "template", path: kindSpecs[kind].template.split(".") };
}

type WrittenContainer = ReturnType<typeof containersOf>[number];

/**
 * Returns the containers of an object. Returns none for an object without an image at these places,
 * except for a container whose first image Lookout may write.
 */
export function containersAt(places: ImagePlaces, object: unknown): readonly WrittenContainer[] {
  if (places.kind === "template") {
    const template = templateAt(places, object);
    return template === undefined ? [] : containersOf(template);
  }
  return Object.entries(places.paths).flatMap(([name, path], index): readonly WrittenContainer[] => {
    const image = valueAt(object, path);
    const at = { list: "containers", index, name } as const;
    if (typeof image === "string" && image !== "") return [{ ...at, image }];
    const initial = initialImageOf(places, name);
    const isUnset = (image ?? "") === "" && isObject(valueAt(object, path.slice(0, -1)));
    return initial !== undefined && isUnset ? [{ ...at, image: initial, isUnset }] : [];
  });
}

/** Returns the repository of the first image of a container. Undefined if Lookout writes none. */
function initialImageOf({ initial = {} }: Extract<ImagePlaces, { kind: "fields" }>, name: string): string | undefined {
  return Object.hasOwn(initial, name) ? initial[name] : undefined;
}

/**
 * Returns the pod template of an object. Undefined if the object has no template with named
 * containers at that place, or its images have no template.
 */
export function templateAt(places: ImagePlaces, object: unknown): ImageTemplate | undefined {
  if (places.kind !== "template") return undefined;
  const template = valueAt(object, places.path);
  return isTemplate(template) ? template : undefined;
}

/** Other operators may define any form, so their objects are checked. */
function isTemplate(template: unknown): template is ImageTemplate {
  if (!isObject(template) || !isObject(template["spec"])) return false;
  const { spec } = template;
  return containerLists.every((list) => {
    const items = spec[list] ?? [];
    return Array.isArray(items) && items.every((item) => isNamed(item, list));
  });
}

function isNamed(item: unknown, list: ContainerList): boolean {
  if (!isObject(item) || typeof item["name"] !== "string") return false;
  const { image } = item;
  if (list !== "volumes") return image === undefined || typeof image === "string";
  const reference = isObject(image) ? image["reference"] : undefined;
  return (image ?? undefined) === undefined || (isObject(image) && isTextOrNone(reference));
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/**
 * Returns the path of an image in `fieldsV1` of `managedFields`.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
export function imageFields(places: ImagePlaces, { list, name }: Pick<LiveContainer, "list" | "name">): FieldPath {
  if (places.kind === "fields") return fields(places.paths[name] ?? []);
  const item = `k:${JSON.stringify({ name: list === "volumes" ? name.slice(volumePrefix.length) : name })}`;
  const field = list === "volumes" ? ["f:image", "f:reference"] : ["f:image"];
  return [...fields(places.path), "f:spec", `f:${list}`, item, ...field];
}

/** Returns the path of the restart's annotation in `fieldsV1`. Undefined without a pod template. */
export function restartFields(places: ImagePlaces): FieldPath | undefined {
  if (places.kind === "fields") return undefined;
  return [...fields(places.path), "f:metadata", "f:annotations", `f:${restartedAtKey}`];
}

function fields(path: FieldPath): FieldPath {
  return path.map((part) => `f:${part}`);
}
