import { type Freeze, freezeScopeText } from "#domain/freeze";
import type { Freezes } from "#ports/freezes";
import { type Faulty, faults } from "./faults.ts";

/** The freezes, in memory. */
export function memoryFreezes(): Freezes & Faulty {
  const { around, failNext } = faults();
  const freezes = new Map<string, Freeze>();
  return {
    failNext,
    list: () => around(() => [...freezes.keys()].sort().flatMap((scope) => freezes.get(scope) ?? [])),
    put: async (freeze) => {
      const copy = structuredClone(freeze);
      return around(() => {
        freezes.set(freezeScopeText(copy.scope), copy);
      });
    },
    lift: (scope) => around(() => freezes.delete(freezeScopeText(scope))),
  };
}
