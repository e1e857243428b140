import { beforeEach, describe, expect, it } from "vitest";
import { findDrift } from "#app/detect/digest-drift";
import { explain } from "#app/api/explain";
import { hours, minutes, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { controlOf } from "../control-of.ts";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
let before: string;
let after: string;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const text = `${host}/shop/api:1.0.0`;
const signal = AbortSignal.timeout(60_000);

/** Moves the tag, and lets one pod start anew, so that it pulls the moved tag. */
async function moveTagUnderPods(): Promise<void> {
  after = await lookout.push("shop/api", "1.0.0", { quietly: true });
  replaceOnePod();
  await lookout.pass(seconds(2));
}

function replaceOnePod(): void {
  const { objects } = lookout.cluster;
  const stored = objects.find({ cluster: "prod", ...api });
  const pod = stored?.pods[0];
  if (stored !== undefined && pod !== undefined) objects.deletePods(stored, [pod.name]);
}

/** Deploys the workload, moves its tag under its pods, and has Lookout meet it. */
async function trackDrifting(annotations: Record<string, string>, spec = {}): Promise<void> {
  key = lookout.deploy({ name: "api", image: text, annotations, ...spec });
  await lookout.pass(seconds(2));
  before = (await digestsNow())[0] ?? "";
  await moveTagUnderPods();
  await lookout.sync();
}

async function skip(tag: string): Promise<void> {
  const body = { tag, by: "eva", why: "checkout fails" };
  await controlOf(lookout).skipTag({ params: { cluster: "prod", ...api }, body });
}

async function digestsNow(): Promise<readonly string[]> {
  const read = await lookout.cluster.read({ cluster: "prod", ...api }, signal);
  if (read.kind !== "found") return [];
  const running = await lookout.cluster.runningImages(read.live, signal);
  return running.kind === "running" ? (running.images["app"] ?? []) : [];
}

const failures = async () =>
  (await lookout.record(key)).selectionFailures.map(({ reason, detail }) => [reason, detail]);
const drift = () => [["digest-drift", `the pods run 2 digests of 1.0.0: ${[before, after].sort().join(", ")}`]];

describe("pods that run different digests of a tag", () => {
  it("get the digest that a person set before the tag moved", async () => {
    key = await trackApi(lookout, { "lookout.dev/policy": "pinned" });
    [before = ""] = await digestsNow();
    const body = { version: before, by: "eva", why: "checkout fails" };
    await controlOf(lookout).setVersion({ params: { cluster: "prod", ...api }, body });
    await lookout.pass(minutes(2));
    expect(lookout.image(key)).toBe(text);
    await moveTagUnderPods();
    expect(await digestsNow()).toHaveLength(2);
    await lookout.pass(hours(2));
    await lookout.sync();
    await lookout.pass(minutes(5));

    expect(lookout.image(key)).toBe(`${text}@${before}`);
    expect(await digestsNow()).toEqual([before]);
  });

  it("are shown and left alone where the policy follows versions", async () => {
    await trackDrifting({});
    await lookout.pass(minutes(5));

    expect(await failures()).toEqual(drift());
    expect(lookout.factNames(key)).not.toContain("RolloutStarted");
    expect((await digestsNow()).length).toBe(2);
  });

  it.each([{ "lookout.dev/policy": "digest" }, { "lookout.dev/strategy": "digest" }] as const)(
    "are realigned by an ordinary update with %j",
    async (settings) => {
      await trackDrifting(settings);
      await lookout.pass(minutes(1));

      expect(lookout.image(key)).toBe(`${text}@${after}`);
      expect(await digestsNow()).toEqual([after]);
      expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded", changes: [{ digest: after }] });
      expect(await failures()).toEqual([]);
    },
  );

  it("are realigned by a restart where no digest is written", async () => {
    await trackDrifting({ "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" });
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(text);
    expect(await digestsNow()).toEqual([after]);
    expect(await failures()).toEqual([]);
  });

  it("wait at the gates, and say why", async () => {
    await trackDrifting({ "lookout.dev/policy": "digest", "lookout.dev/suspend": "true" });
    await lookout.pass(minutes(5));

    expect((await lookout.record(key)).pending?.waits.map(({ reason }) => reason)).toEqual(["suspended"]);
    expect(await failures()).toEqual(drift());
    expect(lookout.image(key)).toBe(text);
  });

  it("are left alone while a person skips their tag (seeds 20654 and 21204 of 200 events)", async () => {
    key = await trackApi(lookout, { "lookout.dev/strategy": "digest" });
    await skip("1.0.0");
    await moveTagUnderPods();
    await lookout.sync();
    await lookout.pass(minutes(5));

    expect(await failures()).toEqual([["tag-skipped", "1.0.0: eva: checkout fails"]]);
    expect((await lookout.record(key)).seq).toBe(0);
    expect((await digestsNow()).length).toBe(2);
  });

  it("are restarted once where nodes keep the earlier image, and not without end", async () => {
    await trackDrifting(
      { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" },
      { pullPolicy: "IfNotPresent", replicas: 3 },
    );
    for (let hour = 0; hour < 5; hour += 1) {
      await lookout.pass(hours(1));
      await lookout.sync();
      await lookout.sweep();
    }

    expect(lookout.factNames(key).filter((name) => name === "RolloutStarted").length).toBeLessThanOrEqual(1);
  });

  it("are found by a later sync, and the reason goes when all pods run one digest", async () => {
    key = await trackApi(lookout);
    before = (await digestsNow())[0] ?? "";
    // The registry tells nobody, and the policy keeps to versions.
    lookout.cluster.annotate(api, { "lookout.dev/strategy": "tag" });
    await lookout.sync();
    await moveTagUnderPods();
    await lookout.sync();
    expect(await failures()).toEqual([]);

    await lookout.pass(hours(1));
    await lookout.sync();
    expect(await failures()).toEqual(drift());
    await lookout.pass(hours(1));
    await lookout.sync();
    expect(lookout.measurements.filter(({ name }) => name === "WorkloadsDrifting")).toMatchObject([
      { value: 1, about: { cluster: "prod" } },
    ]);

    lookout.cluster.deletePods(api);
    await lookout.pass(hours(1));
    await lookout.sync();
    expect(await failures()).toEqual([]);
  });

  it("are named by explain", async () => {
    await trackDrifting({});
    const { workload } = (await explain(key, lookout.ports, signal)) ?? {};

    expect([workload?.state, workload?.reasons.map(({ reason }) => reason)]).toEqual(["problem", ["digest-drift"]]);
  });

  it("are not asked for where an image has a digest", async () => {
    key = lookout.deploy({
      name: "api",
      image: `${text}@${await lookout.push("shop/api", "1.0.0", { quietly: true })}`,
    });
    await lookout.pass(seconds(2));
    await lookout.sync();
    const record = await lookout.record(key);
    const read = await lookout.cluster.read({ cluster: "prod", ...api }, signal);
    const live = read.kind === "found" ? [read.live] : [];
    const never = { runningImages: () => Promise.reject(new Error("asked")) };

    expect(await findDrift(never, live, new Map([[key, record]]), lookout.clock.now(), signal)).toEqual([]);
  });
});

describe("a cluster with many workloads", () => {
  it("is read in turns of a hundred, one an hour, and no further after a refusal", async () => {
    key = await trackApi(lookout);
    const record = await lookout.record(key);
    const read = await lookout.cluster.read({ cluster: "prod", ...api }, signal);
    if (read.kind !== "found") throw new Error("not found");
    const { live } = read;
    const all = Array.from({ length: 250 }, (_, index) => ({
      ...live,
      workload: { ...live.workload, name: `api-${String(index).padStart(3, "0")}` },
    }));
    const records = new Map(all.map((one) => [workloadKey(one.workload), { ...record, workload: one.workload }]));
    const asked: string[] = [];
    const pods = {
      runningImages: async ({ workload }: typeof live) => {
        asked.push(workload.name);
        return { kind: "running", images: {} } as const;
      },
    };
    const counts: number[] = [];
    for (let hour = 0; hour < 3; hour += 1) {
      asked.length = 0;
      await findDrift(pods, all, records, (lookout.clock.now() + hour * hours(1)) as typeof record.changedAt, signal);
      counts.push(asked.length);
    }
    expect(counts.toSorted()).toEqual([100, 100, 50]);

    let refusals = 0;
    const away = {
      runningImages: async () => {
        refusals += 1;
        return { kind: "unreachable", detail: "away" } as const;
      },
    };
    expect(await findDrift(away, all, records, lookout.clock.now(), signal)).toEqual([]);
    expect(refusals).toBeLessThanOrEqual(5);
  });
});
