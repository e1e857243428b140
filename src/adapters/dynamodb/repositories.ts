import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { repositoryKey } from "#domain/image/reference";
import type { RepositoryName } from "#ports/registry";
import type { Repositories, RepositoryState } from "#ports/repositories";
import type { DynamoTable } from "./client.ts";
import { asking, putIf } from "./errors.ts";
import { repositoryStateKey } from "./keys.ts";
import { queryPartition, readItem, readItems } from "./reads.ts";

/** How many repositories are entered at the same time. */
const putsAtOnce = 10;

/** The repositories that anyone is subscribed to, in one partition. */
export function dynamoRepositories(where: DynamoTable): Repositories {
  const { client, table } = where;
  return {
    async list() {
      const items = await queryPartition(where, { pk: repositoryStateKey("").pk }, "listing the repositories");
      return items.map(({ state }) => state as RepositoryState);
    },

    async read(name) {
      const text = repositoryKey(name);
      const item = await readItem(where, repositoryStateKey(text), `reading the state of ${text}`);
      return item?.state as RepositoryState | undefined;
    },

    async write(state) {
      const text = repositoryKey(state);
      const item = { ...repositoryStateKey(text), state };
      await asking(`storing the state of ${text}`, () => client.send(new PutCommand({ TableName: table, Item: item })));
    },

    async forget(name) {
      const text = repositoryKey(name);
      const key = { ...repositoryStateKey(text) };
      await asking(`forgetting ${text}`, () => client.send(new DeleteCommand({ TableName: table, Key: key })));
    },
  };
}

/** Lists repositories that are not listed yet. Reads first: thousands of workloads of one repository would all write its item. */
export async function enterRepositories(where: DynamoTable, names: readonly RepositoryName[]): Promise<void> {
  const keys = names.map((name) => repositoryStateKey(repositoryKey(name)));
  const listed = new Set((await readItems(where, keys, "looking for repositories")).map(({ sk }) => sk));
  const missing = names.filter((name) => !listed.has(repositoryKey(name)));
  await pLimit(putsAtOnce).map(missing, (name) => enterRepository(where, name));
}

/** What someone else has entered, or a sweep written, meanwhile stays as it is. */
async function enterRepository({ client, table }: DynamoTable, name: RepositoryName): Promise<void> {
  const text = repositoryKey(name);
  const state = { registry: name.registry, repository: name.repository, missed: 0 } satisfies RepositoryState;
  const put = new PutCommand({
    TableName: table,
    Item: { ...repositoryStateKey(text), state },
    ConditionExpression: "attribute_not_exists(#pk)",
    ExpressionAttributeNames: { "#pk": "pk" },
  });
  await putIf(`listing ${text}`, () => client.send(put));
}
