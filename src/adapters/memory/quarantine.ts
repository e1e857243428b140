import type { Quarantine, QuarantinedDigest } from "#ports/quarantine";
import { copyOf } from "./copy.ts";
import { type Faulty, faults } from "./faults.ts";

/** The digests in quarantine, in memory. */
export function memoryQuarantine(): Quarantine & Faulty {
  const { around, failNext } = faults();
  const entries = new Map<string, QuarantinedDigest>();
  return {
    failNext,
    among: (digests) => around(() => [...new Set(digests)].flatMap((digest) => entries.get(digest) ?? [])),
    list: () => around(() => [...entries.keys()].sort().flatMap((digest) => entries.get(digest) ?? [])),
    add: async (entry) => {
      const copy = copyOf(entry);
      return around(() => {
        entries.set(copy.digest, copy);
      });
    },
    lift: (digest) => around(() => entries.delete(digest)),
  };
}
