import type { Quarantine, QuarantinedDigest } from "#ports/quarantine";
import type { StateDatabase } from "./database.ts";
import { jsonTable } from "./json-table.ts";

/** Returns the quarantine, with one row per digest. */
export function sqliteQuarantine(database: StateDatabase): Quarantine {
  const table = jsonTable<QuarantinedDigest>(database, "quarantine");
  return {
    among: (digests) =>
      database.read("reading the quarantine", () => [...new Set(digests)].flatMap((digest) => table.get(digest) ?? [])),
    list: () => database.read("listing the quarantine", table.list),
    add: (entry) =>
      database.write(`putting ${entry.digest} in quarantine`, () => {
        table.put(entry.digest, entry);
      }),
    lift: (digest) => database.write(`taking ${digest} out of quarantine`, () => table.remove(digest)),
  };
}
