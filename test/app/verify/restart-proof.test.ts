import { named } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { templateOf, withTemplate } from "#adapters/memory/cluster-manifest";
import { explain } from "#app/api/explain";
import { unblockWorkload } from "#app/api/unblock";
import { minutes, seconds } from "#domain/shared/time";
import { api, type DeploySpec, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const restarting = { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" };
const tracked = (spec: Partial<DeploySpec>): Promise<string> => trackApi(lookout, restarting, spec);
const writes = () => lookout.cluster.history.filter(({ manager }) => manager === "lookout").length;
const keeps = "with imagePullPolicy IfNotPresent, nodes keep the old image: set imagePullPolicy: Always";

/** Sets the pull policy, as `kubectl patch` does. */
function alwaysPull(): void {
  const { objects } = lookout.cluster;
  const stored = objects.find({ cluster: "prod", ...api });
  const writer = { manager: "kubectl-patch", what: "pull always" };
  if (stored === undefined) throw new Error("no such workload");
  objects.write(stored, writer, (content) => {
    const template = templateOf(content.spec);
    const containers = template.spec.containers.map((one) => ({ ...one, imagePullPolicy: "Always" }));
    return { ...content, spec: withTemplate(content.spec, { ...template, spec: { ...template.spec, containers } }) };
  });
}

/** Lets three quarters of an hour pass with looks at the cluster and the registry. */
async function longAfter(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await lookout.sync();
    await lookout.sweep();
    await lookout.reap();
    await lookout.pass(minutes(15));
  }
}

describe.each(["Deployment", "StatefulSet", "DaemonSet"] as const)("a restart of a %s", (kind) => {
  it("fails, and is neither rolled back nor repeated, if the nodes keep the old image", async () => {
    const key = await tracked({ kind, pullPolicy: "IfNotPresent" });
    const before = (await lookout.record(key)).observed.containers[0]?.digest ?? "";
    const moved = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    await longAfter();

    const { last, blocked, observed } = await lookout.record(key);
    expect(last).toMatchObject({
      status: "failed",
      reason: "pods-run-another-digest",
      detail: `the pods run ${before} in container app instead of ${moved}; ${keeps}`,
    });
    expect(blocked).toMatchObject([{ digest: moved, reason: "pods-run-another-digest" }]);
    expect(observed.containers[0]?.digest).toBe(before);
    expect(writes()).toBe(1);
    expect(lookout.factNames(key).filter((name) => name === "RolloutFailed")).toHaveLength(1);
  });

  it("succeeds if the nodes pull the moved tag", async () => {
    const key = await tracked({ kind, pullPolicy: "Always" });
    const moved = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    await longAfter();

    const { last, blocked, observed } = await lookout.record(key);
    expect(last).toMatchObject({ status: "succeeded", detail: "3 pods" });
    expect(blocked).toEqual([]);
    expect(observed.containers[0]?.digest).toBe(moved);
    expect(writes()).toBe(1);
  });
});

describe("a restart of a CronJob", () => {
  it("fails if its next Job runs the old image", async () => {
    const key = await tracked({ kind: "CronJob", pullPolicy: "IfNotPresent" });
    lookout.cluster.runJob({ ...api, kind: "CronJob" });
    await lookout.pass(seconds(5));
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    lookout.cluster.runJob({ ...api, kind: "CronJob" });
    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).last).toMatchObject({ status: "failed", reason: "pods-run-another-digest" });
  });

  it("is not verified while no Job runs", async () => {
    const key = await tracked({ kind: "CronJob", pullPolicy: "IfNotPresent" });
    lookout.cluster.suspend({ ...api, kind: "CronJob" }, true);
    lookout.cluster.runJob({ ...api, kind: "CronJob" });
    await lookout.pass(seconds(5));
    await lookout.sync();
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).last).toMatchObject({
      status: "succeeded",
      detail: "the image is written, but not verified: the CronJob is suspended",
    });
  });
});

