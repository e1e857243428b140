/**
 * The text of each field of an object, by path. Items of lists with names are identified by their
 * names.
 */
export type Fields = ReadonlyMap<string, string>;

/** An object from an API server. */
interface ShownObject {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly object[];
  };
  readonly spec: object;
}

/** The fields that the cluster itself writes. */
const ofTheCluster = /^annotations\/(deployment\.kubernetes\.io\/|deprecated\.daemonset\.template\.generation$)/;

/**
 * Returns the fields that users and programs write: labels, annotations, finalizers, owners, spec.
 */
export function fieldsOf({ metadata, spec }: ShownObject): Fields {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const fields = new Map<string, string>();
  collect({ finalizers, ownerReferences, spec }, "", fields);
  for (const [map, entries] of Object.entries({ labels, annotations }))
    for (const [key, value] of Object.entries(entries)) fields.set(`${map}/${key}`, value);
  for (const path of fields.keys()) if (ofTheCluster.test(path)) fields.delete(path);
  return fields;
}

/** Returns the paths that differ between two objects, or exist in only one. */
export function changedPaths(before: Fields, after: Fields): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

/** Returns the images of an object by container name. */
export function imagesIn(fields: Fields): ReadonlyMap<string, string> {
  const images = new Map<string, string>();
  for (const [path, text] of fields) {
    const [, container] = /\/?template\/spec\/containers\/([^/]+)\/image$/.exec(path) ?? [];
    if (container !== undefined) images.set(container, JSON.parse(text) as string);
  }
  return images;
}

function collect(value: unknown, path: string, into: Map<string, string>): void {
  if (Array.isArray(value)) {
    const names = value.map((item: unknown, index) => nameOf(item) ?? String(index));
    into.set(`${path}/[]`, names.join(" "));
    value.forEach((item: unknown, index) => collect(item, `${path}/${names[index] ?? ""}`, into));
  } else if (typeof value === "object" && value !== null)
    for (const [key, part] of Object.entries(value)) collect(part, path === "" ? key : `${path}/${key}`, into);
  else into.set(path, JSON.stringify(value));
}

function nameOf(item: unknown): string | undefined {
  return typeof item === "object" && item !== null && "name" in item && typeof item.name === "string"
    ? item.name
    : undefined;
}
