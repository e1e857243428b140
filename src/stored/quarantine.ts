import { epochMs } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";
import type { Quarantine, QuarantinedDigest } from "#ports/quarantine";
import { itemOf, type Kind, objectWith, type Storage, unreadableWhy, valuesOf } from "./kind.ts";
import { put, remove } from "./writes.ts";

/** A digest in quarantine. */
export const kind: Kind<QuarantinedDigest> = {
  name: "quarantined digest",
  form: 1,
  read: objectWith({ digest: "string", by: "string", why: "string" }),
  closed: ({ sk }) => ({ digest: sk.slice(prefix.length), by: "lookout", why: unreadableWhy, at: epochMs(0) }),
};

const pk = "QUARANTINE";
const prefix = "ALL#";

function keyOf(digest: string): ItemKey {
  return { pk, sk: `${prefix}${digest}` };
}

/** Returns the quarantine that all clusters share. Its digests are in one partition. */
export function storedQuarantine(storage: Storage): Quarantine {
  const { items } = storage;
  return {
    async among(digests) {
      const found = await items.getMany(digests.map(keyOf), "reading the quarantine");
      const entries = new Map(valuesOf(kind, found, storage).map((entry) => [entry.digest, entry]));
      return [...new Set(digests)].flatMap((digest) => entries.get(digest) ?? []);
    },
    list: async () => valuesOf(kind, await items.query({ pk }, "listing the quarantine"), storage),
    add: (entry) => put(items, itemOf(kind, keyOf(entry.digest), entry), `putting ${entry.digest} in quarantine`),
    lift: (digest) => remove(items, keyOf(digest), `taking ${digest} out of quarantine`),
  };
}
