import type { Registration, Registrations } from "#ports/registrations";
import { copyOf } from "./copy.ts";
import { type Faulty, faults } from "./faults.ts";

/** The clusters that were registered, in memory. */
export function memoryRegistrations(): Registrations & Faulty {
  const { around, failNext } = faults();
  const entries = new Map<string, Registration>();
  return {
    failNext,
    list: () => around(() => [...entries.keys()].sort().flatMap((name) => entries.get(name) ?? [])),
    put: async (registration) => {
      const copy = copyOf(registration);
      return around(() => {
        const stored = entries.get(copy.name);
        if (stored !== undefined) return JSON.stringify(stored) === JSON.stringify(copy);
        entries.set(copy.name, copy);
        return true;
      });
    },
    remove: (name) => around(() => entries.delete(name)),
  };
}
