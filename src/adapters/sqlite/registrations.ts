import { deepEqual } from "#domain/shared/deep-equal";
import type { Registration, Registrations } from "#ports/registrations";
import type { StateDatabase } from "./database.ts";
import { jsonTable } from "./json-table.ts";

/** Returns the store of registered clusters, with one row each. */
export function sqliteRegistrations(database: StateDatabase): Registrations {
  const table = jsonTable<Registration>(database, "registrations");
  return {
    list: () => database.read("listing the registered clusters", table.list),
    put: (registration) =>
      database.write(`registering the cluster ${registration.name}`, () => {
        const stored = table.get(registration.name);
        if (stored !== undefined) return deepEqual(stored, registration);
        table.put(registration.name, registration);
        return true;
      }),
    remove: (name) => database.write(`removing the cluster ${name}`, () => table.remove(name)),
  };
}
