import { describe, expect, it } from "vitest";
import { nextCheckAt } from "#domain/update/effects/commands";
import { type EpochMs, minutes, plus, seconds } from "#domain/shared/time";
import type { Progressing, RollingOutUpdate } from "#domain/update/state/workload";
import type { Health, LastingFault } from "#domain/workload/health";
import {
  aChange,
  annotated,
  anObserved,
  aPatched,
  aRolledBack,
  aRolling,
  aRollingBack,
  aRunning,
  digest,
  imageName,
  noon,
  tenPast,
} from "../builders.ts";
import { failed, judge, live, progressing, recordOf } from "./judging.ts";
import { sideChange, sideLive } from "./planning.ts";

const detail = "app: ErrImagePull";
const faulty = (fault: LastingFault, ready = 1): Health => ({
  kind: "progressing",
  live,
  ready,
  wanted: 3,
  detail,
  fault,
});
const after = (passed: number): EpochMs => plus(noon, seconds(passed));
const rolling = (given: Partial<Progressing> = {}): RollingOutUpdate =>
  aRolling({ progress: { kind: "progressing", deadlineAt: tenPast, ...given } });
const inGrace = { detail, ready: 1, failsAt: after(60) };
const blocked = { imageName, digest: digest("1"), tag: "1.1.0", seq: 1 };

describe("a fault of pulling or creating", () => {
  it.each(["lasting", "backing-off"] as const)("that is %s starts a grace, and is told", (fault) => {
    const record = recordOf(judge(rolling(), faulty(fault), noon));

    expect(record?.active).toEqual(rolling({ fault: inGrace }));
    expect(record?.transitions).toEqual([{ seq: 1, what: "waiting", reasons: [], detail, changes: [aChange()] }]);
    expect(record?.effects.dueAt).toBe(after(120));
  });

  it("fails the update at the end of the grace, and not before", () => {
    const active = rolling({ fault: inGrace });

    expect(judge(active, faulty("lasting"), after(59.999))).toEqual({ kind: "check-again" });
    expect(judge(active, faulty("lasting", 0), after(59.999))).toEqual({ kind: "check-again" });
    const record = recordOf(judge(active, faulty("lasting"), after(60)));
    expect(record?.active).toEqual(aRollingBack({ failure: { at: after(60), reason: "rollout-failed", detail } }));
    expect(record?.blocked).toEqual([{ ...blocked, reason: "rollout-failed", at: after(60) }]);
    expect(record).not.toHaveProperty("limited");
  });

  it("has the grace of lookout.dev/pull-grace", () => {
    const observed = anObserved({ annotations: annotated({ "pull-grace": "5m" }) });
    const record = recordOf(judge(rolling(), faulty("lasting"), noon, { observed }));

    expect(record?.active).toEqual(rolling({ fault: { ...inGrace, failsAt: plus(noon, minutes(5)) } }));
  });

  it("starts its grace anew when another pod is ready", () => {
    const active = rolling({ fault: inGrace });
    const next = { detail, ready: 2, failsAt: after(120) };

    expect(recordOf(judge(active, faulty("lasting", 2), after(60)))?.active).toEqual(rolling({ fault: next }));
  });

  it("has no grace left over after it went away", () => {
    const record = recordOf(judge(rolling({ fault: inGrace }), progressing, after(30)));

    expect(record?.active).toEqual(rolling());
    expect(record?.transitions).toMatchObject([{ seq: 1, what: "waiting", detail: "1 of 3 pods are ready" }]);
    expect(judge(rolling(), progressing, after(30))).toEqual({ kind: "check-again" });
  });

  it("starts a grace after pods ran", () => {
    const running = { seenAt: noon, settlesAt: after(10), since: noon, restarts: 0, pods: 3 };
    const record = recordOf(judge(aRunning(running), faulty("lasting"), noon));

    expect(record?.active).toEqual(rolling({ fault: inGrace }));
  });

  it("fails at the deadline at the latest", () => {
    const active = rolling({ fault: { ...inGrace, failsAt: plus(tenPast, minutes(1)) } });
    const record = recordOf(judge(active, faulty("lasting"), tenPast));

    expect(record?.blocked).toEqual([{ ...blocked, reason: "rollout-timed-out", at: tenPast }]);
  });

  it("gets a new deadline with the rollout, and keeps its grace", () => {
    const now = plus(tenPast, minutes(1));
    const record = recordOf(judge(rolling({ fault: inGrace }), faulty("lasting"), now));

    expect(record?.active).toEqual(rolling({ fault: inGrace, deadlineAt: plus(now, minutes(10)) }));
  });
});

