import pLimit from "p-limit";
import { imageNameOf } from "#domain/image/reference";
import { type DurationMs, type EpochMs, epochMs } from "#domain/shared/time";
import type { ItemKey, Items } from "#ports/items";
import type { RepositoryName } from "#ports/registry";
import type { Repositories, RepositoryState } from "#ports/repositories";
import { ok, problem } from "#domain/shared/result";
import { itemOf, type Kind, objectWith, type Storage, valueOf, valuesOf } from "./kind.ts";
import { put, putIf } from "./writes.ts";

/** The state of a repository. */
export const kind: Kind<RepositoryState> = {
  name: "state of a repository",
  form: 1,
  read: objectWith({ registry: "string", repository: "string", missed: "number" }),
};

/** The last tick of the sweeps. */
export const ticks: Kind<EpochMs> = {
  name: "last tick of sweeps",
  form: 1,
  read: (value) => (typeof value === "number" ? ok(epochMs(value)) : problem("it is not a number")),
};

/** All repositories share a partition, so that one query lists them. */
const pk = "REPOSITORIES";
const tickKey: ItemKey = { pk: "TICKS", sk: "SWEEP" };
const putsAtOnce = 10;

function keyOf(name: RepositoryName): ItemKey {
  return { pk, sk: imageNameOf(name) };
}

/** Returns the store of repositories that have a subscriber, with the results of their sweeps. */
export function storedRepositories(storage: Storage, checksLagAtMost: DurationMs): Repositories {
  const { items } = storage;
  return {
    checksLagAtMost,
    list: async () => valuesOf(kind, await items.query({ pk }, "listing the repositories"), storage),
    async read(name) {
      const item = await items.get(keyOf(name), `reading the state of ${imageNameOf(name)}`);
      return item && valueOf(kind, item);
    },
    write: (state) => put(items, itemOf(kind, keyOf(state), state), `storing the state of ${imageNameOf(state)}`),
    async forget(name) {
      await items.write([{ kind: "remove", key: keyOf(name) }], `deleting the state of ${imageNameOf(name)}`);
    },
    async lastTick() {
      const item = await items.get(tickKey, "reading the last tick of sweeps");
      // The next tick replaces a tick that can't be read.
      return item && valuesOf(ticks, [item], storage)[0];
    },
    writeTick: (at) => put(items, itemOf(ticks, tickKey, at), "storing the last tick of sweeps"),
  };
}

/**
 * Adds repositories to the list of repositories. The function reads the list first to save writes,
 * because thousands of workloads may share a repository.
 */
export async function enterRepositories(items: Items, names: readonly RepositoryName[]): Promise<void> {
  const found = await items.getMany(names.map(keyOf), "reading the list of repositories");
  const listed = new Set(found.map(({ sk }) => sk));
  const missing = names.filter((name) => !listed.has(imageNameOf(name)));
  await pLimit(putsAtOnce).map(missing, (name) => {
    const { registry, repository } = name;
    const item = itemOf(kind, keyOf(name), { registry, repository, missed: 0 });
    return putIf(items, item, { kind: "absent" }, `adding ${imageNameOf(name)} to the list of repositories`);
  });
}
