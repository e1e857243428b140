import { beforeEach, describe, expect, it } from "vitest";
import { evaluateWorkload } from "#app/evaluate/evaluate-workload";
import { liftQuarantine, putInQuarantine } from "#app/api/quarantine";
import { rollOut } from "#app/rollout/roll-out";
import { durationMs, minutes, seconds } from "#domain/shared/time";
import type { ActiveUpdate } from "#domain/update/state/workload";
import type { EvaluateWorkload, RollOut } from "#domain/update/commands";
import { workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { OutgoingCommand } from "#ports/messaging";
import { api, type DeploySpec, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const tracked = (...given: readonly [Readonly<Record<string, string>>?, Partial<DeploySpec>?]): Promise<string> =>
  trackApi(lookout, ...given);

const { signal } = new AbortController();

/** Lets time pass until the active update of a workload is in a state. */
async function until(key: string, status: ActiveUpdate["status"]): Promise<void> {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const { active } = await lookout.record(key);
    if (active?.status === status) return;
    await lookout.pass(durationMs(500));
  }
  throw new Error(`${key} is never ${status}`);
}

const patches = (): number => lookout.cluster.history.filter(({ manager }) => manager === "lookout").length;

// The seeds are those of `npm run simulate` at the time; a change of the simulation gives them other histories.
describe("an image that a user replaced and set again during its rollout", () => {
  it("stays, although it does not run (seeds 10002 and 13964 of 200 events)", async () => {
    const key = await tracked();
    const digest = await lookout.push("shop/api", "1.1.0", { broken: true });
    await until(key, "rolling-out");

    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.0.0`);
    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.1.0@${digest}`);
    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(patches()).toBe(1);
    expect((await lookout.record(key)).last).toMatchObject({ status: "superseded", reason: "already-runs" });
  });

  it("stays even if the user set it between the failed check and the rollback", async () => {
    const key = await tracked();
    const digest = await lookout.push("shop/api", "1.1.0", { broken: true });
    const health = lookout.cluster.health.bind(lookout.cluster);
    lookout.cluster.health = async (...asked) => {
      const answer = await health(...asked);
      if (answer.kind !== "failed") return answer;
      lookout.cluster.setImage(api, "app", `${host}/shop/api:1.0.0`);
      lookout.cluster.setImage(api, "app", `${host}/shop/api:1.1.0@${digest}`);
      return answer;
    };

    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(patches()).toBe(1);
  });
});

describe("an ordered StatefulSet that waits for a broken pod of another revision", () => {
  const set = { ...api, kind: "StatefulSet" } as const;

  /** Lets a person leave a broken image, and Lookout bring the next version. */
  async function stuck(): Promise<string> {
    const key = await tracked({}, { kind: "StatefulSet" });
    await lookout.push("shop/api", "1.0.1", { broken: true, quietly: true });
    lookout.cluster.setImage(set, "app", `${host}/shop/api:1.0.1`);
    await lookout.pass(minutes(1));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    return key;
  }

  it("gets the new version, which is not blamed for that pod (seeds 180 and 1568 of 300 events)", async () => {
    const key = await stuck();
    await lookout.pass(minutes(20));

    const { last, blocked } = await lookout.record(key);
    expect(last).toMatchObject({ status: "succeeded" });
    expect(blocked.map(({ reason }) => reason)).toEqual(["changed-by-hand"]);
    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("waits with a reason if Lookout may not delete pods, and continues when a user does", async () => {
    const denied = { kind: "denied", detail: "may not delete pods" } as const;
    lookout.cluster.deleteFailedPods = () => Promise.resolve(denied);
    const key = await stuck();
    await lookout.pass(minutes(20));
    const waiting = await lookout.record(key);

    lookout.cluster.deletePods(set);
    await lookout.pass(minutes(2));

    expect(waiting.active).toMatchObject({ progress: { kind: "waiting", why: "broken-pod" } });
    expect(waiting.blocked.map(({ reason }) => reason)).toEqual(["changed-by-hand"]);
    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
  });
});

describe("an image that a user sets between the reads of the object and of its pods", () => {
  it("is not taken for the earlier one, so its digest is not blocked (seed 480 of 300 events)", async () => {
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    await lookout.pass(seconds(2));
    const runningImages = lookout.cluster.runningImages.bind(lookout.cluster);
    lookout.cluster.runningImages = async (...asked) => {
      lookout.cluster.runningImages = runningImages;
      lookout.cluster.setImage(api, "app", `${host}/shop/api:1.1.0`);
      await lookout.pass(seconds(2));
      return runningImages(...asked);
    };

    await lookout.sync();
    await lookout.sync();
    await lookout.pass(minutes(1));

    const digests = (await lookout.record(key)).blocked.map(({ digest }) => digest);
    const chosen = await lookout.registry.resolve({ registry: host, repository: "shop/api" }, "1.1.0", signal);
    expect(chosen.kind === "manifest" && digests.includes(chosen.digest)).toBe(false);
  });
});

describe("an active update when its workload is untracked", () => {
  it("counts as what the user replaced meanwhile (seed 172 of 300 events)", async () => {
    const key = await tracked();
    const digest = await lookout.push("shop/api", "1.2.0");
    await until(key, "rolling-out");
    lookout.cluster.annotate(api, { "lookout.dev/enabled": undefined });
    await lookout.sync();
    await lookout.push("shop/api", "1.0.1", { quietly: true });
    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.0.1`);

    lookout.cluster.annotate(api, { "lookout.dev/enabled": "true" });
    await lookout.sync();
    await lookout.pass(minutes(3));

    expect((await lookout.record(key)).blocked).toMatchObject([{ digest, reason: "changed-by-hand" }]);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.1`);
  });
});

describe("a rollout that nobody checked before its deadline", () => {
  it("gets a new deadline, and no rollback for a restart at that moment (seeds 103 and 2050 of 300 events)", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await until(key, "rolling-out");
    lookout.loseMessages();
    await lookout.pass(minutes(30));
    lookout.cluster.restart(api, "2026-11-21T10:30:00Z");

    await lookout.reap();
    await lookout.pass(minutes(2));

    expect(await lookout.record(key)).toMatchObject({ last: { status: "succeeded" }, blocked: [] });
    expect(lookout.image(key)).toContain(":1.1.0@");
  });
});

