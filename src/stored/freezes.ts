import * as z from "zod/mini";
import { type Freeze, type FreezeScope, freezeScopeText, parseFreezeScope } from "#domain/gates/freezes";
import { epochMs } from "#domain/shared/time";
import type { Freezes } from "#ports/freezes";
import { itemOf, type Kind, type Storage, unreadableWhy, valuesOf } from "./kind.ts";
import { anyText, instant, maybe, type Members, name } from "./shape.ts";
import { remove } from "./writes.ts";

/** The kind of freezes. */
export const freezeKind: Kind<Freeze> = {
  name: "freeze",
  form: 1,
  shape: z.object({
    scope: z.object({ cluster: maybe(name), namespace: maybe(name) } satisfies Members<FreezeScope>),
    by: anyText,
    why: anyText,
    at: instant,
    until: maybe(instant),
  } satisfies Members<Freeze>),
  isAt: ({ scope }, { sk }) => freezeScopeText(scope) === sk,
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
    list: async () => valuesOf(freezeKind, await items.query({ pk }, "reading the freezes"), storage),
    async put(freeze) {
      const scope = freezeScopeText(freeze.scope);
      await items.write([{ kind: "put", item: itemOf(freezeKind, { pk, sk: scope }, freeze) }], `freezing ${scope}`);
    },
    lift: (scope) =>
      remove(items, { pk, sk: freezeScopeText(scope) }, `lifting the freeze of ${freezeScopeText(scope)}`),
  };
}
