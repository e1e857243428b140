import { beforeEach, describe, expect, it } from "vitest";
import { sweepDue, type SweepOutcome, sweepRepository } from "#app/detect/sweep-repository";
import type { Ports } from "#app/shared/ports";
import { type DurationMs, hours, minutes, plus, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import type { Registry } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import { api, begins, host, trackApi, type World, world, worldWithApi } from "../world.ts";

let lookout: World;

beforeEach(async () => {
  lookout = await worldWithApi();
});

const name = { registry: host, repository: "shop/api" };
const { signal } = new AbortController();

async function state(): Promise<RepositoryState | undefined> {
  return lookout.ports.repositories.read(name);
}

async function missed(): Promise<number | undefined> {
  return (await state())?.missed;
}

function sweepNow(ports: Partial<Ports> = {}): Promise<SweepOutcome> {
  const at = lookout.ports.clock.now();
  const command = { name: "SweepRepository", id: `sweep:${at}`, ...name, at } as const;
  return sweepRepository(command, { ...lookout.ports, ...ports }, signal);
}

function registryThat(answer: Awaited<ReturnType<Registry["tags"]>>): Partial<Ports> {
  return { registry: { ...lookout.ports.registry, tags: async () => answer } };
}

describe("a push without a notification", () => {
  it("is found by the sweep, runs, and is counted once", async () => {
    const key = await trackApi(lookout);

    const digest = await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.sweep();
    const foundAt = lookout.ports.clock.now();
    await lookout.pass(seconds(20));
    await lookout.sweep();
    const checkedAt = lookout.ports.clock.now();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "succeeded", source: "sweep" });
    expect(await state()).toEqual({ ...name, missed: 1, lastMissedAt: foundAt, firstSweptAt: foundAt, checkedAt });
    expect(lookout.failures).toEqual([]);
  });

  it("of a moved tag is found under the digest policy", async () => {
    const key = await trackApi(lookout, { "lookout.dev/policy": "digest" });

    const digest = await lookout.push("shop/api", "1.0.0", { quietly: true });
    await lookout.sweep();
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${digest}`);
    expect(await missed()).toBe(1);
  });

  it("of a tag that moves back ends the waiting update", async () => {
    const annotations = { "lookout.dev/policy": "digest", "lookout.dev/suspend": "true" };
    const key = await trackApi(lookout, annotations);
    const before = await lookout.ports.registry.resolve(name, "1.0.0", signal);
    await lookout.push("shop/api", "1.0.0");
    await lookout.settle();
    expect((await lookout.record(key)).pending).toBeDefined();

    lookout.registry.moveTag(host, "shop/api", "1.0.0", "digest" in before ? before.digest : "");
    await lookout.sweep();

    expect((await lookout.record(key)).pending).toBeUndefined();
    expect(await missed()).toBe(1);
  });

  it("is counted once while its update is held", async () => {
    const key = await trackApi(lookout, { "lookout.dev/maintenance-window": "22:00-23:00" });

    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.sweep();
    await lookout.pass(minutes(5));
    await lookout.sweep();

    expect((await lookout.record(key)).pending).toMatchObject({
      source: "sweep",
      waits: [{ reason: "window-closed" }],
    });
    expect(await missed()).toBe(1);
  });

  it("is counted once when its image does not run", async () => {
    await trackApi(lookout);

    await lookout.push("shop/api", "1.1.0", { quietly: true, broken: true });
    await lookout.sweep();
    await lookout.pass(minutes(1));
    await lookout.sweep();

    expect(await missed()).toBe(1);
  });

  it("is one event for all subscribers, on any number of pages", async () => {
    const keys = Array.from({ length: 120 }, (_, index) => {
      // Those of the last page want no other minor version.
      const range = index < 100 ? "^1" : "~1.0";
      const annotations = { "lookout.dev/suspend": "true", "lookout.dev/semver-range": range };
      const name = `api-${String(index).padStart(3, "0")}`;
      return lookout.deploy({ name, image: `${host}/shop/api:1.0.0`, annotations });
    });
    await lookout.sync();

    await lookout.push("shop/api", "1.1.0", { quietly: true });
    expect(await sweepNow()).toEqual({ kind: "swept", workloads: 120, eventsMissed: 1 });
    await lookout.settle();

    const held = (await lookout.ports.store.readMany(keys)).filter(({ pending }) => pending?.source === "sweep");
    expect(held).toHaveLength(100);
  });
});

describe("a sweep", () => {
  it("does not count a push with a notification as missed", async () => {
    await trackApi(lookout);

    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    await lookout.sweep();

    expect(await missed()).toBe(0);
  });

  it("does not count a push whose notification arrives after the first read", async () => {
    const key = await trackApi(lookout);
    const before = await lookout.record(key);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));
    const { store } = lookout.ports;
    const readMany: typeof store.readMany = async (keys, consistency) =>
      consistency === "may-be-stale" ? [before] : store.readMany(keys);

    expect(await sweepNow({ store: { ...store, readMany } })).toMatchObject({ kind: "nothing-new", eventsMissed: 0 });
  });

  it("writes no record", async () => {
    const key = await trackApi(lookout);
    const before = await lookout.record(key);
    await lookout.push("shop/api", "1.1.0", { quietly: true });

    await sweepNow();

    expect(await lookout.record(key)).toEqual(before);
  });

  it("counts nothing for a workload that will be evaluated anyway", async () => {
    const key = await trackApi(lookout);
    const record = await lookout.record(key);
    await lookout.ports.store.write({ ...record, version: record.version + 1, needsEvaluation: true });
    await lookout.push("shop/api", "1.1.0", { quietly: true });

    expect(await sweepNow()).toEqual({ kind: "nothing-new", workloads: 1, eventsMissed: 0 });
  });

  it("shows since when a registry can't be asked, and counts nothing for it", async () => {
    await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    lookout.registry.unreachable(host, true);

    await lookout.sweep();
    const since = lookout.ports.clock.now();
    await lookout.sweep();
    const at = lookout.ports.clock.now();
    const problem = { reason: "registry-unreachable", detail: `${host} could not be reached`, since, at };
    expect(await state()).toEqual({ ...name, missed: 0, firstSweptAt: since, problem });

    lookout.registry.unreachable(host, false);
    await lookout.sweep();
    expect(await state()).toMatchObject({ missed: 1 });
    expect(await state()).not.toHaveProperty("problem");
  });

  it("evaluates a workload again after a push during an outage, and counts nothing", async () => {
    const key = await trackApi(lookout);
    lookout.registry.unreachable(host, true);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect((await lookout.record(key)).selectionFailures).toMatchObject([{ reason: "registry-unreachable" }]);
    lookout.registry.unreachable(host, false);

    await lookout.sweep();
    await lookout.pass(seconds(20));

    const { selectionFailures, last } = await lookout.record(key);
    expect({ selectionFailures, last }).toMatchObject({
      selectionFailures: [],
      last: { status: "succeeded", source: "sweep" },
    });
    expect(await missed()).toBe(0);
  });

  it("clears an outage without a push from the record", async () => {
    const key = await trackApi(lookout);
    lookout.registry.unreachable(host, true);
    await lookout.ports.bus.publish([
      { name: "ImagePushed", id: "again", ...name, source: "hub", at: lookout.ports.clock.now() },
    ]);
    await lookout.settle();
    expect((await lookout.record(key)).selectionFailures).toHaveLength(1);
    await lookout.sweep();
    expect((await lookout.record(key)).selectionFailures).toHaveLength(1);
    lookout.registry.unreachable(host, false);

    await lookout.sweep();

    expect((await lookout.record(key)).selectionFailures).toEqual([]);
  });

  it("respects a pause of its repository, while other repositories of the registry are swept", async () => {
    await trackApi(lookout);
    await lookout.ports.repositories.write({ registry: host, repository: "shop/web", missed: 0 });
    const busy = { kind: "unreachable", detail: "answered 429: too many requests", retryAfterMs: 60_000 } as const;

    const now = lookout.ports.clock.now();
    expect(await sweepNow(registryThat(busy))).toEqual({
      kind: "swept",
      workloads: 1,
      eventsMissed: 0,
      problem: { reason: "registry-unreachable", detail: busy.detail, since: now, at: now, until: now + 60_000 },
    });
    expect(await sweepDue(lookout.ports)).toEqual({ kind: "sweeping", repositories: 1, leftAlone: 0 });
    await lookout.ports.repositories.write({ ...(await state())!, interval: minutes(1) });
    lookout.clock.turn(seconds(59));
    expect(await sweepDue(lookout.ports)).toMatchObject({ leftAlone: 1 });
    await lookout.pass(minutes(5));
    // The other repository has no workload, so its sweep dropped it.
    expect(await sweepDue(lookout.ports)).toEqual({ kind: "sweeping", repositories: 1, leftAlone: 0 });
  });

  it("rests during a pause of the whole registry", async () => {
    await trackApi(lookout);
    await lookout.ports.repositories.write({ registry: host, repository: "shop/web", missed: 0 });
    const now = lookout.ports.clock.now();
    const registry = { since: now, until: plus(now, minutes(2)), detail: "answered 429" };
    await lookout.ports.registryLimits.writePauses(host, { version: 1, registry, repositories: [] }, now);

    expect(await sweepDue(lookout.ports)).toEqual({ kind: "sweeping", repositories: 0, leftAlone: 2 });
    lookout.clock.turn(minutes(5));
    expect(await sweepDue(lookout.ports)).toEqual({ kind: "sweeping", repositories: 2, leftAlone: 0 });
  });

  it.each([
    { what: "five minutes, if the registry asks for hours", back: hours(0), rests: minutes(5) },
    { what: "no time after its clock was set back", back: hours(-48), rests: minutes(0) },
  ])("rests $what", async ({ back, rests }) => {
    await trackApi(lookout);
    const busy = { kind: "unreachable", detail: "answered 429: too many requests", retryAfterMs: hours(3) } as const;
    await sweepNow(registryThat(busy));
    lookout.clock.turn(back);
    const leftAlone = async () => {
      await lookout.ports.repositories.write({ ...(await state())!, interval: minutes(1) });
      const { leftAlone: count } = await sweepDue(lookout.ports);
      return count;
    };
    const rested: number[] = [];
    for (let minute = 0; minute < 7; minute += 1) {
      if ((await leftAlone()) > 0) rested.push(minute);
      lookout.clock.turn(minutes(1));
    }

    expect(Math.max(-1, ...rested)).toBeLessThan(rests / minutes(1));
    expect(rested.length > 0).toBe(rests > 0);
  });

  it("asks a new repository once when two schedules queued it", async () => {
    await trackApi(lookout);
    const asked = lookout.registry.calls.tags;

    await sweepDue(lookout.ports);
    await sweepDue(lookout.ports);
    await lookout.settle();

    expect(lookout.registry.calls.tags).toBe(asked + 1);
  });

  it("continues after the clock was set back", async () => {
    await trackApi(lookout);
    const tomorrow = plus(lookout.ports.clock.now(), hours(24));
    await lookout.ports.repositories.write({ ...name, missed: 0, firstSweptAt: tomorrow });
    await lookout.ports.repositories.writeTick(tomorrow);
    await lookout.pass(minutes(5));

    expect(await sweepNow()).toMatchObject({ kind: "nothing-new" });
    expect(await queuedWithin(5)).toBe(1);
  });

  it("without a finding stores only its time", async () => {
    await trackApi(lookout);
    await lookout.sweep();
    const before = await state();
    await lookout.pass(minutes(5));
    const written: RepositoryState[] = [];
    const write = async (found: RepositoryState) => void written.push(found);
    const repositories = { ...lookout.ports.repositories, write };

    expect(await sweepNow({ repositories })).toEqual({ kind: "nothing-new", workloads: 1, eventsMissed: 0 });

    expect(written).toEqual([{ ...before, checkedAt: lookout.ports.clock.now() }]);
  });

  it("stores its time later where writes cost, but at once after a problem", async () => {
    await trackApi(lookout);
    await lookout.sweep();
    const first = (await state())?.checkedAt;
    const repositories = { ...lookout.ports.repositories, checksLagAtMost: minutes(15) };
    const sweptAfter = async (pause: DurationMs): Promise<boolean> => {
      const before = (await state())?.checkedAt;
      await lookout.pass(pause);
      await sweepNow({ repositories });
      return (await state())?.checkedAt !== before;
    };

    expect(first).toBeDefined();
    expect([await sweptAfter(minutes(5)), await sweptAfter(minutes(5)), await sweptAfter(minutes(6))]).toEqual([
      false,
      false,
      true,
    ]);
    const swept = (await state())!;
    const problem = { reason: "registry-unreachable", detail: "away", since: begins, at: begins } as const;
    await repositories.write({ ...swept, problem });
    expect(await sweptAfter(minutes(1))).toBe(true);
    expect((await state())?.problem).toBeUndefined();
  });

  it("that a downtime missed runs once, at the next tick", async () => {
    await trackApi(lookout, { "lookout.dev/interval": "24h" });
    await lookout.sweep();
    await lookout.pass(hours(25));

    expect(await sweepDue(lookout.ports)).toMatchObject({ repositories: 1 });
    expect(await sweepDue(lookout.ports)).toMatchObject({ repositories: 0 });
  });

  it("that could not be queued is queued by the next tick", async () => {
    await trackApi(lookout);
    await lookout.sweep();
    await lookout.pass(minutes(5));
    const full = { ...lookout.ports.queues, send: async () => Promise.reject(new Error("the queue is full")) };

    await expect(sweepDue({ ...lookout.ports, queues: full })).rejects.toThrow("the queue is full");

    expect(await sweepDue(lookout.ports)).toMatchObject({ repositories: 1 });
  });

  it("that waited until the next sweep was due is skipped", async () => {
    await trackApi(lookout);
    const { clock } = lookout.ports;
    await lookout.sweep();
    const at = clock.now();
    await lookout.pass(minutes(5));

    const command = { name: "SweepRepository", id: `sweep:${at}`, ...name, at } as const;
    expect(await sweepRepository(command, lookout.ports, signal)).toEqual({ kind: "replaced" });
  });

  it("forgets a repository without subscribers", async () => {
    const key = await trackApi(lookout);
    const { workload } = await lookout.record(key);
    await lookout.ports.store.subscribe(workload, []);

    expect(await sweepNow()).toEqual({ kind: "dropped" });

    expect(await lookout.ports.repositories.list()).toEqual([]);
  });

  it("ends the subscription of an untracked workload if an earlier try failed", async () => {
    const key = await trackApi(lookout);
    const { workload } = await lookout.record(key);
    lookout.cluster.remove(api);
    await lookout.sync();
    await lookout.ports.store.subscribe(workload, [name]);
    await lookout.sweep();
    await lookout.sweep();

    expect(await lookout.ports.repositories.list()).toEqual([]);
  });

  it("keeps a repository that gets a subscriber during its deletion", async () => {
    const key = await trackApi(lookout);
    const { workload } = await lookout.record(key);
    const { repositories, store } = lookout.ports;
    await store.subscribe(workload, []);
    const forgetting = {
      ...repositories,
      forget: async () => {
        await store.subscribe(workload, [name]);
        await repositories.forget(name);
      },
    };

    await sweepNow({ repositories: forgetting });

    expect((await store.subscribers(name, 10)).workloads).toEqual([workloadKey(workload)]);
    expect(await repositories.list()).toEqual([{ ...name, missed: 0 }]);
  });
});

describe("the interval of a repository", () => {
  const intervalOf = async () => (await state())?.interval;

  it("is the shortest of its workloads' intervals, or the default", async () => {
    await trackApi(lookout, { "lookout.dev/interval": "1h" });
    await lookout.sweep();
    expect(await intervalOf()).toBe(hours(1));

    deployBeside("often", { "lookout.dev/interval": "2m" });
    await lookout.pass(seconds(2));
    await lookout.sync();
    expect(await intervalOf()).toBe(minutes(2));
    await lookout.sweep();
    expect(await intervalOf()).toBe(minutes(2));

    lookout.cluster.remove({ namespace: "shop", kind: "Deployment", name: "often" });
    deployBeside("usual", {});
    await lookout.sync();
    await lookout.sweep();
    expect(await intervalOf()).toBeUndefined();
  });

  it("is at least a minute, with a notice on the workload", async () => {
    const key = await trackApi(lookout, { "lookout.dev/interval": "5s" });
    await lookout.sweep();

    expect(await intervalOf()).toBe(minutes(1));
    expect((await lookout.record(key)).observed.annotations).toMatchObject({ "lookout.dev/interval": "5s" });
  });

  it("decides when the schedule sweeps it", async () => {
    await trackApi(lookout, { "lookout.dev/interval": "2m" });
    await lookout.sweep();

    expect(await queuedWithin(6)).toBe(3);
  });

  it("ignores workloads that may not use the registry", async () => {
    const registries = [{ name: host, host, namespaces: ["pay"] }];
    lookout = world({}, new Map(), [], { registryPolicy: "any", registries });
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    await trackApi(lookout, { "lookout.dev/interval": "1m" });
    await lookout.sweep();

    expect(await intervalOf()).toBeUndefined();
  });
});

/** Lets the schedule tick each minute; answers the number of sweeps that it queued. */
async function queuedWithin(ticks: number): Promise<number> {
  let queued = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    await lookout.pass(minutes(1));
    const { repositories } = await sweepDue(lookout.ports);
    await lookout.settle();
    queued += repositories;
  }
  return queued;
}

function deployBeside(name: string, annotations: Readonly<Record<string, string>>): void {
  lookout.deploy({ name, image: `${host}/shop/api:1.0.0`, annotations });
}
