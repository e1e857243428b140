import { named } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { liftQuarantine, putInQuarantine } from "#app/api/quarantine";
import { unblockWorkload } from "#app/api/unblock";
import { wake } from "#app/gate/wake";
import { minutes, seconds } from "#domain/shared/time";
import { api, type DeploySpec, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;

beforeEach(async () => {
  lookout = await worldWithApi();
});

const tracked = (...given: readonly [Readonly<Record<string, string>>?, Partial<DeploySpec>?]): Promise<string> =>
  trackApi(lookout, ...given);

async function waits(key: string): Promise<unknown> {
  return (await lookout.record(key)).pending?.waits;
}

describe("a closed gate", () => {
  it("window: holds until it opens, to the second", async () => {
    const key = await tracked({ "lookout.dev/maintenance-window": "10:05-11:00" });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(4));
    expect(await waits(key)).toEqual([
      { reason: "window-closed", detail: "every day 10:05–11:00 UTC", until: Date.parse("2026-11-21T10:05:00Z") },
    ]);
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    const started = lookout.facts.find(({ name }) => name === "RolloutStarted");
    expect(started?.at).toBeLessThanOrEqual(Date.parse("2026-11-21T10:05:01Z"));
  });

  it("suspend: holds until the annotation is removed, and then releases the newest", async () => {
    const key = await tracked({ "lookout.dev/suspend": "true" });

    await lookout.push("shop/api", "1.1.0");
    const digest = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));
    expect(await waits(key)).toEqual([{ reason: "suspended" }]);
    lookout.cluster.annotate(api, { "lookout.dev/suspend": undefined });
    await lookout.sync();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${digest}`);
  });

  it("quarantine: holds the digest on every workload until it is lifted", async () => {
    const key = await tracked({ "lookout.dev/suspend": "true" });
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    await putInQuarantine({ digest, why: "CVE-2026-0001", by: "ana" }, lookout.ports);
    lookout.cluster.annotate(api, { "lookout.dev/suspend": undefined });
    await lookout.sync();
    expect(await waits(key)).toEqual([{ reason: "quarantined", detail: `${digest}: CVE-2026-0001` }]);
    await liftQuarantine(digest, lookout.ports);
    await lookout.settle();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("hold: opens when the workload is unblocked", async () => {
    const key = await tracked();
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));
    lookout.cluster.undo(api);
    await lookout.sync();

    expect(await unblockWorkload(named(key), { by: "ana" }, lookout.ports)).toEqual({
      workload: key,
      hold: true,
      blocked: 0,
      digests: [],
      rejected: 0,
      left: { hold: false, digests: [] },
    });
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(lookout.factNames(key)).toContain("HoldEnded");
  });

  it("declared source: names the program that would revert the update, unless it is allowed", async () => {
    const key = await tracked({}, { labels: { "kustomize.toolkit.fluxcd.io/name": "apps" } });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(await waits(key)).toEqual([
      { reason: "declared-source-owns-the-image", detail: "Flux applies this object from the Kustomization apps" },
    ]);
    lookout.cluster.annotate(api, { "lookout.dev/allow-declared-source": "true" });
    await lookout.sync();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("is asked again at patch time: a suspension after the release stops the patch", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    lookout.cluster.annotate(api, { "lookout.dev/suspend": "true" });

    await lookout.settle();
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await waits(key)).toEqual([{ reason: "suspended" }]);
  });
});

describe("a workload with a problem", () => {
  it.each([
    { annotation: "lookout.dev/semver-range", value: ">>1", because: "not a range" },
    { annotation: "lookout.dev/maintenance-window", value: "8am-5pm", because: "not a window" },
    { annotation: "lookout.dev/polcy", value: "semver", because: "not a setting" },
    { annotation: "lookout.dev/max-severity", value: "low", because: "a gate that this version can't honour" },
  ])("is held with the problem ($because), and its neighbours are updated", async ({ annotation, value }) => {
    const broken = lookout.deploy({
      name: "broken",
      image: `${host}/shop/api:1.0.0`,
      annotations: { [annotation]: value },
    });
    const good = await tracked();

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(lookout.image(broken)).toBe(`${host}/shop/api:1.0.0`);
    expect(lookout.image(good)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    const [selectionFailure] = (await lookout.record(broken)).selectionFailures;
    expect(selectionFailure).toMatchObject({ container: "app", reason: "problem-in-settings" });
    expect(selectionFailure?.detail).toContain(`${annotation} "${value}"`);
  });

  it("continues when the annotation is corrected", async () => {
    const key = await tracked({ "lookout.dev/semver-range": ">>1" });
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    lookout.cluster.annotate(api, { "lookout.dev/semver-range": ">=1" });
    await lookout.sync();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.record(key)).selectionFailures).toEqual([]);
  });
});

describe("the digest policy", () => {
  const following = { "lookout.dev/policy": "digest" };

  it("restarts nothing at first sight, whatever the pods report", async () => {
    const key = await tracked(following);
    await lookout.pass(minutes(2));
    await lookout.sync();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it("pins again when the running tag moves", async () => {
    const key = await tracked(following);

    const digest = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${digest}`);
    const next = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${next}`);
  });

  it("only restarts the pods if the workload sets apply to restart", async () => {
    const key = await tracked({ ...following, "lookout.dev/apply": "restart" });

    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    const template = lookout.cluster.object(api)?.spec.template;
    expect(template?.metadata?.annotations).toEqual({
      "kubectl.kubernetes.io/restartedAt": "2026-11-21T10:00:02.000Z",
    });
    expect((await lookout.record(key)).last).toMatchObject({
      status: "succeeded",
      restart: { to: "2026-11-21T10:00:02.000Z" },
    });
  });

  it("ignores the push of another tag", async () => {
    const key = await tracked(following);

    await lookout.push("shop/api", "9.9.9");
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });
});

describe("a registry that can't be reached", () => {
  it("is shown, asked again, and no longer shown after it answers", async () => {
    const key = await tracked();
    lookout.registry.unreachable(host, true);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    expect((await lookout.record(key)).selectionFailures).toMatchObject([
      { container: "app", reason: "registry-unreachable" },
    ]);

    lookout.registry.unreachable(host, false);
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.record(key)).selectionFailures).toEqual([]);
  });
});

describe("a workload", () => {
  it("that is deleted is untracked, and keeps its numbers when it returns", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));
    lookout.cluster.remove(api);
    await lookout.sync();
    expect((await lookout.record(key)).tracked).toBe(false);

    await tracked();
    await lookout.pass(seconds(20));

    expect((await lookout.record(key)).seq).toBe(2);
    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("that is no longer tracked is not changed", async () => {
    const key = await tracked();
    lookout.cluster.annotate(api, { "lookout.dev/enabled": "false" });
    await lookout.sync();

    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it.each([
    { kind: "StatefulSet", spec: { replicas: 2 } },
    { kind: "DaemonSet", spec: {} },
  ] as const)("of kind $kind is updated and watched", async ({ kind, spec }) => {
    const key = await tracked({}, { kind, ...spec });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(40));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });

  it("of kind CronJob succeeds with its next Job, or as unverifiable", async () => {
    const key = await tracked({}, { kind: "CronJob" });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(12));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.record(key)).last).toMatchObject({
      status: "succeeded",
      detail: "the image is written, but not verified: no Job was due within the time limit",
    });
  });

  it("that is paused gets no update until it is resumed", async () => {
    const key = await tracked();
    lookout.cluster.pause(api);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(30));
    expect(await waits(key)).toEqual([{ reason: "workload-paused" }]);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);

    lookout.cluster.resume(api);
    await lookout.sync();
    await lookout.pass(minutes(2));

    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });

  it("that is paused during its rollout waits without a deadline, and continues when it is resumed", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    lookout.cluster.pause(api);
    await lookout.pass(minutes(30));
    expect((await lookout.record(key)).active).toMatchObject({
      status: "rolling-out",
      progress: { kind: "waiting", why: "paused" },
    });

    lookout.cluster.resume(api);
    await lookout.pass(minutes(2));

    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });
});

describe("a command that always fails", () => {
  it("holds its update for an hour and blocks no digest", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    const { store } = lookout.ports;
    const failing = { ...store, installation: () => Promise.reject(new Error("a bug")) };
    Object.assign(lookout.ports, { store: failing });

    await lookout.pass(seconds(30));
    expect(await waits(key)).toMatchObject([{ reason: "internal-error", detail: "Error: a bug" }]);
    Object.assign(lookout.ports, { store });
    await lookout.pass(minutes(61));

    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });
});

describe("a function that reaches no cluster", () => {
  it("wakes an update, because only the names of clusters are asked", async () => {
    const key = await tracked({ "lookout.dev/suspend": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    const { workload, uid, seq, version } = await lookout.record(key);
    const cluster = (): never => {
      throw new Error("this function reaches no cluster");
    };
    const ports = { ...lookout.ports, clusters: { names: () => ["prod"], cluster } };

    expect(await wake({ name: "Wake", workload, uid, seq, version }, ports)).toEqual({ kind: "still-held" });
  });
});
