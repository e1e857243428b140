import * as z from "zod/mini";
import {
  type Declared,
  type DeclaredTier,
  type DefinitionFault,
  definitionKinds,
  faultReasons,
} from "#domain/definitions/definition";
import { type BuiltInTarget, targetKinds } from "#domain/definitions/target";
import type { ItemKey } from "#ports/items";
import type { Definitions } from "#ports/definitions";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText, count, instant, list, maybe, type Members, name, textMap, yes } from "./shape.ts";
import { put } from "./writes.ts";

/** The kind of definitions of clusters. */
export const declaredKind: Kind<Declared> = {
  name: "definition in a cluster",
  form: 1,
  shape: z.object({
    kind: z.enum(definitionKinds),
    ...{ cluster: name, namespace: name, name, uid: anyText, createdAt: instant, generation: count },
    target: maybe(z.object({ kind: z.enum(targetKinds), name } satisfies Members<BuiltInTarget>)),
    imageName: maybe(anyText),
    settings: textMap,
    interval: maybe(anyText),
    tiers: maybe(
      list(z.object({ upgradeTier: anyText, priority: z.int(), tag: anyText } satisfies Members<DeclaredTier>)),
    ),
    fault: maybe(
      z.object({ reason: z.enum(faultReasons), place: anyText, message: anyText } satisfies Members<DefinitionFault>),
    ),
    ends: maybe(yes),
    tiersAt: maybe(instant),
    isPlaced: maybe(yes),
  } satisfies Members<Declared>),
  isAt: (declared, { pk, sk }) => pk === keyOf(declared).pk && sk === keyOf(declared).sk,
};

const writesAtOnce = 8;

/** Returns the store of definitions. One that can't be read declares nothing until the next complete sync. */
export function storedDefinitions(storage: Storage): Definitions {
  const { items } = storage;
  const at = async (cluster: string, prefix?: string): Promise<readonly Declared[]> => {
    const place = { pk: definitionPartition(cluster), ...(prefix === undefined ? {} : { prefix }) };
    const found = await items.query(place, `listing definitions of cluster ${cluster}`);
    return valuesOf(declaredKind, found, storage);
  };
  return {
    list: (cluster) => at(cluster),
    async about({ cluster, namespace, kind, name }) {
      const places = [placeOf(namespace, { kind, name }), placeOf(namespace, undefined)];
      return (await Promise.all(places.map((place) => at(cluster, place)))).flat();
    },
    inNamespace: ({ cluster, namespace }) => at(cluster, placeOf(namespace, undefined)),
    async put(definitions) {
      const write = (one: Declared) =>
        put(items, itemOf(declaredKind, keyOf(one), one), `storing the definition ${one.namespace}/${one.name}`);
      for (let from = 0; from < definitions.length; from += writesAtOnce)
        await Promise.all(definitions.slice(from, from + writesAtOnce).map(write));
    },
    async remove(definitions) {
      await items.removeMany(definitions.map(keyOf), "removing definitions that are gone");
    },
  };
}

/** Returns the partition of the definitions of a cluster. */
export function definitionPartition(cluster: string): string {
  return `DEFINED#${cluster}`;
}

/** Definitions are sorted by their targets, because each read of a workload reads its own ones. */
function keyOf({ cluster, namespace, target, kind, name }: Declared): ItemKey {
  return { pk: definitionPartition(cluster), sk: `${placeOf(namespace, target)}${kind}/${name}` };
}

function placeOf(namespace: string, target: { readonly kind: string; readonly name: string } | undefined): string {
  return target === undefined ? `${namespace}//` : `${namespace}/${target.kind}/${target.name}/`;
}
