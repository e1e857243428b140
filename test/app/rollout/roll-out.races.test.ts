import { describe, expect, it } from "vitest";
import { evaluateWorkload } from "#app/evaluate/evaluate-workload";
import { rollOut } from "#app/rollout/roll-out";
import { minutes } from "#domain/shared/time";
import type { RollOut } from "#domain/update/commands";
import { lookoutByHand } from "../by-hand.ts";
import { api, host, installation, trackApi, worldWithApi } from "../world.ts";

const { signal } = new AbortController();

// The seeds are those of `npm run simulate` at the time; a change of the simulation gives them other histories.
describe("two deliveries of one RollOut at the same time", () => {
  it("do not hold what one of them has patched when the other finds a closed gate (seed 53205 of 150 events)", async () => {
    const world = await worldWithApi();
    const { cluster, registry, clock } = world;
    const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const digest = await world.push("shop/api", "1.1.0", { quietly: true });
    const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry });
    const { ports } = lookout;
    lookout.send({ name: "SyncCluster", id: "1", cluster: "prod" });
    await lookout.settle("RollOut");
    const { workload, uid, seq, version } = await lookout.record(key);
    const command: RollOut = { name: "RollOut", workload, uid, seq, version };
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
        second = rollOut(command, { ...ports, clusters }, signal);
        await patched;
        return [{ digest, why: "CVE", by: "ana", at: clock.now() }];
      },
    };
    await rollOut(command, { ...ports, quarantine }, signal);
    heard();
    await second;

    const { active, pending } = await lookout.record(key);
    expect([active?.status, pending]).toEqual(["rolling-out", undefined]);
  });
});

describe("a workload that is created again while its deletion is handled", () => {
  it("receives pushes, although it was unsubscribed later (seed 51547 of 150 events)", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    const { workload } = await lookout.record(key);
    const look = { name: "EvaluateWorkload", id: "watch-1", workload, source: "watch" } as const;
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

describe("a refused patch after one without an answer", () => {
  it("is held with the reason of the refusal, and not retried for ever", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    let patches = 0;
    lookout.cluster.patch = () => {
      patches += 1;
      const refused = { kind: "denied-by-admission", detail: "images must be signed" } as const;
      return Promise.resolve(patches === 1 ? { kind: "unknown", detail: "the connection was lost" } : refused);
    };
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(10));

    const { active, pending } = await lookout.record(key);
    expect([active, pending?.waits.map(({ reason }) => reason)]).toEqual([undefined, ["denied-by-admission"]]);
    expect(patches).toBeLessThan(8);
  });
});
