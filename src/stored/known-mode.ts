import * as z from "zod/mini";
import type { KnownMode } from "#ports/known-mode";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText } from "./shape.ts";
import { put } from "./writes.ts";

/** The kind of the known mode. Its value says where Lookout observes. */
export const knownModeKind: Kind<{ readonly observes: string }> = {
  name: "known mode",
  form: 1,
  shape: z.object({ observes: anyText }),
};

const key = { pk: "INSTALLATION", sk: "MODE" };

/** Returns the store of the known mode. */
export function storedKnownMode(storage: Storage): KnownMode {
  const { items } = storage;
  return {
    async read() {
      const stored = await items.get(key, "reading the known mode");
      return stored === undefined ? undefined : valuesOf(knownModeKind, [stored], storage)[0]?.observes;
    },
    write: (observes) => put(items, itemOf(knownModeKind, key, { observes }), "storing the known mode"),
  };
}
