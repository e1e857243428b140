import { describe, expect, it } from "vitest";
import type { RollingOutUpdate } from "#domain/update/state/workload";
import {
  aChange,
  aLiveContainer,
  annotated,
  anObserved,
  aPatched,
  api,
  aRolling,
  aRollingBack,
  aRunning,
  at,
  aWaiting,
  digest,
  image,
  noon,
  imageName,
  setByHand,
} from "../builders.ts";
import { live, healthy, progressing, failed, still, oneMinutePast, judge, judgeBack, recordOf } from "./judging.ts";
import { restartChange } from "./planning.ts";

describe("a rollout with running pods", () => {
  const running = {
    seenAt: oneMinutePast,
    settlesAt: at("2026-03-02T12:01:10Z"),
    since: oneMinutePast,
    restarts: 0,
    pods: 3,
  };

  it("is stored at the first check, and has not succeeded yet", () => {
    const record = recordOf(judge(aRolling(), healthy({ restarts: 2 })));

    expect(record?.active).toEqual(aRunning({ ...running, restarts: 2 }));
    expect(record?.transitions).toEqual([
      { seq: 1, what: "running", reasons: [], detail: "3 pods", changes: [aChange()] },
    ]);
  });

  it.each([
    { runningSince: at("2026-03-02T12:00:40Z"), since: at("2026-03-02T12:00:40Z"), because: "the nodes say so" },
    { runningSince: at("2026-03-02T11:00:00Z"), since: noon, because: "nothing of it ran before the patch" },
    { runningSince: at("2026-03-02T13:00:00Z"), since: oneMinutePast, because: "a node's clock is ahead" },
  ])("runs since $since, because $because", ({ runningSince, since }) => {
    expect(recordOf(judge(aRolling(), healthy({ runningSince })))?.active).toMatchObject({
      progress: { running: { since } },
    });
  });

  it("succeeds when a check after the settling time finds it healthy", () => {
    expect(judge(aRunning(running), healthy(), at("2026-03-02T12:01:09.999Z"))).toEqual({ kind: "check-again" });

    const record = recordOf(judge(aRunning(running), healthy({ pods: 1 }), at("2026-03-02T12:01:10Z")));
    expect(record).toMatchObject({
      last: { seq: 1, status: "succeeded", patchedAt: noon, runningSince: oneMinutePast, detail: "1 pod" },
      landed: { seq: 1, status: "succeeded" },
      observed: {
        updateLabel: "abc123-1",
        containers: [{ name: "app", image: image("1.1.0", "1"), digest: digest("1"), baseline: digest("1") }],
      },
      transitions: [{ seq: 1, what: "succeeded", detail: "1 pod" }],
    });
    expect(record).not.toHaveProperty("active");
    // The registries would say the same again.
    expect(record).not.toHaveProperty("needsEvaluation");
    expect(record).not.toHaveProperty("dueAt");
  });

  it("settles again after a restart of a pod", () => {
    const record = recordOf(judge(aRunning(running), healthy({ restarts: 1 }), at("2026-03-02T12:01:20Z")));

    expect(record?.active).toMatchObject({
      progress: {
        running: { seenAt: at("2026-03-02T12:01:20Z"), settlesAt: at("2026-03-02T12:01:30Z"), restarts: 1 },
      },
    });
    expect(record?.transitions).toMatchObject([
      { seq: 1, what: "waiting", detail: "a pod restarted, 1 restarts so far" },
    ]);
  });

  it("settles again after pods were not ready", () => {
    const between = recordOf(judge(aRunning(running), progressing, at("2026-03-02T12:01:05Z")));
    const active = { ...aRunning(running), ...between?.active } as RollingOutUpdate;

    expect(between?.transitions).toMatchObject([{ seq: 1, what: "waiting", detail: "1 of 3 pods are ready" }]);
    expect(recordOf(judge(active, healthy(), at("2026-03-02T12:01:20Z")))?.last).toBeUndefined();
  });
});

