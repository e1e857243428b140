import type { Quarantine, QuarantinedDigest } from "#ports/quarantine";
import type { DynamoTable } from "./client.ts";
import type { ItemKey } from "./keys.ts";
import { type Item, queryPartition, readItems } from "./reads.ts";
import { putItem, removeItem } from "./writes.ts";

function quarantineKey(digest: string): ItemKey {
  return { pk: "QUARANTINE", sk: `ALL#${digest}` };
}

/**
 * Returns the quarantine that all clusters share. Its digests are in one partition of the table.
 */
export function dynamoQuarantine(where: DynamoTable): Quarantine {
  return {
    async among(digests) {
      const items = await readItems(where, digests.map(quarantineKey), "reading the quarantine");
      const entries = new Map(items.map(toEntry).map((entry) => [entry.digest, entry]));
      return [...new Set(digests)].flatMap((digest) => entries.get(digest) ?? []);
    },

    async list() {
      const items = await queryPartition(where, { pk: quarantineKey("").pk }, "listing the quarantine");
      return items.map(toEntry);
    },

    add: (entry) => putItem(where, { ...quarantineKey(entry.digest), entry }, `putting ${entry.digest} in quarantine`),

    lift: (digest) => removeItem(where, quarantineKey(digest), `taking ${digest} out of quarantine`),
  };
}

function toEntry(item: Item): QuarantinedDigest {
  return item.entry as QuarantinedDigest;
}
