import { describe, expect, it } from "vitest";
import { syncCluster } from "#app/detect/sync-cluster";
import { reap } from "#app/gate/reap";
import { minutes, seconds } from "#domain/shared/time";
import { type ByHand, lookoutByHand } from "../by-hand.ts";
import { api, movedFrom, withoutClusters } from "../moved.ts";
import { host, installation, trackApi, type World, worldWithApi } from "../world.ts";

/** The functions of a Lookout that is deployed while it works. */
function deployed({ cluster, registry, clock }: World): ByHand {
  return lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry });
}

/** As the schedules do. */
async function minutesPass(lookout: ByHand, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    lookout.send({ name: "SyncCluster", id: String(lookout.ports.clock.now()), cluster: "prod" });
    await reap(lookout.ports);
    await lookout.pass(minutes(1));
  }
}

describe("a cluster that only some functions know", () => {
  it.each([
    { before: "EvaluateWorkload", status: undefined },
    { before: "RollOut", status: "released" },
    { before: "CheckRollout", status: "rolling-out" },
  ] as const)("gets a pushed image within minutes, also if $before comes too early", async ({ before, status }) => {
    const world = await worldWithApi();
    const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const digest = await world.push("shop/api", "1.1.0", { quietly: true });
    const lookout = deployed(world);
    lookout.send({ name: "SyncCluster", id: "1", cluster: "prod" });
    await lookout.settle(before);
    expect((await lookout.ports.store.read(key))?.active?.status).toBe(status);
    const configure = withoutClusters(lookout);
    await lookout.pass(seconds(40));
    configure("2");
    await minutesPass(lookout, 2);

    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "succeeded" });
    expect(world.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("gets a pushed image without a hold, although no sync failed", async () => {
    const world = await worldWithApi();
    const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const lookout = deployed(world);
    await minutesPass(lookout, 1);
    const configure = withoutClusters(lookout);
    const digest = await world.push("shop/api", "1.1.0", { quietly: true });
    await lookout.tell({ id: "push-1", ...api, tags: ["1.1.0"], digest });
    await lookout.pass(seconds(10));
    expect((await lookout.record(key)).pending).toBeUndefined();
    configure("2");
    await minutesPass(lookout, 2);

    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "succeeded" });
  });
});

describe("a cluster that is added again within the hour", () => {
  it("has its workloads tracked by the first sync, although none of them changed", async () => {
    const world = await worldWithApi();
    const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const lookout = deployed(world);
    await minutesPass(lookout, 1);
    const configure = withoutClusters(lookout);
    await lookout.pass(minutes(6));
    const { workload } = await lookout.record(key);
    lookout.send({ name: "EvaluateWorkload", id: "start", workload, source: "start" });
    await lookout.settle();
    expect((await lookout.record(key)).tracked).toBe(false);
    configure("2");
    await lookout.settle();

    expect((await lookout.record(key)).tracked).toBe(true);
  });
});

/** Has patches land, and nobody know it. */
function losingAnswers({ ports: { clusters } }: Pick<ByHand, "ports">): void {
  const cluster = clusters.cluster("prod")!;
  const patch = cluster.patch.bind(cluster);
  cluster.patch = async (...asked) => {
    await patch(...asked);
    return { kind: "unknown", detail: "the connection was lost" };
  };
  Object.assign(clusters, { cluster: () => cluster });
}

describe("a landed patch without an answer", () => {
  it("is watched and rolled back, although the next run does not know the cluster", async () => {
    const world = await worldWithApi();
    const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    await world.push("shop/api", "1.1.0", { quietly: true, broken: true });
    const lookout = deployed(world);
    losingAnswers(lookout);
    lookout.send({ name: "SyncCluster", id: "1", cluster: "prod" });
    await lookout.settle();
    const configure = withoutClusters(lookout);
    await lookout.pass(seconds(20));
    expect((await lookout.record(key)).active?.status).toBe("patching");
    configure("2");
    await minutesPass(lookout, 20);

    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "rolled-back" });
  });

  it("is not watched after an import, and is no revert by a user", async () => {
    const world = await worldWithApi();
    const key = await trackApi(world);
    losingAnswers(world);
    await world.push("shop/api", "1.1.0", { broken: true });
    await world.settle();
    const other = await movedFrom(
      world,
      (row) => row,
      () => Promise.resolve(),
    );
    const configure = withoutClusters(other);
    for (let minute = 0; minute < 200; minute += 1) {
      await reap(other.ports);
      await other.pass(minutes(1));
    }
    configure("2");
    await minutesPass(other, 20);

    const { active, hold, blocked, last } = await other.record(key);
    expect([active, hold, blocked]).toEqual([undefined, undefined, []]);
    expect(last).toMatchObject({ seq: 1, status: "superseded", reason: "imported" });
  });
});

describe("an update whose function does not know the cluster", () => {
  it("is retried every minute, and not more often with time", async () => {
    const world = await worldWithApi();
    world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    await world.push("shop/api", "1.1.0", { quietly: true });
    const lookout = deployed(world);
    lookout.send({ name: "SyncCluster", id: "1", cluster: "prod" });
    await lookout.settle("RollOut");
    const { queues, clusters, clock } = lookout.ports;
    const known = { ...clusters };
    const sent: string[] = [];
    const send = queues.send.bind(queues);
    queues.send = (sendings) => {
      sent.push(...sendings.map(({ command }) => command.name));
      return send(sendings);
    };
    const counts: number[] = [];
    for (let minute = 0; minute < 60; minute += 1) {
      const command = { name: "SyncCluster", id: String(clock.now()), cluster: "prod" } as const;
      await syncCluster(command, { ...lookout.ports, clusters: known }, new AbortController().signal);
      withoutClusters(lookout);
      sent.length = 0;
      await reap(lookout.ports);
      await lookout.pass(minutes(1));
      counts.push(sent.filter((command) => command === "RollOut").length);
    }

    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  });
});
