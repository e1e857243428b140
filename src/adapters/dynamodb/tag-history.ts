import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { imageNameOf } from "#domain/image/reference";
import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "#ports/registry";
import type { TagHistory } from "#ports/tag-history";
import type { DynamoTable } from "./client.ts";
import { deleteItems } from "./deletes.ts";
import { putIf } from "./errors.ts";
import type { ItemKey } from "./keys.ts";
import { type Item, queryPartition, readItem } from "./reads.ts";
import { putItem } from "./writes.ts";

const deletesAtOnce = 10;
const tagPrefix = "TAG#";

function tagsPartition(name: RepositoryName): string {
  return `TAGS#${imageNameOf(name)}`;
}

function tagKey(name: RepositoryName, tag: string): ItemKey {
  return { pk: tagsPartition(name), sk: `${tagPrefix}${tag}` };
}

function listedTagsKey(name: RepositoryName): ItemKey {
  return { pk: tagsPartition(name), sk: "KNOWN" };
}

/**
 * Returns the store of tag histories. Each tag has one item with its last move. One more item has
 * the marks of all tags that were ever listed.
 */
export function dynamoTagHistory(where: DynamoTable): TagHistory {
  return {
    async list(name) {
      const query = { pk: tagsPartition(name), prefix: tagPrefix };
      return (await queryPartition(where, query, `listing the tag moves of ${imageNameOf(name)}`)).map(moveOf);
    },

    remember: (name, move) => rememberMove(where, name, move),

    async forget(name, moves) {
      await pLimit(deletesAtOnce).map(moves, (move) => forgetMove(where, name, move));
    },

    async listed(name) {
      const item = await readItem(where, listedTagsKey(name), `reading the listed tags of ${imageNameOf(name)}`);
      return item === undefined ? undefined : marksIn(item.marks as Uint8Array);
    },

    async writeListed(name, tags) {
      const item = { ...listedTagsKey(name), marks: bytesOf(tags) };
      await putItem(where, item, `storing the listed tags of ${imageNameOf(name)}`);
    },

    async drop(name) {
      const doing = `deleting the tag history of ${imageNameOf(name)}`;
      const items = await queryPartition(where, { pk: tagsPartition(name), prefix: tagPrefix }, doing);
      const keys = items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
      await deleteItems(where, [...keys, listedTagsKey(name)], doing);
    },
  };
}

async function rememberMove(
  { client, table }: DynamoTable,
  name: RepositoryName,
  { tag, ...move }: TagMove,
): Promise<void> {
  const put = new PutCommand({
    TableName: table,
    Item: { ...tagKey(name, tag), ...move },
    ConditionExpression:
      "attribute_not_exists(#pk) OR ((#digest <> :digest OR #isFound = :yes) AND #movedAt <= :movedAt)",
    ExpressionAttributeNames: { "#pk": "pk", "#digest": "digest", "#movedAt": "movedAt", "#isFound": "isFound" },
    ExpressionAttributeValues: { ":digest": move.digest, ":movedAt": move.movedAt, ":yes": true },
  });
  await putIf(`storing the move of ${imageNameOf(name)}:${tag}`, () => client.send(put));
}

async function forgetMove({ client, table }: DynamoTable, name: RepositoryName, move: TagMove): Promise<void> {
  const command = new DeleteCommand({
    TableName: table,
    Key: { ...tagKey(name, move.tag) },
    ConditionExpression: "#movedAt = :movedAt",
    ExpressionAttributeNames: { "#movedAt": "movedAt" },
    ExpressionAttributeValues: { ":movedAt": move.movedAt },
  });
  await putIf(`deleting the move of ${imageNameOf(name)}:${move.tag}`, () => client.send(command));
}

function moveOf(item: Item): TagMove {
  const found = item.isFound === true ? ({ isFound: true } as const) : {};
  return {
    tag: String(item.sk).slice(tagPrefix.length),
    digest: String(item.digest),
    movedAt: item.movedAt as EpochMs,
    ...found,
  };
}

/**
 * Returns marks as bytes: four bytes per mark, little-endian. All marks take at most 200 kB, and an
 * item may have 400 kB.
 */
function bytesOf(tags: ListedTags): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(tags.length * 4));
  for (const [index, mark] of tags.entries()) bytes.setUint32(index * 4, mark, true);
  return new Uint8Array(bytes.buffer);
}

function marksIn(stored: Uint8Array): ListedTags {
  const bytes = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  return Array.from({ length: stored.byteLength / 4 }, (_, index) => bytes.getUint32(index * 4, true));
}
