import pLimit from "p-limit";
import * as z from "zod/mini";
import { imageNameOf } from "#domain/image/reference";
import { type DurationMs, type EpochMs } from "#domain/shared/time";
import type { ItemKey, Items } from "#ports/items";
import type { RegistryReason, RepositoryName } from "#ports/registry";
import type { Repositories, RepositoryState } from "#ports/repositories";
import { itemOf, type Kind, type Storage, valueOf, valuesOf } from "./kind.ts";
import { anyText, count, duration, imageName, instant, maybe, type Members, reason, yes } from "./shape.ts";
import { put, putIf } from "./writes.ts";

/** The kind of the states of repositories. */
export const repositoryKind: Kind<RepositoryState> = {
  name: "state of a repository",
  form: 1,
  shape: z.object({
    registry: anyText,
    repository: imageName,
    firstSweptAt: maybe(instant),
    interval: maybe(duration),
    missed: count,
    lastMissedAt: maybe(instant),
    followsMoves: maybe(yes),
    listedAt: maybe(instant),
    checkedAt: maybe(instant),
    problem: maybe(
      z.object({
        reason: reason as z.ZodMiniType<RegistryReason>,
        detail: anyText,
        since: instant,
        at: instant,
        until: maybe(instant),
      } satisfies Members<NonNullable<RepositoryState["problem"]>>),
    ),
  } satisfies Members<RepositoryState>),
  isAt: (state, { sk }) => imageNameOf(state) === sk,
};

/** The kind of the last tick of sweeps. */
export const tickKind: Kind<EpochMs> = {
  name: "last tick of sweeps",
  form: 1,
  shape: instant,
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
    list: async () => valuesOf(repositoryKind, await items.query({ pk }, "listing the repositories"), storage),
    async read(name) {
      const item = await items.get(keyOf(name), `reading the state of ${imageNameOf(name)}`);
      return item && valueOf(repositoryKind, item);
    },
    write: (state) =>
      put(items, itemOf(repositoryKind, keyOf(state), state), `storing the state of ${imageNameOf(state)}`),
    async forget(name) {
      await items.write([{ kind: "remove", key: keyOf(name) }], `deleting the state of ${imageNameOf(name)}`);
    },
    async lastTick() {
      const item = await items.get(tickKey, "reading the last tick of sweeps");
      // The next tick replaces a tick that can't be read.
      return item && valuesOf(tickKind, [item], storage)[0];
    },
    writeTick: (at) => put(items, itemOf(tickKind, tickKey, at), "storing the last tick of sweeps"),
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
    const item = itemOf(repositoryKind, keyOf(name), { registry, repository, missed: 0 });
    return putIf(items, item, { kind: "absent" }, `adding ${imageNameOf(name)} to the list of repositories`);
  });
}
