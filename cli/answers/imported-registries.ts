import { registryHost } from "#domain/registry/host";
import type { FieldNote, RegistryEntry, TranslatedRegistry } from "./image-registry.ts";

/** An object of the input, with its place, and its entry if there is one. */
export interface ImportedRegistry {
  readonly place: string;
  /** `namespace/name` of the object. */
  readonly object: string;
  readonly entry?: RegistryEntry;
  readonly notes: readonly FieldNote[];
  /** True if the entry of an earlier object serves the same repositories. */
  readonly isRepeated: boolean;
}

/** Gives each entry a name of its own, and drops entries for the repositories of an earlier one. */
export function importedRegistries(
  translated: readonly (TranslatedRegistry & { readonly place: string })[],
): readonly ImportedRegistry[] {
  const names = new Set<string>();
  const served = new Map<string, string>();
  return translated.map(({ place, namespace, name, entry, notes }): ImportedRegistry => {
    const object = namespace === undefined ? name : `${namespace}/${name}`;
    if (entry === undefined) return { place, object, notes, isRepeated: false };
    const keys = (entry.repositories ?? [""]).map((prefix) => `${registryHost(entry.host)}/${prefix}`);
    const earlier = keys.map((key) => served.get(key)).find((other) => other !== undefined);
    // No name in a cluster has a colon.
    const own = names.has(name) ? object.replace("/", ":") : name;
    if (earlier !== undefined || names.has(own)) return { place, object, isRepeated: true, notes: [repeated(earlier)] };
    names.add(own);
    for (const key of keys) served.set(key, own);
    const renamed: FieldNote = {
      field: "metadata.name",
      message: `an earlier object has this name: write ${own} into lookout.dev/registry`,
    };
    return {
      place,
      object,
      entry: { ...entry, name: own },
      notes: own === name ? notes : [renamed, ...notes],
      isRepeated: false,
    };
  });
}

function repeated(earlier: string | undefined): FieldNote {
  if (earlier === undefined) return { field: "metadata.name", message: "an earlier object has this name" };
  return { field: "spec", message: `is the same registry as ${earlier}: write ${earlier} into lookout.dev/registry` };
}
