import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Quarantine, QuarantinedDigest } from "#ports/quarantine";
import type { DynamoTable } from "./client.ts";
import { asking } from "./errors.ts";
import { quarantineKey } from "./keys.ts";
import { type Item, queryPartition, readItem, readItems } from "./reads.ts";

/** The quarantine in one partition; it is short, and holds for all clusters. */
export function dynamoQuarantine(where: DynamoTable): Quarantine {
  const { client, table } = where;
  return {
    async among(digests) {
      const items = await readItems(where, digests.map(quarantineKey), "looking into the quarantine");
      const entries = new Map(items.map(toEntry).map((entry) => [entry.digest, entry]));
      return [...new Set(digests)].flatMap((digest) => entries.get(digest) ?? []);
    },

    async list() {
      const items = await queryPartition(where, { pk: quarantineKey("").pk }, "listing the quarantine");
      return items.map(toEntry);
    },

    async add(entry) {
      const item = { ...quarantineKey(entry.digest), entry };
      await asking(`putting ${entry.digest} in quarantine`, () =>
        client.send(new PutCommand({ TableName: table, Item: item })),
      );
    },

    // Reads first: a delete that the client repeats because it got no answer would find nothing the second time.
    async lift(digest) {
      const key = quarantineKey(digest);
      const doing = `taking ${digest} out of quarantine`;
      if ((await readItem(where, key, doing)) === undefined) return false;
      await asking(doing, () => client.send(new DeleteCommand({ TableName: table, Key: { ...key } })));
      return true;
    },
  };
}

const toEntry = (item: Item): QuarantinedDigest => item.entry as QuarantinedDigest;
