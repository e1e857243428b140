import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { imageNameOf } from "#domain/image/reference";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { RepositoryName } from "#ports/registry";
import type { SubscriberPage } from "#ports/store";
import type { DynamoTable, TransactionPart } from "./client.ts";
import { putIf } from "./errors.ts";
import { type ItemKey, workloadPartition } from "./keys.ts";
import { queryPartition, readItem } from "./reads.ts";
import { enterRepositories } from "./repositories.ts";

/** Returns the key of a repository's subscriber. */
function subscriberKey(repository: string, workload: string): ItemKey {
  return { pk: `SUBSCRIBERS#${repository}`, sk: workload };
}

/** Returns the key of the list of a workload's repositories. */
function subscriptionsKey(workload: string): ItemKey {
  return { pk: workloadPartition(workload), sk: "SUBSCRIPTIONS" };
}

interface Subscriptions {
  /** The number of times that this list was written. Zero means that no list is stored. */
  readonly revision: number;
  readonly repositories: readonly string[];
}

/** A transaction allows 100 items, and one item is the list itself. */
const changesPerTransaction = 99;
const rounds = 20;

/**
 * Makes a workload a subscriber of exactly these repositories, and adds them to the list of
 * repositories.
 *
 * The list of repositories is written last. A sweep that removes a repository from this list then
 * reads the subscribers again, and finds the new subscriber.
 */
export async function subscribe(
  where: DynamoTable,
  workload: WorkloadName,
  repositories: readonly RepositoryName[],
): Promise<void> {
  await changeUntilSo(where, workload, repositories);
  await enterRepositories(where, repositories);
}

/** Changes the list and the rows together, 99 rows at a time. */
async function changeUntilSo(
  where: DynamoTable,
  workload: WorkloadName,
  repositories: readonly RepositoryName[],
): Promise<void> {
  const key = workloadKey(workload);
  const wanted = new Set(repositories.map(imageNameOf));
  for (let round = 0; round < rounds; round++) {
    const stored = await readSubscriptions(where, key);
    const had = new Set(stored.repositories);
    const added = [...wanted].filter((repository) => !had.has(repository));
    const dropped = [...had].filter((repository) => !wanted.has(repository));
    const now = [...added, ...dropped].slice(0, changesPerTransaction);
    if (now.length === 0) return;
    await changeSubscriptions(where, key, stored, now);
  }
  throw new TransientError(`other functions changed the subscriptions of ${key} ${rounds} times: try again`);
}

/**
 * Returns the subscribers of a repository. One subscriber more than `limit` is read, to know
 * whether there is a next page.
 */
export async function subscribers(
  where: DynamoTable,
  name: RepositoryName,
  limit: number,
  after: string | undefined,
): Promise<SubscriberPage> {
  const imageName = imageNameOf(name);
  const items = await queryPartition(
    where,
    { pk: subscriberKey(imageName, "").pk, limit: limit + 1, ...(after !== undefined && { after }) },
    `listing the subscribers of ${imageName}`,
  );
  const workloads = items.slice(0, limit).map((item) => String(item.sk));
  const last = workloads.at(-1);
  return items.length > limit && last !== undefined ? { workloads, next: last } : { workloads };
}

async function readSubscriptions(where: DynamoTable, key: string): Promise<Subscriptions> {
  const item = await readItem(where, subscriptionsKey(key), `reading the subscriptions of ${key}`);
  return item ? (item as unknown as Subscriptions) : { revision: 0, repositories: [] };
}

/**
 * Adds the changed repositories that the list lacks, and removes the changed repositories that it
 * has. Writes nothing if another function changed the list.
 */
async function changeSubscriptions(
  { client, table }: DynamoTable,
  key: string,
  stored: Subscriptions,
  changed: readonly string[],
): Promise<void> {
  const had = new Set(stored.repositories);
  const repositories = [...had.symmetricDifference(new Set(changed))].sort();
  const list: TransactionPart = {
    Put: {
      TableName: table,
      Item: { ...subscriptionsKey(key), revision: stored.revision + 1, repositories },
      ConditionExpression: stored.revision === 0 ? "attribute_not_exists(#revision)" : "#revision = :revision",
      ExpressionAttributeNames: { "#revision": "revision" },
      ...(stored.revision > 0 && { ExpressionAttributeValues: { ":revision": stored.revision } }),
    },
  };
  const rows = changed.map((repository): TransactionPart => {
    const row = { ...subscriberKey(repository, key) };
    return had.has(repository) ? { Delete: { TableName: table, Key: row } } : { Put: { TableName: table, Item: row } };
  });
  await putIf(`subscribing ${key}`, () => client.send(new TransactWriteCommand({ TransactItems: [list, ...rows] })));
}
