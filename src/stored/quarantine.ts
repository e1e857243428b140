import * as z from "zod/mini";
import { epochMs } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";
import type { Quarantine, QuarantinedDigest } from "#ports/quarantine";
import { itemOf, type Kind, type Storage, unreadableWhy, valuesOf } from "./kind.ts";
import { anyText, digest, instant, type Members } from "./shape.ts";
import { put, remove } from "./writes.ts";

/** The kind of digests in quarantine. */
export const quarantineKind: Kind<QuarantinedDigest> = {
  name: "quarantined digest",
  form: 1,
  shape: z.object({ digest, by: anyText, why: anyText, at: instant } satisfies Members<QuarantinedDigest>),
  isAt: ({ digest }, { sk }) => sk === keyOf(digest).sk,
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
      const entries = new Map(valuesOf(quarantineKind, found, storage).map((entry) => [entry.digest, entry]));
      return [...new Set(digests)].flatMap((digest) => entries.get(digest) ?? []);
    },
    list: async () => valuesOf(quarantineKind, await items.query({ pk }, "listing the quarantine"), storage),
    add: (entry) =>
      put(items, itemOf(quarantineKind, keyOf(entry.digest), entry), `putting ${entry.digest} in quarantine`),
    lift: (digest) => remove(items, keyOf(digest), `taking ${digest} out of quarantine`),
  };
}