describe("an active rollout", () => {
  it("is checked until its deadline", () => {
    expect(judge(aRolling(), progressing, at("2026-03-02T12:09:59.999Z"))).toEqual({ kind: "check-again" });
  });

  it("is written again when it is due", () => {
    const record = recordOf(judge(aRolling(), progressing, oneMinutePast, { effects: { dueAt: oneMinutePast } }));

    expect(record).toMatchObject({
      active: aRolling(),
      transitions: [{ seq: 1, what: "waiting", reasons: [] }],
      effects: { dueAt: at("2026-03-02T12:11:00Z") },
    });
  });

  it.each([
    {
      health: progressing,
      now: at("2026-03-02T12:10:00Z"),
      reason: "rollout-timed-out",
      detail: "1 of 3 pods are ready",
    },
    { health: failed, now: oneMinutePast, reason: "rollout-failed", detail: "app: ErrImagePull" },
  ] as const)("is rolled back, and its digest is blocked: $reason", ({ health, now, reason, detail }) => {
    const record = recordOf(judge(aRolling(), health, now));

    expect(record?.active).toEqual(aRollingBack({ failure: { at: now, reason, detail } }));
    expect(record?.blocked).toEqual([{ imageName, digest: digest("1"), tag: "1.1.0", reason, seq: 1, at: now }]);
    expect(record?.transitions).toEqual([
      { seq: 1, what: "failing", reasons: [{ reason, detail }], detail, changes: [aChange()] },
    ]);
    expect(record?.effects.dueAt).toBe(now + 60_000);
  });

  it("gets a new deadline when Lookout did not check it in time (seed 1599)", () => {
    const now = at("2026-03-02T12:11:00Z");
    const record = recordOf(judge(aRolling(), progressing, now));

    expect(recordOf(judge(aRolling(), progressing, at("2026-03-02T12:10:59.999Z")))?.active?.status).toBe(
      "rolling-back",
    );
    expect(record?.active).toEqual(
      aRolling({ progress: { kind: "progressing", deadlineAt: at("2026-03-02T12:21:00Z") } }),
    );
    expect(record?.transitions).toMatchObject([
      { what: "waiting", detail: "Lookout did not check the rollout before its deadline" },
    ]);
  });

  it("fails without a rollback if auto-rollback is false, and its digest is blocked", () => {
    const record = recordOf(
      judge(aRolling(), failed, oneMinutePast, {
        observed: anObserved({ annotations: annotated({ "auto-rollback": "false" }) }),
      }),
    );

    expect(record).toMatchObject({
      last: { status: "failed", reason: "rollout-failed", detail: "app: ErrImagePull" },
      blocked: [{ digest: digest("1"), reason: "rollout-failed" }],
      observed: { containers: [{ image: image("1.1.0", "1"), digest: digest("1") }] },
    });
    expect(record).not.toHaveProperty("active");
  });

  it.each([
    { why: "nothing-to-run", detail: "the image is written, but no replica is wanted" },
    { why: "cronjob-suspended", detail: "the image is written, but not verified: the CronJob is suspended" },
  ] as const)("succeeds unverified: $why", ({ why, detail }) => {
    expect(recordOf(judge(aRolling(), { kind: "unverifiable", live, why }))?.last).toMatchObject({
      status: "succeeded",
      detail,
    });
  });
});

describe("a waiting rollout", () => {
  it.each([
    { why: "paused", detail: "the workload is paused: resume it to continue the rollout" },
    { why: "on-delete", detail: "the pods are replaced after a user deletes them (update strategy OnDelete)" },
    { why: "next-job", detail: "the rollout waits for the next Job" },
  ] as const)("has no deadline and no slot of the budget: $why", ({ why, detail }) => {
    const record = recordOf(judge(aRolling(), still(why)));

    expect(record?.effects.budget).toEqual({ frees: 0 });
    expect(record?.active).toEqual(aWaiting(why));
    expect(record?.transitions).toMatchObject([{ seq: 1, what: "waiting", reasons: [], detail }]);
    expect(record?.effects.dueAt).toBe(at("2026-03-02T18:01:00Z"));
  });

  it("is reported once, and again when it is due or has another cause", () => {
    const paused = aWaiting("paused");
    const late = at("2026-03-05T12:00:00Z");

    expect(judge(paused, still("paused"))).toEqual({ kind: "check-again" });
    expect(recordOf(judge(paused, still("paused"), late))).toMatchObject({
      active: paused,
      transitions: [{ what: "waiting" }],
    });
    expect(recordOf(judge(paused, still("on-delete")))?.active).toEqual(aWaiting("on-delete"));
  });

  it("behind a broken pod of another revision deletes that pod, or waits if that is forbidden", () => {
    const waiting = still("broken-pod");
    const verdict = judge(aRolling(), waiting, at("2026-03-02T13:00:00Z"));

    expect(verdict).toMatchObject({ kind: "free-failed-pods", images: [] });
    expect(verdict.kind === "free-failed-pods" && recordOf(verdict.denied)).toMatchObject({
      active: { progress: { kind: "waiting", why: "broken-pod" } },
      blocked: [],
    });
  });

  it("gets a deadline when it continues", () => {
    const record = recordOf(judge(aWaiting("paused"), progressing, at("2026-03-03T12:00:00Z")));

    expect(record?.active).toEqual(
      aWaiting("paused", { progress: { kind: "progressing", deadlineAt: at("2026-03-03T12:10:00Z") } }),
    );
    expect(record?.transitions).toMatchObject([{ what: "waiting", reasons: [], detail: "the pods change again" }]);
  });

  it("does not settle again after a short wait with running pods", () => {
    const running = { seenAt: noon, settlesAt: oneMinutePast, since: noon, restarts: 0, pods: 3 };
    const paused = recordOf(judge(aRunning(running), still("paused")))?.active as RollingOutUpdate;

    expect(paused.progress).toEqual({ kind: "waiting", why: "paused", running });
    expect(recordOf(judge(paused, healthy()))?.last).toMatchObject({ status: "succeeded", runningSince: noon });
  });

  it("of a CronJob ends as unverifiable when no Job was due in time", () => {
    const cronJob = { workload: { ...api, kind: "CronJob" } } as const;
    const waiting = aWaiting("next-job");

    expect(judge(waiting, still("next-job"), at("2026-03-02T12:09:59.999Z"), cronJob)).toEqual({
      kind: "check-again",
    });
    expect(recordOf(judge(waiting, still("next-job"), at("2026-03-02T12:10:00Z"), cronJob))?.last).toMatchObject({
      status: "succeeded",
      detail: "the image is written, but not verified: no Job was due within the time limit",
    });
  });
});

