import { describe, expect, it } from "vitest";
import { evaluateWorkload } from "#app/evaluate";
import { rollOut } from "#app/rollout";
import { minutes, plus, seconds } from "#domain/time";
import type { RollOut } from "#domain/work";
import { lookoutByHand } from "./by-hand.ts";
import { api, host, installation, trackApi, worldWithApi } from "./world.ts";

const { signal } = new AbortController();

// The seeds are those of `npm run simulate` at the time; a change of the simulation gives them other histories.
describe("two deliveries of one roll-out at the same time", () => {
  it("do not hold what one of them has patched when the other finds a gate closed (seed 53205 of 150 events)", async () => {
    const world = await worldWithApi();
    const { cluster, registry, clock } = world;
    const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const digest = await world.push("shop/api", "1.1.0", { quietly: true });
    const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry });
    const { ports } = lookout;
    lookout.send({ command: "SyncCluster", id: "1", cluster: "prod" });
    await lookout.settle("RollOut");
    const { workload, uid, seq, version } = await lookout.record(key);
    const work: RollOut = { command: "RollOut", workload, uid, seq, version };
    let heard = (): void => undefined;
    const first: Promise<unknown> = new Promise<void>((resolve) => (heard = resolve));
    let landed = (): void => undefined;
    const patched = new Promise<void>((resolve) => (landed = resolve));
    const unheard = {
      ...cluster,
      patch: async (...asked: Parameters<typeof cluster.patch>) => {
        const outcome = await cluster.patch(...asked);
        landed();
        await first;
        return outcome;
      },
    };
    const clusters = { names: () => ["prod"], cluster: () => unheard };
    let second: Promise<unknown> = Promise.resolve();
    const quarantine = {
      ...ports.quarantine,
      among: async () => {
        second = rollOut(work, { ...ports, clusters }, signal);
        await patched;
        return [{ digest, why: "CVE", by: "ana", at: clock.now() }];
      },
    };
    await rollOut(work, { ...ports, quarantine }, signal);
    heard();
    await second;

    const { active, pending } = await lookout.record(key);
    expect([active?.status, pending]).toEqual(["rolling-out", undefined]);
  });
});

describe("a workload that is created again while someone finds it gone", () => {
  it("hears of pushes, although it was unsubscribed after that (seed 51547 of 150 events)", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    const { workload } = await lookout.record(key);
    const look = { command: "EvaluateWorkload", id: "watch-1", workload, because: "watch" } as const;
    lookout.cluster.remove(api);
    await evaluateWorkload(look, lookout.ports, signal);
    lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const { store } = lookout.ports;
    const late: typeof store = {
      ...store,
      write: async (record) => {
        await store.subscribe(workload, []);
        return store.write(record);
      },
    };
    await evaluateWorkload({ ...look, id: "watch-2" }, { ...lookout.ports, store: late }, signal);

    expect((await store.subscribers({ registry: host, repository: "shop/api" }, 10)).workloads).toEqual([key]);
  });
});

describe("two roll-outs of an update whose patch was never answered", () => {
  it("do not hold what one of them is sending, so that what does not run is taken back", async () => {
    const world = await worldWithApi();
    const { cluster, registry, clock } = world;
    const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    await world.push("shop/api", "1.1.0", { quietly: true, broken: true });
    const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry });
    const { ports } = lookout;
    const patch = cluster.patch.bind(cluster);
    cluster.patch = () => Promise.resolve({ kind: "unknown", detail: "the connection was lost" });
    lookout.send({ command: "SyncCluster", id: "1", cluster: "prod" });
    await lookout.pass(seconds(100));
    const { workload, uid, seq, version } = await lookout.record(key);
    const work: RollOut = { command: "RollOut", workload, uid, seq, version };
    let [sent, go] = [(): void => undefined, (): void => undefined];
    const sending = new Promise<void>((resolve) => (sent = resolve));
    const going = new Promise<void>((resolve) => (go = resolve));
    cluster.patch = async (...asked) => {
      sent();
      await going;
      return patch(...asked);
    };
    const first = rollOut(work, ports, signal);
    await sending;
    const at = clock.now();
    await ports.freezes.put({ scope: {}, by: "ana", why: "stocktaking", at, until: plus(at, minutes(20)) });
    await rollOut(work, ports, signal);
    go();
    await first;
    cluster.patch = patch;
    for (let minute = 0; minute < 40; minute += 1) {
      lookout.send({ command: "SyncCluster", id: String(clock.now()), cluster: "prod" });
      await lookout.pass(minutes(1));
    }

    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "rolled-back" });
    expect(world.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });
});