describe("a registry's limit of pulls", () => {
  const limited = { fault: { detail, ready: 1 }, wasLimited: true } as const;

  it("is told once, and does not fail the update within the deadline", () => {
    expect(recordOf(judge(rolling(), faulty("limited"), noon))?.active).toEqual(rolling(limited));
    for (const fault of ["limited", "backing-off"] as const)
      expect(judge(rolling(limited), faulty(fault, 2), after(599))).toEqual({ kind: "check-again" });
  });

  it("ends the grace of an earlier fault", () => {
    expect(recordOf(judge(rolling({ fault: inGrace }), faulty("limited"), after(60)))?.active).toEqual(
      rolling(limited),
    );
  });

  it.each([faulty("limited"), faulty("backing-off"), progressing])(
    "rolls the update back at the deadline, and blocks no digest",
    (health) => {
      const record = recordOf(judge(rolling(limited), health, tenPast));

      expect(record?.active).toMatchObject({
        status: "rolling-back",
        failure: { at: tenPast, reason: "pull-limited" },
      });
      expect(record?.blocked).toEqual([]);
      expect(record?.limited).toEqual([
        {
          imageName,
          digest: digest("1"),
          tag: "1.1.0",
          reason: "pull-limited",
          times: 1,
          until: plus(tenPast, minutes(15)),
        },
      ]);
    },
  );

  it("counts the times of the same digest", () => {
    const before = {
      imageName,
      digest: digest("1"),
      tag: "1.1.0",
      reason: "pull-limited",
      times: 2,
      until: noon,
    } as const;
    const record = recordOf(judge(rolling(limited), faulty("limited"), tenPast, { limited: [before] }));

    expect(record?.limited).toEqual([{ ...before, times: 3, until: plus(tenPast, minutes(60)) }]);
  });

  it("ends the update at the deadline when nothing is rolled back", () => {
    const observed = anObserved({ annotations: annotated({ "auto-rollback": "false" }) });
    const record = recordOf(judge(rolling(limited), faulty("limited"), tenPast, { observed }));

    expect(record?.last).toMatchObject({ status: "failed", reason: "pull-limited", detail });
    expect([record?.blocked, record?.limited?.length]).toEqual([[], 1]);
  });

  it("does not excuse another fault", () => {
    const record = recordOf(judge(rolling(limited), faulty("lasting"), noon));

    expect(record?.active).toEqual(rolling({ fault: inGrace, wasLimited: true }));
    expect(recordOf(judge(rolling(limited), failed, noon))?.blocked).toMatchObject([{ reason: "rollout-failed" }]);
  });

  it("is remembered after pulls work again", () => {
    expect(recordOf(judge(rolling(limited), progressing, noon))?.active).toEqual(rolling({ wasLimited: true }));
  });
});

describe.each([
  ["quota", "quota-exceeded"],
  ["webhook", "webhook-unavailable"],
] as const)("a %s that lets no pods be created", (fault, reason) => {
  const held = { fault: { detail, ready: 1 } } as const;

  it("is told once, and does not fail the update within the deadline", () => {
    expect(recordOf(judge(rolling(), faulty(fault), noon))?.active).toEqual(rolling(held));
    expect(judge(rolling(held), faulty(fault, 2), after(599))).toEqual({ kind: "check-again" });
  });

  it("rolls the update back at the deadline, and blocks no digest", () => {
    const record = recordOf(judge(rolling(held), faulty(fault), tenPast));

    expect(record?.active).toEqual(aRollingBack({ failure: { at: tenPast, reason, detail } }));
    expect(record?.blocked).toEqual([]);
    expect(record?.limited).toEqual([
      { imageName, digest: digest("1"), tag: "1.1.0", reason, times: 1, until: plus(tenPast, minutes(15)) },
    ]);
  });

  it("excuses no other cause at the deadline", () => {
    expect(recordOf(judge(rolling(held), progressing, tenPast))?.blocked).toEqual([
      { ...blocked, reason: "rollout-timed-out", at: tenPast },
    ]);
  });
});

