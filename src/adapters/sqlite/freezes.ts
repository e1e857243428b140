import { type Freeze, freezeScopeText } from "#domain/gates/freezes";
import type { Freezes } from "#ports/freezes";
import type { StateDatabase } from "./database.ts";
import { jsonTable } from "./json-table.ts";

/** Returns the store of freezes, with one row per scope. */
export function sqliteFreezes(database: StateDatabase): Freezes {
  const table = jsonTable<Freeze>(database, "freezes");
  return {
    list: () => database.read("reading the freezes", table.list),
    put: (freeze) => {
      const scope = freezeScopeText(freeze.scope);
      return database.write(`freezing ${scope}`, () => {
        table.put(scope, freeze);
      });
    },
    lift: (scope) => {
      const text = freezeScopeText(scope);
      return database.write(`lifting the freeze of ${text}`, () => table.remove(text));
    },
  };
}
