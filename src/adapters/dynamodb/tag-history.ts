import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { repositoryKey } from "#domain/image/reference";
import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "#ports/registry";
import type { TagHistory } from "#ports/tag-history";
import type { DynamoTable } from "./client.ts";
import { deleteItems } from "./deletes.ts";
import { asking, putIf } from "./errors.ts";
import { listedTagsKey, tagKey, tagOf, tagPrefix } from "./keys.ts";
import { type Item, queryPartition, readItem } from "./reads.ts";

/** How many deletes are under way at the same time. */
const deletesAtOnce = 10;

/** The moves of a repository's tags, an item each, and one item of all tags that were ever listed. */
export function dynamoTagHistory(where: DynamoTable): TagHistory {
  const { client, table } = where;
  return {
    async list(name) {
      const query = { pk: listedTagsKey(name).pk, prefix: tagPrefix };
      return (await queryPartition(where, query, `listing when tags of ${repositoryKey(name)} moved`)).map(moveOf);
    },

    remember: (name, move) => rememberMove(where, name, move),

    async forget(name, moves) {
      await pLimit(deletesAtOnce).map(moves, (move) => forgetMove(where, name, move));
    },

    async listed(name) {
      const item = await readItem(where, listedTagsKey(name), `reading the listed tags of ${repositoryKey(name)}`);
      return item === undefined ? undefined : marksIn(item.marks as Uint8Array);
    },

    async writeListed(name, tags) {
      const put = new PutCommand({ TableName: table, Item: { ...listedTagsKey(name), marks: bytesOf(tags) } });
      await asking(`storing the listed tags of ${repositoryKey(name)}`, () => client.send(put));
    },

    async drop(name) {
      const doing = `forgetting the tags of ${repositoryKey(name)}`;
      const items = await queryPartition(where, { pk: listedTagsKey(name).pk }, doing);
      const keys = items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
      await deleteItems(where, keys, doing);
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
  await putIf(`remembering that ${repositoryKey(name)}:${tag} moved`, () => client.send(put));
}

async function forgetMove({ client, table }: DynamoTable, name: RepositoryName, move: TagMove): Promise<void> {
  const command = new DeleteCommand({
    TableName: table,
    Key: { ...tagKey(name, move.tag) },
    ConditionExpression: "#movedAt = :movedAt",
    ExpressionAttributeNames: { "#movedAt": "movedAt" },
    ExpressionAttributeValues: { ":movedAt": move.movedAt },
  });
  await putIf(`forgetting when ${repositoryKey(name)}:${move.tag} moved`, () => client.send(command));
}

function moveOf(item: Item): TagMove {
  const found = item.isFound === true ? ({ isFound: true } as const) : {};
  return { tag: tagOf(String(item.sk)), digest: String(item.digest), movedAt: item.movedAt as EpochMs, ...found };
}

/** Four bytes for each mark, the lowest first: 200 kB at the most, of the 400 that an item may have. */
function bytesOf(tags: ListedTags): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(tags.length * 4));
  for (const [index, mark] of tags.entries()) bytes.setUint32(index * 4, mark, true);
  return new Uint8Array(bytes.buffer);
}

function marksIn(stored: Uint8Array): ListedTags {
  const bytes = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  return Array.from({ length: stored.byteLength / 4 }, (_, index) => bytes.getUint32(index * 4, true));
}