describe("a patch with an unknown outcome", () => {
  it("leaves the evaluation to a later version (seed 10929 of 200 events)", async () => {
    const key = await tracked();
    const sent: OutgoingCommand[] = [];
    lookout.ports.queues.send = async (sendings) => void sent.push(...sendings);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    const released = await lookout.record(key);
    const selectionFailures = [{ container: "app", reason: "registry-unreachable" }] as const;
    const asking = { ...released, version: released.version + 1, selectionFailures };
    await lookout.ports.store.write(asking);
    lookout.cluster.failNext({ kind: "unknown", detail: "timed out" });
    const { workload, uid, seq, version } = asking;
    const command: RollOut = { name: "RollOut", workload, uid, seq, version };

    const outcome = await rollOut(command, lookout.ports, signal);

    const left = sent.map(({ command: one }) => one).filter((one) => "id" in one && one.id === `${uid}:${version + 1}`);
    expect(outcome).toEqual({ kind: "check-again" });
    expect(left).toMatchObject([{ name: "EvaluateWorkload" }]);
  });
});

describe("a sync of an unreachable cluster", () => {
  it("that died before it queued the next is delivered again (seed 588 of 200 events)", async () => {
    const key = await tracked();
    const { workload, uid, version } = await lookout.record(key);
    const command: EvaluateWorkload = { name: "EvaluateWorkload", id: "watch-17", workload, source: "watch" };
    const sent: OutgoingCommand[] = [];
    lookout.cluster.unreachable(true);
    lookout.ports.queues.send = () => Promise.reject(new TransientError("killed"));
    await expect(evaluateWorkload(command, lookout.ports, signal)).rejects.toThrow("killed");

    lookout.ports.queues.send = async (sendings) => void sent.push(...sendings);
    await evaluateWorkload(command, lookout.ports, signal);

    expect(sent.map(({ command: next }) => next)).toMatchObject([
      { name: "EvaluateWorkload", id: `${uid}:${version + 1}` },
    ]);
  });
});

describe("a workload of two containers with one of them updated", () => {
  /** Has `shop/api` updated to 1.1.0 and pushes the first update of `shop/side`. */
  async function twoContainers(): Promise<string> {
    await lookout.push("shop/side", "1.0.0", { quietly: true });
    const images = ["api", "side"].map((name) => ({ name, image: `${host}/shop/${name}:1.0.0` }));
    const metadata = { ...api, annotations: { "lookout.dev/enabled": "true" } };
    const { kind } = api;
    const key = workloadKey(
      lookout.cluster.apply({ kind, metadata, spec: { template: { spec: { containers: images } } } }),
    );
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    await lookout.push("shop/side", "1.1.0");
    return key;
  }

  it("is held when a user reverts that one before the other is written (seed 864 of 200 events)", async () => {
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    const key = await twoContainers();
    lookout.cluster.patch = (...asked) => {
      lookout.cluster.patch = patch;
      lookout.cluster.undo(api);
      return patch(...asked);
    };

    await lookout.pass(minutes(3));

    expect((await lookout.record(key)).hold).toMatchObject({ reason: "reverted-by-user", seq: 1 });
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it("does not get it again when a user replaces it during the other's rollout", async () => {
    const key = await twoContainers();
    await until(key, "rolling-out");
    lookout.cluster.setImage(api, "api", `${host}/shop/api:1.0.0`);

    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).blocked).toMatchObject([{ tag: "1.1.0", reason: "changed-by-hand" }]);
  });
});

describe("a landed patch without an answer", () => {
  it("still counts as Lookout's when the cluster is away for minutes (seed 21051 of 300 events)", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    lookout.cluster.failNext({ kind: "unknown", detail: "timed out" }, true);
    await lookout.settle();
    lookout.cluster.unreachable(true);
    await lookout.pass(minutes(5));

    lookout.cluster.unreachable(false);
    await lookout.sync();
    await lookout.pass(minutes(2));

    expect(await lookout.record(key)).toMatchObject({ last: { seq: 1, status: "succeeded" }, blocked: [] });
  });
});

describe("the end of a quarantine", () => {
  it("sends one command for a waiting update, though it lists twice (seed 682 of 100 events)", async () => {
    const key = await tracked({ "lookout.dev/maintenance-window": "03:00-04:00" });
    const digest = await lookout.push("shop/api", "1.1.0", { quietly: true });
    await putInQuarantine({ digest, why: "CVE", by: "ana" }, lookout.ports);
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.settle();
    const sent: string[] = [];
    const send = lookout.ports.queues.send.bind(lookout.ports.queues);
    lookout.ports.queues.send = (sendings) => {
      sent.push(...sendings.map(({ command }) => command.name));
      return send(sendings);
    };

    await liftQuarantine(digest, lookout.ports);
    await lookout.pass(minutes(3));

    expect((await lookout.record(key)).pending?.waits).toMatchObject([{ reason: "window-closed" }]);
    expect(sent.filter((command) => command === "Wake")).toHaveLength(1);
  });
});