describe("pods that a policy denies", () => {
  it("fail the update at once, with their own reason", () => {
    const record = recordOf(judge(rolling(), { kind: "failed", live, detail, isDenied: true }, noon));

    expect(record?.active).toEqual(aRollingBack({ failure: { at: noon, reason: "pods-denied", detail } }));
    expect(record?.blocked).toEqual([{ ...blocked, reason: "pods-denied", at: noon }]);
  });
});

describe("a failed update of several containers", () => {
  const both = [aChange(), sideChange];
  const two = rolling();
  const active = { ...two, changes: both };
  const shown = aPatched(undefined, {
    containers: [...live.containers, { ...sideLive, image: sideChange.to }],
  });
  const blockedBy = (health: Health, at = noon, given: RollingOutUpdate = active) =>
    recordOf(judge(given, health, at))?.blocked.map(({ tag, reason }) => [tag, reason]);
  const failing = (containers?: readonly string[]): Health => ({
    kind: "failed",
    live: shown,
    detail,
    ...(containers && { containers }),
  });

  it("blocks only the digests of the containers that failed", () => {
    expect(blockedBy(failing(["side"]))).toEqual([["4.1.0", "rollout-failed"]]);
    expect(blockedBy(failing(["app"]))).toEqual([["1.1.0", "rollout-failed"]]);
    expect(blockedBy(failing(["app", "side", "proxy"]))).toHaveLength(2);
  });

  it.each([undefined, []])("blocks all if the fault names %j", (containers) => {
    expect(blockedBy(failing(containers))).toHaveLength(2);
  });

  it("blocks none, and comes again, if only another container can't be pulled", () => {
    const record = recordOf(judge(active, failing(["proxy"]), noon));

    expect(record?.active).toMatchObject({ status: "rolling-back", failure: { reason: "other-container-failed" } });
    expect(record?.blocked).toEqual([]);
    expect(record?.limited?.map(({ tag, reason, until }) => [tag, reason, until])).toEqual([
      ["1.1.0", "other-container-failed", plus(noon, minutes(15))],
      ["4.1.0", "other-container-failed", plus(noon, minutes(15))],
    ]);
  });

  it("blocks all if another container crashes, because the new images may cause it", () => {
    expect(blockedBy({ ...failing(["proxy"]), crashes: true } as Health)).toHaveLength(2);
  });

  it("rolls all of them back", () => {
    const record = recordOf(judge(active, failing(["side"]), noon));

    expect(record?.active).toMatchObject({ status: "rolling-back", changes: both });
  });

  it("blocks only those with a fault at the end of a grace and at the deadline", () => {
    const health: Health = { ...faulty("lasting"), live: shown, containers: ["side"] } as Health;
    const inFault = { ...active, progress: { kind: "progressing", deadlineAt: tenPast, fault: inGrace } } as const;

    expect(blockedBy(health, after(60), inFault)).toEqual([["4.1.0", "rollout-failed"]]);
    expect(blockedBy(health, tenPast)).toEqual([["4.1.0", "rollout-timed-out"]]);
  });

  it("tries only those again whose pulls a registry limited", () => {
    const health: Health = { ...faulty("limited"), live: shown, containers: ["side"] } as Health;

    expect(recordOf(judge(active, health, tenPast))?.limited?.map(({ tag }) => tag)).toEqual(["4.1.0"]);
  });
});

describe("the next check", () => {
  it.each([
    { update: rolling(), at: after(35), because: "a check comes every 15 s" },
    { update: rolling({ fault: { ...inGrace, failsAt: after(25) } }), at: after(25), because: "a grace ends before" },
    { update: rolling({ fault: { ...inGrace, failsAt: after(50) } }), at: after(35), because: "a grace ends later" },
    { update: rolling({ fault: { ...inGrace, failsAt: after(20) } }), at: after(35), because: "a grace has ended" },
    { update: rolling({ fault: { detail, ready: 1 } }), at: after(35), because: "a limit has no grace" },
    { update: aRollingBack(), at: after(35), because: "a rollback is checked as a rollout is" },
    {
      update: aRolledBack({ rollback: { kind: "patched", at: after(14), deadlineAt: tenPast } }),
      at: after(22),
      because: "a rollback has just begun",
    },
  ])("is at $at, because $because", ({ update, at }) => {
    const began = update.status === "rolling-out" || update.rollback.kind === "patching" ? after(-40) : noon;

    expect(nextCheckAt({ ...update, patchedAt: began }, after(20))).toBe(at);
  });
});
