import { type Freeze, freezeScopeText, parseFreezeScope } from "#domain/gates/freezes";
import { epochMs } from "#domain/shared/time";
import type { Freezes } from "#ports/freezes";
import { itemOf, type Kind, objectWith, type Storage, unreadableWhy, valuesOf } from "./kind.ts";
import { remove } from "./writes.ts";

/** A freeze. */
export const kind: Kind<Freeze> = {
  name: "freeze",
  form: 1,
  read: objectWith({ scope: "map", by: "string", why: "string" }),
  closed({ sk }) {
    const scope = parseFreezeScope(sk);
    return { scope: scope.ok ? scope.value : {}, by: "lookout", why: unreadableWhy, at: epochMs(0) };
  },
};

/** All freezes share a partition, so that one strongly consistent query reads all freezes. */
const pk = "FREEZE";

/** Returns the store of freezes. */
export function storedFreezes(storage: Storage): Freezes {
  const { items } = storage;
  return {
    list: async () => valuesOf(kind, await items.query({ pk }, "reading the freezes"), storage),
    async put(freeze) {
      const scope = freezeScopeText(freeze.scope);
      await items.write([{ kind: "put", item: itemOf(kind, { pk, sk: scope }, freeze) }], `freezing ${scope}`);
    },
    lift: (scope) =>
      remove(items, { pk, sk: freezeScopeText(scope) }, `lifting the freeze of ${freezeScopeText(scope)}`),
  };
}