describe("a restart whose pods run another digest", () => {
  it("is no reason to hold a newer digest", async () => {
    const key = await tracked({ pullPolicy: "IfNotPresent" });
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    const newer = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));

    const { last, seq } = await lookout.record(key);
    expect(seq).toBe(2);
    expect(last).toMatchObject({ reason: "pods-run-another-digest", changes: [{ digest: newer }] });
    expect(writes()).toBe(2);
  });

  it("is repeated after an unblock", async () => {
    const key = await tracked({ pullPolicy: "IfNotPresent" });
    const moved = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    await unblockWorkload(named(key), { by: "ana" }, lookout.ports);
    await lookout.pass(minutes(1));

    expect(writes()).toBe(2);
    expect((await lookout.record(key)).blocked).toMatchObject([{ digest: moved, seq: 2 }]);
  });

  it("is not repeated after an unblock if a user has set the pull policy, so that the pods pull the digest", async () => {
    const key = await tracked({ pullPolicy: "IfNotPresent" });
    const moved = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    alwaysPull();
    await lookout.sync();
    const unread = await lookout.record(key);
    await longAfter();
    await unblockWorkload(named(key), { by: "ana" }, lookout.ports);
    await lookout.pass(minutes(1));

    expect(unread.observed.containers[0]).not.toHaveProperty("digest");
    expect(unread.selectionFailures).toMatchObject([{ reason: "digest-blocked" }]);
    const { observed, selectionFailures } = await lookout.record(key);
    expect(observed.containers[0]).toMatchObject({ digest: moved, pullPolicy: "Always" });
    expect(selectionFailures).toEqual([]);
    expect(writes()).toBe(1);
  });

  it("fails also if only a new pod pulled the digest", async () => {
    const key = await tracked({ pullPolicy: "IfNotPresent", replicas: 1 });
    const before = (await lookout.record(key)).observed.containers[0]?.digest ?? "";
    lookout.cluster.scale(api, 2);
    const moved = await lookout.push("shop/api", "1.0.0", { quietly: true });
    lookout.cluster.scale(api, 3);
    await lookout.pass(seconds(5));
    await lookout.tellAgain("shop/api", "1.0.0");
    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).last).toMatchObject({
      status: "failed",
      detail: `some pods run ${before} in container app instead of ${moved}; ${keeps}`,
    });
  });
});

describe("a restart whose pods report no digest", () => {
  it("succeeds, and says that it is not proved", async () => {
    const key = await tracked({ pullPolicy: "IfNotPresent" });
    lookout.cluster.runningImages = () => Promise.resolve({ kind: "running", images: {} });
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).last).toMatchObject({
      status: "succeeded",
      detail: "3 pods; not proved that they run the new digest: container app reports no digest",
    });
  });

  it("waits while the cluster does not say what the pods run", async () => {
    const key = await tracked({ pullPolicy: "Always" });
    const runningImages = lookout.cluster.runningImages.bind(lookout.cluster);
    lookout.cluster.runningImages = () => Promise.resolve({ kind: "denied", detail: "403" });
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(3));
    expect((await lookout.record(key)).active).toMatchObject({ status: "rolling-out" });

    lookout.cluster.runningImages = runningImages;
    await lookout.pass(minutes(1));
    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded", detail: "3 pods" });
  });
});

describe("the pods of an index", () => {
  it.each([
    { platforms: ["linux/amd64", "linux/arm64"], kept: 2, last: { status: "succeeded", detail: "3 pods" } },
    { platforms: Array.from({ length: 64 }, (_, at) => `linux/v${String(at)}`), kept: 64, last: { detail: "3 pods" } },
    { platforms: Array.from({ length: 65 }, (_, at) => `linux/v${String(at)}`), kept: undefined },
  ])("may report one of its platforms ($kept kept)", async ({ platforms, kept, last }) => {
    const key = await tracked({ pullPolicy: "Always" });
    const moved = lookout.registry.push(host, "shop/api", "1.0.0", { platforms });
    const read = await lookout.registry.manifest(
      { registry: host, repository: "shop/api" },
      moved,
      AbortSignal.any([]),
    );
    const [, second = ""] = read.kind === "manifest" ? read.platforms : [];
    const runningImages = lookout.cluster.runningImages.bind(lookout.cluster);
    lookout.cluster.runningImages = () => Promise.resolve({ kind: "running", images: { app: [second] } });
    await lookout.tellAgain("shop/api", "1.0.0");
    await lookout.pass(minutes(1));
    lookout.cluster.runningImages = runningImages;

    const ended = (await lookout.record(key)).last;
    expect(ended?.changes[0]?.platformDigests?.length).toBe(kept);
    expect(ended).toMatchObject(
      last ?? {
        status: "succeeded",
        detail: `3 pods; not proved that they run the new digest: container app reports ${second}, and the platforms of ${moved} are unknown`,
      },
    );
  });
});

describe("the explanation of a workload that is restarted", () => {
  it.each([
    {
      pullPolicy: "IfNotPresent",
      notices: [
        "Container app is restarted to get a moved tag, but with imagePullPolicy IfNotPresent, nodes keep the old image: set imagePullPolicy: Always.",
      ],
    },
    { pullPolicy: "Always", notices: [] },
  ] as const)("has the notices $notices with the pull policy $pullPolicy", async ({ pullPolicy, notices }) => {
    const key = await tracked({ pullPolicy });

    expect((await explain(key, lookout.ports, AbortSignal.any([])))?.notices).toEqual(notices);
  });

  it("says why the digest is blocked", async () => {
    const key = await tracked({ pullPolicy: "IfNotPresent" });
    const moved = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(1));

    expect((await explain(key, lookout.ports, AbortSignal.any([])))?.workload.blocked).toMatchObject([
      { tag: "1.0.0", digest: moved, seq: 1, why: { reason: "digest-blocked" } },
    ]);
  });
});
