import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { imageNameOf } from "#domain/image/reference";
import { type EpochMs, minutes } from "#domain/shared/time";
import type { RepositoryName } from "#ports/registry";
import type { Repositories, RepositoryState } from "#ports/repositories";
import type { DynamoTable } from "./client.ts";
import { asking } from "./errors.ts";
import type { ItemKey } from "./keys.ts";
import { queryPartition, readItem, readItems } from "./reads.ts";
import { putItem, putNewItem } from "./writes.ts";

const putsAtOnce = 10;

function repositoryStateKey(repository: string): ItemKey {
  return { pk: "REPOSITORIES", sk: repository };
}

const sweepTickKey: ItemKey = { pk: "TICKS", sk: "SWEEP" };

/**
 * Returns the store of repositories that have a subscriber, with the results of their sweeps. All
 * repositories are in one partition.
 */
export function dynamoRepositories(where: DynamoTable): Repositories {
  const { client, table } = where;
  return {
    checksLagAtMost: minutes(30),

    async list() {
      const items = await queryPartition(where, { pk: repositoryStateKey("").pk }, "listing the repositories");
      return items.map(({ state }) => state as RepositoryState);
    },

    async read(name) {
      const text = imageNameOf(name);
      const item = await readItem(where, repositoryStateKey(text), `reading the state of ${text}`);
      return item?.state as RepositoryState | undefined;
    },

    async write(state) {
      const text = imageNameOf(state);
      await putItem(where, { ...repositoryStateKey(text), state }, `storing the state of ${text}`);
    },

    async forget(name) {
      const text = imageNameOf(name);
      const key = { ...repositoryStateKey(text) };
      await asking(`deleting the state of ${text}`, () =>
        client.send(new DeleteCommand({ TableName: table, Key: key })),
      );
    },

    async lastTick() {
      const item = await readItem(where, sweepTickKey, "reading the last tick of sweeps");
      return item?.at as EpochMs | undefined;
    },

    async writeTick(at) {
      await putItem(where, { ...sweepTickKey, at }, "storing the last tick of sweeps");
    },
  };
}

/**
 * Adds repositories to the list of repositories. The function reads the list first to save writes,
 * because thousands of workloads may share a repository.
 */
export async function enterRepositories(where: DynamoTable, names: readonly RepositoryName[]): Promise<void> {
  const keys = names.map((name) => repositoryStateKey(imageNameOf(name)));
  const listed = new Set((await readItems(where, keys, "reading the list of repositories")).map(({ sk }) => sk));
  const missing = names.filter((name) => !listed.has(imageNameOf(name)));
  await pLimit(putsAtOnce).map(missing, (name) => enterRepository(where, name));
}

async function enterRepository(where: DynamoTable, name: RepositoryName): Promise<void> {
  const text = imageNameOf(name);
  const state = { registry: name.registry, repository: name.repository, missed: 0 } satisfies RepositoryState;
  await putNewItem(where, { ...repositoryStateKey(text), state }, `adding ${text} to the list of repositories`);
}
