import { describe, expect, it } from "vitest";
import { evaluateWorkload } from "#app/evaluate/evaluate-workload";
import { rollOut } from "#app/rollout/roll-out";
import { minutes, seconds } from "#domain/shared/time";
import type { RollOut } from "#domain/update/commands";
import type { BuiltInKind } from "#domain/workload/kinds";
import type { Cluster } from "#ports/cluster";
import { lookoutByHand } from "../by-hand.ts";
import { api, host, installation, trackApi, worldWithApi } from "../world.ts";

const { signal } = new AbortController();

/** A released update, and its command. */
async function released(kind: BuiltInKind) {
  const world = await worldWithApi();
  const { cluster, registry, clock } = world;
  const key = world.deploy({ name: "db", kind, image: `${host}/shop/api:1.0.0` });
  const digest = await world.push("shop/api", "1.1.0", { quietly: true });
  const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry });
  lookout.send({ name: "SyncCluster", id: "1", cluster: "prod" });
  await lookout.settle("RollOut");
  const { workload, uid, seq, version } = await lookout.record(key);
  const command: RollOut = { name: "RollOut", workload, uid, seq, version };
  /** Returns the ports with another answer of the cluster. */
  const inCluster = (answers: Partial<Cluster>) => ({
    ...lookout.ports,
    clusters: { names: () => ["prod"], cluster: () => ({ ...cluster, ...answers }) },
  });
  return { cluster, clock, lookout, key, digest, command, inCluster };
}

// The seeds are those of `npm run simulate` at the time; a change of the simulation gives them other histories.
describe("two deliveries of one RollOut at the same time", () => {
  it("do not hold what one of them has patched when the other finds a closed gate (seed 53205 of 150 events)", async () => {
    const { cluster, clock, lookout, key, digest, command } = await released("Deployment");
    const { ports } = lookout;
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

  it.each(["Deployment", "StatefulSet", "DaemonSet"] as const)(
    "do not hold what one of them patches when the other finds a new annotation: %s",
    async (kind) => {
      const { cluster, clock, lookout, key, command, inCluster } = await released(kind);
      const [sent, lands] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const slow = inCluster({
        patch: async (...asked) => {
          sent.resolve(undefined);
          await lands.promise;
          return cluster.patch(...asked);
        },
      });
      const first = rollOut(command, slow, signal);
      await sent.promise;
      clock.turn(seconds(1));
      cluster.annotate(command.workload, { "lookout.dev/approval-required": "true" });
      const second = await rollOut(command, lookout.ports, signal);
      lands.resolve(undefined);
      await first;

      const { active, pending } = await lookout.record(key);
      const patches = cluster.history.filter(({ manager }) => manager === "lookout").length;
      expect(second).toEqual({ kind: "check-again" });
      // The API server rejects the patch of a Deployment, whose annotations are guarded by its generation.
      expect([active?.status, pending?.status]).toEqual(
        patches === 1 ? ["rolling-out", undefined] : [undefined, "held"],
      );
    },
  );

  it("do not send a third run that patches while the first run holds the update after a 5xx", async () => {
    const { clock, lookout, key, command, inCluster } = await released("Deployment");
    const [sent, fails] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const failing = inCluster({
      patch: async () => {
        sent.resolve(undefined);
        await fails.promise;
        return { kind: "failed", detail: "500" };
      },
    });
    const first = rollOut(command, failing, signal);
    await sent.promise;
    clock.turn(seconds(1));
    const queued: unknown[] = [];
    const queues = { send: async (some: readonly unknown[]) => void queued.push(...some) };
    const away = inCluster({ read: async () => ({ kind: "unreachable", detail: "no answer" }) });
    await rollOut(command, { ...away, queues }, signal);
    fails.resolve(undefined);
    await first;

    expect(queued).toEqual([{ command, delay: seconds(15) }]);
    expect(await rollOut(command, lookout.ports, signal)).toEqual({ kind: "resumed" });
    expect((await lookout.record(key)).pending?.status).toBe("held");
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
