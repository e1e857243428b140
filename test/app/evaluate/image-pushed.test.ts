import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { type DeploySpec, host, installation, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
const image = `${host}/shop/api:1.0.0`;

beforeEach(async () => {
  lookout = await worldWithApi();
});

const tracked = (...given: readonly [Readonly<Record<string, string>>?, Partial<DeploySpec>?]): Promise<string> =>
  trackApi(lookout, ...given);

describe("a push", () => {
  it("runs: pinned, watched, and succeeded after the settling time", async () => {
    const key = await tracked({ "lookout.dev/semver-range": "^1" });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(15));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(lookout.factNames(key)).toEqual([
      "WorkloadTracked",
      "UpdateReleased",
      "RolloutPrepared",
      "RolloutStarted",
      "WorkloadRunning",
      "RolloutSucceeded",
    ]);
    expect(lookout.cluster.history.map(({ manager }) => manager)).toEqual(["kubectl-client-side-apply", "lookout"]);
    expect(lookout.failures).toEqual([]);
  });

  it("that moves its tag back during an update is applied after that update", async () => {
    const key = await tracked({ "lookout.dev/policy": "digest" });
    const before = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));

    await lookout.push("shop/api", "1.0.0");
    await lookout.settle();
    lookout.registry.moveTag(host, "shop/api", "1.0.0", before);
    await lookout.tellAgain("shop/api", "1.0.0");
    await lookout.pass(seconds(40));

    expect((await lookout.record(key)).seq).toBe(3);
    expect(lookout.image(key)).toBe(`${image}@${before}`);
  });

  it("with two notifications is one update", async () => {
    const key = await tracked();

    await lookout.push("shop/api", "1.1.0");
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.pass(seconds(15));
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.pass(seconds(15));

    expect((await lookout.record(key)).seq).toBe(1);
    expect(lookout.cluster.history.filter(({ manager }) => manager === "lookout")).toHaveLength(1);
  });

  it("of an unused repository makes no event", async () => {
    await tracked();

    await lookout.push("shop/other", "1.1.0");
    await lookout.settle();

    expect(lookout.registry.calls).toEqual({ tags: 1, resolve: 1, manifest: 0, config: 0 });
  });

  it("of a newer tag waits for the active update", async () => {
    const key = await tracked();

    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    const digest = await lookout.push("shop/api", "1.2.0");
    await lookout.settle();
    expect((await lookout.record(key)).pending?.waits.map(({ reason }) => reason)).toEqual(["rollout-in-progress"]);
    await lookout.pass(seconds(40));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${digest}`);
    expect((await lookout.record(key)).last).toMatchObject({ seq: 2, status: "succeeded" });
  });

  it("of an older version changes nothing", async () => {
    const key = await tracked();

    await lookout.push("shop/api", "0.9.0");
    await lookout.pass(seconds(5));

    expect(lookout.image(key)).toBe(image);
    expect(lookout.factNames(key)).toEqual(["WorkloadTracked"]);
  });
});

describe("an image that does not run", () => {
  it("is rolled back to the exact previous reference, and is not retried", async () => {
    const key = await tracked();

    const digest = await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(30));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0-alpine");
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(image);
    const record = await lookout.record(key);
    expect(record.last).toMatchObject({ seq: 1, status: "rolled-back", reason: "rollout-failed" });
    expect(record.blocked).toMatchObject([{ digest, tag: "1.1.0", reason: "rollout-failed", seq: 1 }]);
    expect(record.selectionFailures).toMatchObject([{ container: "app", reason: "digest-blocked" }]);
    expect(record.observed.updateLabel).toBe(`${installation}-1-back`);
  });

  it("that crashes is rolled back", async () => {
    const key = await tracked();

    await lookout.push("shop/api", "1.1.0", { crashes: true });
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(image);
    expect((await lookout.record(key)).last).toMatchObject({ status: "rolled-back" });
  });

  it("is replaced by the next image", async () => {
    const key = await tracked();

    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(30));
    const digest = await lookout.push("shop/api", "1.1.1");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.1@${digest}`);
  });

  it("of an ordered StatefulSet is rolled back by deleting its failed pod", async () => {
    const key = await tracked({}, { kind: "StatefulSet", replicas: 2 });

    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(image);
    expect((await lookout.record(key)).last).toMatchObject({ status: "rolled-back" });
  });

  it("stays if auto-rollback is false, and is not retried", async () => {
    const key = await tracked({ "lookout.dev/auto-rollback": "false" });

    const digest = await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.record(key)).last).toMatchObject({ status: "failed", reason: "rollout-failed" });
  });
});

describe("a user", () => {
  it("who reverts an update is respected: the next push is held until the workload is unblocked", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));

    lookout.cluster.undo({ namespace: "shop", kind: "Deployment", name: "api" });
    await lookout.sync();
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(image);
    const record = await lookout.record(key);
    expect(record.hold).toMatchObject({ reason: "reverted-by-user", seq: 1 });
    expect(record.pending?.waits.map(({ reason }) => reason)).toEqual(["reverted-by-user"]);
  });

  it("who reverts an active update is respected too", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(lookout.image(key)).toContain(":1.1.0@");

    lookout.cluster.undo({ namespace: "shop", kind: "Deployment", name: "api" });
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(image);
    expect((await lookout.record(key)).last).toMatchObject({ status: "reverted", reason: "reverted-by-user" });
  });

  it("who sets another image keeps it", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    lookout.cluster.setImage({ namespace: "shop", kind: "Deployment", name: "api" }, "app", `${host}/shop/api:1.0.5`);
    await lookout.push("shop/api", "1.0.5", { quietly: true });
    await lookout.pass(seconds(5));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.5`);
    expect((await lookout.record(key)).blocked).toMatchObject([{ tag: "1.1.0", reason: "changed-by-hand", seq: 1 }]);
  });

  it("who sets another image after an update keeps it until a newer push", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));
    await lookout.push("shop/api", "1.0.5", { quietly: true });

    lookout.cluster.setImage({ namespace: "shop", kind: "Deployment", name: "api" }, "app", `${host}/shop/api:1.0.5`);
    await lookout.sync();
    await lookout.pass(minutes(1));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.5`);
    const digest = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${digest}`);
  });
});

describe("an unreachable cluster", () => {
  it("holds the desired image, and gets it after its return", async () => {
    const key = await tracked();

    lookout.cluster.unreachable(true);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(3));
    expect((await lookout.record(key)).pending?.waits.map(({ reason }) => reason)).toEqual(["cluster-unreachable"]);
    lookout.cluster.unreachable(false);
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("does not fail an update whose patch was sent", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    lookout.cluster.unreachable(true);
    await lookout.pass(minutes(5));
    expect((await lookout.record(key)).active?.status).toBe("rolling-out");
    lookout.cluster.unreachable(false);
    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });

  it("whose answer to the patch was lost is read, and patched once", async () => {
    const key = await tracked();

    lookout.cluster.failNext({ kind: "unknown", detail: "the connection was lost" }, true);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
    expect(lookout.cluster.history.filter(({ manager }) => manager === "lookout")).toHaveLength(1);
  });
});

describe("a killed process", () => {
  it("continues its released update by the reaper", async () => {
    const key = await tracked();
    lookout.cluster.failNext({ kind: "unknown", detail: "the connection was lost" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    lookout.loseMessages();
    await lookout.pass(minutes(3));
    expect(lookout.image(key)).toBe(image);
    await lookout.reap();
    await lookout.pass(seconds(30));

    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });
});
