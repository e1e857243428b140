import { named } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { evaluateWorkload } from "#app/evaluate/evaluate-workload";
import { reap } from "#app/gate/reap";
import { unblockWorkload } from "#app/api/unblock";
import { minutes, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { api, type DeploySpec, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const tracked = (...given: readonly [Readonly<Record<string, string>>?, Partial<DeploySpec>?]): Promise<string> =>
  trackApi(lookout, ...given);

/** Schedules as they run for half an hour: looks at the cluster, and the reaper. */
async function halfAnHour(): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    await lookout.sync();
    await lookout.reap();
    await lookout.pass(minutes(3));
  }
}

describe("a process that dies", () => {
  it("while it untracks a workload leaves the subscription, so that later pushes arrive", async () => {
    const key = await tracked();
    const write = lookout.ports.store.write.bind(lookout.ports.store);
    lookout.ports.store.write = () => Promise.reject(new Error("killed"));
    lookout.cluster.annotate(api, { "lookout.dev/enabled": "false" });
    await lookout.sync();
    lookout.loseMessages();
    lookout.ports.store.write = write;

    lookout.cluster.annotate(api, { "lookout.dev/enabled": "true" });
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("is found even if the index lists workloads with slots first", async () => {
    const key = await tracked();
    lookout.cluster.failNext({ kind: "unknown", detail: "the connection was lost" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    lookout.loseMessages();
    await lookout.pass(minutes(3));
    const early = Array.from({ length: 25 }, (_, index) => `prod/shop/deployment/other-${index}`);
    lookout.ports.store.due = (_before, limit) => Promise.resolve([...early, key].slice(0, limit));

    expect(await reap(lookout.ports, undefined, 1)).toEqual({ kind: "reaped", records: 1 });
  });

  it("right after an unblock leaves the evaluation to the reaper", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(2));
    lookout.broken.clear();

    await unblockWorkload(named(key), { by: "ana" }, lookout.ports);
    lookout.loseMessages();
    await halfAnHour();

    expect(lookout.image(key)).toContain(":1.1.0@");
  });
});

describe("a push that another follows during its evaluation", () => {
  it("never replaces the newer image", async () => {
    const key = await tracked({ "lookout.dev/policy": "digest" });
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    const write = lookout.ports.store.write.bind(lookout.ports.store);
    let newer = "";
    lookout.ports.store.write = async (record: WorkloadRecord) => {
      if (newer === "" && record.cause.startsWith("ImagePushed")) {
        newer = await lookout.push("shop/api", "1.0.0", { quietly: true });
        const { workload } = record;
        const command = { name: "EvaluateWorkload", id: "watch", workload, source: "watch" } as const;
        await evaluateWorkload(command, lookout.ports, new AbortController().signal);
      }
      return write(record);
    };

    await lookout.tellAgain("shop/api", "1.0.0");
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${newer}`);
    expect(lookout.cluster.history.filter(({ manager }) => manager === "lookout")).toHaveLength(1);
  });
});

describe("a cluster that answers no patch for some seconds", () => {
  it("gets the update when it answers again, and the update shows why it waits", async () => {
    const key = await tracked();
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    lookout.cluster.patch = () => Promise.resolve({ kind: "failed", detail: "could not patch (503)" });

    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    expect((await lookout.record(key)).pending?.waits).toMatchObject([
      { reason: "cluster-unreachable", detail: "could not patch (503)" },
    ]);
    lookout.cluster.patch = patch;
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("is not held if the patch landed before the failure, and is verified", async () => {
    const key = await tracked();
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    let answers = 0;
    lookout.cluster.patch = async (...asked) => {
      const outcome = await patch(...asked);
      answers += 1;
      return outcome.kind === "written" ? { kind: "failed", detail: "could not patch (502)" } : outcome;
    };

    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await lookout.record(key)).toMatchObject({ active: { status: "rolling-out" } });
    await lookout.pass(minutes(1));
    expect(await lookout.record(key)).toMatchObject({ last: { status: "succeeded" } });
    expect(answers).toBe(1);
  });

  it("is read again even if the failure comes in the last round", async () => {
    const key = await tracked();
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    let answers = 0;
    lookout.cluster.patch = async (...asked) => {
      answers += 1;
      if (answers < 5) return { kind: "read-again" };
      await patch(...asked);
      return { kind: "failed", detail: "could not patch (502)" };
    };

    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await lookout.record(key)).toMatchObject({ active: { status: "rolling-out" } });
    expect(answers).toBe(5);
  });

  it("is read again later if the read after the failure fails too", async () => {
    const key = await tracked();
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    const read = lookout.cluster.read.bind(lookout.cluster);
    lookout.cluster.patch = async (...asked) => {
      await patch(...asked);
      lookout.cluster.read = () => Promise.resolve({ kind: "unreachable", detail: "503" });
      return { kind: "failed", detail: "could not patch (502)" };
    };

    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await lookout.record(key)).toMatchObject({ active: { status: "patching" } });
    lookout.cluster.read = read;
    lookout.cluster.patch = patch;
    await lookout.pass(minutes(1));
    expect(await lookout.record(key)).toMatchObject({ last: { status: "succeeded" } });
  });

  it("with repeated guard failures pauses the update for a minute, not for an hour", async () => {
    const key = await tracked();
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    lookout.cluster.patch = () => Promise.resolve({ kind: "read-again" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    expect((await lookout.record(key)).retry?.pause).toMatchObject({ reason: "internal-error" });

    lookout.cluster.patch = patch;
    await lookout.pass(minutes(3));

    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });
});

describe("a cluster that fails one read", () => {
  it("is read again for a known workload", async () => {
    const key = await tracked();
    const read = lookout.cluster.read.bind(lookout.cluster);
    lookout.cluster.annotate(api, { "lookout.dev/semver-range": "^9" });
    lookout.cluster.read = () => Promise.resolve({ kind: "unreachable", detail: "503" });
    await lookout.sync();
    lookout.cluster.read = read;

    await halfAnHour();

    expect((await lookout.record(key)).observed.annotations).toMatchObject({ "lookout.dev/semver-range": "^9" });
  });

  it("is read again for an unknown workload", async () => {
    const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const read = lookout.cluster.read.bind(lookout.cluster);
    lookout.cluster.read = () => Promise.resolve({ kind: "unreachable", detail: "503" });
    await lookout.sync();
    lookout.cluster.read = read;

    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).tracked).toBe(true);
  });
});

describe("another writer just before the patch", () => {
  it("stops it by making the object a declared source's", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    lookout.cluster.label(api, { "kustomize.toolkit.fluxcd.io/name": "apps" });

    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).pending?.waits.map(({ reason }) => reason)).toEqual([
      "declared-source-owns-the-image",
    ]);
  });

  it("makes a held restart needless by the same restart", async () => {
    const window = { "lookout.dev/maintenance-window": "22:00-23:00" };
    const key = await tracked({ "lookout.dev/policy": "digest", "lookout.dev/apply": "restart", ...window });
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    expect((await lookout.record(key)).pending?.changes).toMatchObject([{ apply: "restart" }]);

    lookout.cluster.restart(api, "2026-11-21T10:05:00Z");
    await lookout.sync();
    await lookout.pass(minutes(2));

    expect((await lookout.record(key)).pending).toBeUndefined();
  });
});

describe("a blocked digest", () => {
  it("does not block a lower version that was pushed after it", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(1));

    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("of a user's choice blocks older images too, so the choice stays", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));

    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.0.0`);
    lookout.cluster.annotate(api, { "example.com/note": "by hand" });
    await lookout.push("shop/api", "1.0.1", { quietly: true });
    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.0.1`);
    await lookout.sync();
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.1`);
  });

  it("under the digest policy is tried again after an unblock", async () => {
    const key = await tracked({ "lookout.dev/policy": "digest" });
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    const digest = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    lookout.cluster.undo(api);
    await lookout.sync();
    expect((await lookout.record(key)).hold).toMatchObject({ reason: "reverted-by-user" });

    await unblockWorkload(named(key), { by: "ana" }, lookout.ports);
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${digest}`);
  });
});