describe("images that are not Lookout's", () => {
  const cases = [healthy, () => progressing, () => failed].map((make) => make());

  it("are a user's rollback when they are the previous images, whatever the pods do", () => {
    for (const health of cases) {
      const record = recordOf(judge(aRolling(), { ...health, live: aPatched(image("1.0.0")) }));

      expect(record).toMatchObject({ hold: { seq: 1 }, last: { status: "reverted" }, blocked: [] });
      expect(record).not.toHaveProperty("active");
    }
  });

  it("stay when a user set other images, and Lookout does not write its images again", () => {
    for (const health of cases) {
      const record = recordOf(judge(aRolling(), { ...health, live: aPatched(image("3.0.0")) }));

      expect(record).toMatchObject({
        last: { status: "superseded", reason: "changed-by-hand" },
        blocked: [{ digest: digest("1"), reason: "changed-by-hand" }],
        needsEvaluation: true,
      });
    }
  });

  it("are a user's when a user set Lookout's images again, and are never rolled back", () => {
    for (const health of cases) {
      const again = aPatched(image("1.1.0", "1"), { containers: [setByHand] });
      const record = recordOf(judge(aRolling(), { ...health, live: again }));

      expect(record).toMatchObject({ last: { status: "superseded", reason: "already-runs" }, blocked: [] });
      expect(record).not.toHaveProperty("active");
    }
  });

  it("are not a user's after a restart alone, even if a user owns the image field", () => {
    const restarting = aRolling({ changes: [restartChange], restart: { to: "ours" } });
    const again = aPatched(image("1.0.0"), {
      restartedAt: "ours",
      containers: [{ ...setByHand, image: image("1.0.0") }],
    });

    expect(judge(restarting, { ...progressing, live: again })).toEqual({ kind: "check-again" });
  });

  it("in one of several containers stay in that container", () => {
    const side = aChange({
      name: "side",
      imageName: "registry.test/shop/side",
      digest: digest("5"),
      tag: "4.1.0",
      from: "registry.test/shop/side:4.0.0",
      to: "registry.test/shop/side:4.1.0",
    });
    const partly = aPatched(image("1.0.0"), {
      containers: [aLiveContainer(), aLiveContainer({ index: 1, name: "side", image: side.to })],
    });
    const record = recordOf(judge(aRolling({ changes: [aChange(), side] }), { ...progressing, live: partly }));

    expect(record?.blocked.map((refusal) => refusal.digest)).toEqual([digest("1")]);
  });

  it("of another object with the same name end the update", () => {
    const other = aPatched(image("1.1.0", "1"), { uid: "uid-2" });

    expect(recordOf(judge(aRolling(), { ...progressing, live: other }))?.last).toMatchObject({
      status: "superseded",
      reason: "object-recreated",
    });
    expect(recordOf(judgeBack({ ...progressing, live: other }))?.last).toMatchObject({
      status: "superseded",
      reason: "object-recreated",
    });
  });
});
