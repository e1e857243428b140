import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import type { StoredSighting } from "#domain/policy/tag-age";
import type { TaggedImage } from "#domain/policy/tag-history";
import type { Sightings } from "#ports/sightings";
import type { DynamoTable } from "./client.ts";
import { putIf } from "./errors.ts";
import type { ItemKey } from "./keys.ts";
import { type Item, queryPartition, readItems } from "./reads.ts";
import { expiryAt } from "./writes.ts";

const doing = "reading when tags came to digests";
const prefix = "SEEN#";
const writesAtOnce = 10;

function partitionOf(imageName: string): string {
  return `TAGS#${imageName}`;
}

/** Returns the key of a sighting. The separator is `#`, because no tag contains this character. */
function sightingKey({ imageName, tag, digest }: TaggedImage): ItemKey {
  return { pk: partitionOf(imageName), sk: `${prefix}${tag}#${digest}` };
}

/**
 * Returns the store of sightings. A sighting states when a tag came to a digest. Each sighting has
 * one item, in the partition of the tag history.
 */
export function dynamoSightings(where: DynamoTable): Sightings {
  return {
    async remember(sightings) {
      await pLimit(writesAtOnce).map(sightings, (sighting) => putSighting(where, sighting));
    },
    list: async (imageName) =>
      (await queryPartition(where, { pk: partitionOf(imageName), prefix }, doing)).map(sightingOf),
    among: async (images) => (await readItems(where, images.map(sightingKey), doing)).map(sightingOf),
    async forget(sightings) {
      await pLimit(writesAtOnce).map(sightings, (sighting) => forgetSighting(where, sighting));
    },
  };
}

async function putSighting({ client, table }: DynamoTable, sighting: StoredSighting): Promise<void> {
  const { imageName, tag, digest, seenAt, keptUntil, content } = sighting;
  const stored = { imageName, tag, digest, seenAt, keptUntil, ...(content === undefined ? {} : { content }) };
  const put = new PutCommand({
    TableName: table,
    Item: { ...sightingKey(sighting), ...expiryAt(keptUntil), sighting: stored },
    ConditionExpression: "attribute_not_exists(#pk) OR #sighting.#seenAt <= :seenAt",
    ExpressionAttributeNames: { "#pk": "pk", "#sighting": "sighting", "#seenAt": "seenAt" },
    ExpressionAttributeValues: { ":seenAt": seenAt },
  });
  await putIf(`storing when ${imageName}:${tag} came to its digest`, () => client.send(put));
}

async function forgetSighting({ client, table }: DynamoTable, sighting: StoredSighting): Promise<void> {
  const command = new DeleteCommand({
    TableName: table,
    Key: { ...sightingKey(sighting) },
    ConditionExpression: "#sighting.#seenAt = :seenAt",
    ExpressionAttributeNames: { "#sighting": "sighting", "#seenAt": "seenAt" },
    ExpressionAttributeValues: { ":seenAt": sighting.seenAt },
  });
  await putIf(`deleting a sighting of ${sighting.imageName}:${sighting.tag}`, () => client.send(command));
}

function sightingOf(item: Item): StoredSighting {
  return item.sighting as StoredSighting;
}
