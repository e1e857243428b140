import { beforeEach, describe, expect, it } from "vitest";
import { syncCluster } from "#app/detect/sync-cluster";
import { minutes, seconds } from "#domain/shared/time";
import type { Cluster } from "#ports/cluster";
import { host, type World, world } from "../world.ts";

let lookout: World;
let keys: readonly string[];

beforeEach(async () => {
  lookout = world();
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  keys = Array.from({ length: 50 }, (_, index) =>
    lookout.deploy({ name: `w${String(index).padStart(2, "0")}`, image: `${host}/shop/api:1.0.0` }),
  );
  await lookout.pass(seconds(2));
  await lookout.sync();
});

const minutesPass = async (count: number): Promise<void> => {
  for (let minute = 0; minute < count; minute += 1) {
    await lookout.pass(minutes(1));
    await lookout.sync();
    await lookout.reap();
  }
};
const records = () => Promise.all(keys.map((key) => lookout.record(key)));

describe("a cluster that is no longer configured", () => {
  it("has its workloads untracked with few writes", async () => {
    const before = await records();
    Object.assign(lookout.ports.clusters, { names: () => [], cluster: () => undefined });

    await lookout.push("shop/api", "1.1.0");
    await minutesPass(2);
    expect(await records()).toEqual(before);
    expect(lookout.facts.filter(({ name }) => name === "UpdateHeld")).toEqual([]);
    await minutesPass(6);

    const after = await records();
    expect(after.map(({ tracked }) => tracked)).toEqual(keys.map(() => false));
    expect(after.every(({ version }, index) => version - (before[index]?.version ?? 0) <= 2)).toBe(true);
    expect(await lookout.ports.store.due(lookout.ports.clock.now(), 100)).toEqual([]);
  });

  it.each(["at rest", "held", "on its way"])(
    "is removed with a workload that is %s, and asks no registry",
    async (how) => {
      if (how === "on its way") {
        await lookout.push("shop/api", "1.1.0");
        await lookout.pass(seconds(3));
      }
      Object.assign(lookout.ports.clusters, { names: () => [], cluster: () => undefined });
      if (how === "held") await lookout.push("shop/api", "1.1.0");
      await minutesPass(8);
      await lookout.sweep();
      await lookout.sweep();

      expect(new Set((await records()).map(({ tracked }) => tracked))).toEqual(new Set([false]));
      expect(await lookout.ports.repositories.list()).toEqual([]);
    },
  );
});

describe("a cluster that is configured again after a while", () => {
  it("gets a pushed image within minutes", async () => {
    const configured = { ...lookout.ports.clusters };
    Object.assign(lookout.ports.clusters, { names: () => [], cluster: () => undefined });
    const digest = await lookout.push("shop/api", "1.1.0");
    await minutesPass(20);
    Object.assign(lookout.ports.clusters, configured);
    await minutesPass(3);

    expect(new Set(keys.map((key) => lookout.image(key)))).toEqual(new Set([`${host}/shop/api:1.1.0@${digest}`]));
  });
});

describe("a synced cluster that one function does not know yet", () => {
  it("keeps its workloads", async () => {
    const before = await records();
    Object.assign(lookout.ports.clusters, { names: () => [], cluster: () => undefined });
    for (const { workload } of before)
      await lookout.ports.queues.send([{ command: { name: "EvaluateWorkload", id: "s", workload, source: "sync" } }]);
    await lookout.settle();

    expect(await records()).toEqual(before);
  });
});

describe("an unreachable cluster", () => {
  it("causes no writes, and settles on the newest image within minutes of its return", async () => {
    lookout.cluster.unreachable(true);
    await minutesPass(1);
    await lookout.push("shop/api", "1.1.0");
    await lookout.push("shop/api", "1.2.0");
    await minutesPass(10);
    const before = await records();
    await minutesPass(180);
    const after = await records();
    expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version));
    expect(new Set(after.flatMap(({ pending }) => pending?.waits.map(({ reason }) => reason)))).toEqual(
      new Set(["cluster-unreachable"]),
    );

    const digest = await lookout.push("shop/api", "1.3.0");
    lookout.cluster.unreachable(false);
    await minutesPass(5);

    expect(new Set(keys.map((key) => lookout.image(key)))).toEqual(new Set([`${host}/shop/api:1.3.0@${digest}`]));
    expect(new Set((await records()).map(({ last }) => last?.status))).toEqual(new Set(["succeeded"]));
    expect(await lookout.ports.store.slots("prod")).toEqual([]);
    expect(after[0]?.seq).toBeLessThanOrEqual(2);
  });

  it("has its unsynced workloads evaluated soon after its return", async () => {
    const [record] = await records();
    lookout.cluster.unreachable(true);
    await minutesPass(1);
    const command = {
      name: "EvaluateWorkload",
      id: "looked",
      workload: record!.workload,
      source: "sweep",
    } as const;
    await lookout.ports.queues.send([{ command }]);
    await minutesPass(150);
    const digest = await lookout.push("shop/api", "1.1.0", { quietly: true });
    lookout.cluster.unreachable(false);
    await minutesPass(5);

    expect(lookout.image(keys[0]!)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("is retried without waiting for the pause of a failed try", async () => {
    const [key = ""] = keys;
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    lookout.cluster.patch = () => Promise.resolve({ kind: "denied", detail: "patch deployments (403)" });
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));
    lookout.cluster.unreachable(true);
    await minutesPass(1);
    expect((await lookout.record(key)).pending?.waits.map(({ reason }) => reason)).toEqual(["cluster-denied"]);
    lookout.cluster.patch = patch;
    lookout.cluster.unreachable(false);
    await minutesPass(1);

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });
});

describe("a sync with an unexpected error", () => {
  it.each(["identity", "list"] as const)(
    "is the cluster's problem, without its message, until %s answers",
    async (call) => {
      const { ports, cluster } = lookout;
      const broken = { ...cluster, [call]: () => Promise.reject(new TypeError("hunter2")) };
      const look = (asked: Cluster) =>
        syncCluster(
          { name: "SyncCluster", id: "sync-1", cluster: "prod" },
          { ...ports, clusters: { names: () => ["prod"], cluster: () => asked } },
          new AbortController().signal,
        );

      await expect(look(broken)).rejects.toThrow(TypeError);

      const at = ports.clock.now();
      expect((await ports.clusterStates.read("prod"))?.problem).toEqual({
        reason: "cluster-unreachable",
        detail: "Lookout failed while it synced the cluster (TypeError). See the log of Lookout.",
        since: at,
        at,
      });
      expect((await look(cluster)).kind).toBe("synced");
      expect((await ports.clusterStates.read("prod"))?.problem).toBeUndefined();
    },
  );

  it("has an age as long as no sync ends", async () => {
    const { store, clusterStates, clock } = lookout.ports;
    Object.assign(store, { workloadIndex: () => Promise.reject(new TypeError("the workload index can't be read")) });
    for (let minute = 0; minute < 70; minute += 1) {
      lookout.clock.turn(minutes(1));
      const command = { name: "SyncCluster", id: String(clock.now()), cluster: "prod" } as const;
      await syncCluster(command, lookout.ports, new AbortController().signal).catch(() => undefined);
    }

    const { answeredAt, lastSyncAt = 0 } = (await clusterStates.read("prod")) ?? {};
    expect(answeredAt).toBe(clock.now());
    expect(clock.now() - lastSyncAt).toBeGreaterThan(minutes(9));
  });
});
