import { beforeEach, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { RepositoryName } from "#ports/registry";
import type { Repositories, RepositoryState } from "#ports/repositories";
import type { WorkloadStore } from "#ports/store";
import { deployment, start } from "./records.ts";

/** One empty table, with the two ports that share it. */
export interface RepositoriesBed {
  readonly store: WorkloadStore;
  readonly repositories: Repositories;
}

const named = (repository: string, registry = "registry.test"): RepositoryName => ({ registry, repository });
const fresh = (name: RepositoryName): RepositoryState => ({ ...name, missed: 0 });

const swept: RepositoryState = {
  ...named("shop/api"),
  firstSweptAt: start,
  checkedAt: epochMs(start - 30_000),
  missed: 2,
  lastMissedAt: epochMs(start - 60_000),
  problem: {
    reason: "registry-unreachable",
    detail: "registry.test answered 429",
    since: start,
    at: start,
    until: epochMs(start + 30_000),
  },
};

/** What every list of repositories does, whatever keeps it. */
export function repositoriesContract(makeBed: () => Promise<RepositoriesBed>): void {
  let { store, repositories }: Partial<RepositoriesBed> = {};
  const opened = (): RepositoriesBed => ({ store: store!, repositories: repositories! });
  beforeEach(async () => {
    ({ store, repositories } = await makeBed());
  });

  it("subscribed repositories are listed once, by name, as never swept", async () => {
    const { store, repositories } = opened();
    await store.subscribe(deployment("web"), [named("shop/web"), named("base", "a.test:5000")]);
    await store.subscribe(deployment("api"), [named("shop/api"), named("shop/web")]);

    expect(await repositories.list()).toEqual([
      fresh(named("base", "a.test:5000")),
      fresh(named("shop/api")),
      fresh(named("shop/web")),
    ]);
    expect(await repositories.read(named("shop/api"))).toEqual(fresh(named("shop/api")));
    expect(await repositories.read(named("shop/other"))).toBeUndefined();
  });

  it("a repository without subscribers is kept until it is removed", async () => {
    const { store, repositories } = opened();
    await store.subscribe(deployment("api"), [named("shop/api")]);
    await store.subscribe(deployment("api"), []);
    expect(await repositories.list()).toEqual([fresh(named("shop/api"))]);

    await repositories.forget(named("shop/api"));
    await repositories.forget(named("shop/api"));

    expect(await repositories.list()).toEqual([]);
    expect(await repositories.read(named("shop/api"))).toBeUndefined();
  });

  it("the last written state of a repository is read whole, also after new subscriptions", async () => {
    const { store, repositories } = opened();
    await store.subscribe(deployment("api"), [named("shop/api")]);
    await repositories.write(swept);
    await store.subscribe(deployment("web"), [named("shop/api")]);
    expect(await repositories.list()).toEqual([swept]);

    const better: RepositoryState = { ...named("shop/api"), firstSweptAt: start, missed: 2 };
    await repositories.write(better);
    expect(await repositories.read(named("shop/api"))).toEqual(better);
  });

  it("a removed repository is listed again after a written state or a subscription", async () => {
    const { store, repositories } = opened();
    await store.subscribe(deployment("api"), [named("shop/api")]);
    await repositories.forget(named("shop/api"));
    await store.subscribe(deployment("api"), [named("shop/api")]);
    expect(await repositories.list()).toEqual([fresh(named("shop/api"))]);

    await repositories.forget(named("shop/api"));
    await repositories.write(swept);
    expect(await repositories.list()).toEqual([swept]);
  });

  it("the last stored tick is read, and none before the first", async () => {
    const { repositories } = opened();
    expect(await repositories.lastTick()).toBeUndefined();

    await repositories.writeTick(start);
    await repositories.writeTick(epochMs(start + 60_000));

    expect(await repositories.lastTick()).toBe(start + 60_000);
    expect(await repositories.list()).toEqual([]);
  });

  it("a repository with concurrent subscriptions is listed once", async () => {
    const { store, repositories } = opened();
    const names = Array.from({ length: 20 }, (_, index) => `w${String(index)}`);

    await Promise.all(names.map((name) => store.subscribe(deployment(name), [named("shop/base"), named(name)])));

    expect((await repositories.list()).map(({ repository }) => repository)).toEqual(["shop/base", ...names].sort());
  });
}
