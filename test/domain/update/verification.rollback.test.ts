import { checkGates } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import type { Health } from "#domain/workload/health";
import type { RollingBackUpdate, WorkloadRecord } from "#domain/update/state/workload";
import {
  aChange,
  aContainer,
  aLive,
  aLiveContainer,
  aNewerChange,
  aPatched,
  aPending,
  api,
  aRolledBack,
  aRolling,
  at,
  digest,
  image,
  openFacts,
  settingsOf,
} from "../builders.ts";
import { healthy, progressing, failed, still, oneMinutePast, judge, judgeBack, recordOf, putBack } from "./judging.ts";

describe("a rollback", () => {
  it.each([
    { ...healthy(), live: putBack },
    { kind: "unverifiable", live: putBack, why: "nothing-to-run" },
    { kind: "waiting", live: putBack, why: "paused" },
  ] as Health[])("succeeds when the old image is $kind", (health) => {
    const record = recordOf(judgeBack(health));

    expect(record).toMatchObject({
      last: { status: "rolled-back", reason: "rollout-failed", detail: "ErrImagePull" },
      observed: { containers: [aContainer()] },
    });
    expect(record).not.toHaveProperty("active");
    expect(record).not.toHaveProperty("landed");
    // What was wanted meanwhile was selected against the image that is gone again.
    expect(record).toMatchObject({ needsEvaluation: true });
  });

  it("waits for the old image until its deadline", () => {
    expect(judgeBack({ ...progressing, live: putBack })).toEqual({ kind: "check-again" });
    expect(judgeBack({ ...failed, live: putBack })).toEqual({ kind: "check-again" });
  });

  it("of a StatefulSet deletes the failed pods first, because Kubernetes waits for them", () => {
    const statefulSet = { workload: { ...api, kind: "StatefulSet" } } as const;

    for (const health of [progressing, failed, still("broken-pod")])
      expect(judgeBack({ ...health, live: putBack }, oneMinutePast, statefulSet)).toMatchObject({
        kind: "free-failed-pods",
        images: [image("1.1.0", "1")],
      });
    expect(judgeBack({ ...failed, live: putBack }, at("2026-03-02T12:10:00Z"), statefulSet).kind).toBe("store");
  });

  it.each([
    { health: { ...progressing, live: putBack }, detail: "1 of 3 pods are ready" },
    { health: { ...failed, live: putBack }, detail: "app: ErrImagePull" },
    {
      health: { ...still("broken-pod"), live: putBack },
      detail: "a broken pod of another revision blocks the rollout: delete the pod, or grant Lookout delete on pods",
    },
  ])("fails after its deadline: $detail", ({ health, detail }) => {
    expect(recordOf(judgeBack(health, at("2026-03-02T12:10:00Z")))).toMatchObject({
      last: { status: "rollback-failed", reason: "rollback-not-recovered", detail },
      needsEvaluation: true,
    });
  });

  it("fails with a remedy if pods may not be deleted", () => {
    const statefulSet = { workload: { ...api, kind: "StatefulSet" } } as const;
    const verdict = judgeBack({ ...progressing, live: putBack }, oneMinutePast, statefulSet);

    expect(verdict.kind === "free-failed-pods" && recordOf(verdict.denied)?.last).toMatchObject({
      status: "rollback-failed",
      detail: "Lookout may not delete the failed pods: grant delete on pods",
    });
  });

  it("ends when a user sets the image again, and writes nothing more", () => {
    const record = recordOf(
      judgeBack({ ...healthy(), live: aPatched(image("1.1.0", "1"), { labels: putBack.labels }) }),
    );

    expect(record?.last).toMatchObject({ status: "superseded", reason: "already-runs" });
    expect(record).not.toHaveProperty("active");
  });
});

describe("another image by a user after a rollback", () => {
  it("stays, and Lookout writes neither the failed nor the restored image over it", () => {
    const record = recordOf(judgeBack({ ...progressing, live: aPatched(image("0.9.0"), { labels: putBack.labels }) }));

    expect(record?.last).toMatchObject({ status: "superseded", reason: "changed-by-hand" });
    expect(record?.blocked).toMatchObject([{ digest: digest("0"), tag: "1.0.0", reason: "changed-by-hand" }]);
  });
});

describe("a newer desired image that waits for a failing update", () => {
  const waiting = (change = aNewerChange()) =>
    aPending({ seq: 2, changes: [change], waits: [{ reason: "rollout-in-progress" }] });
  const gates = (record: WorkloadRecord) =>
    checkGates(record, { settings: settingsOf(record), facts: openFacts }, at("2026-03-02T12:02:00Z"));

  it("waits for a new evaluation, and then replaces the restored image", () => {
    const ended = recordOf(judgeBack({ ...healthy(), live: putBack }, oneMinutePast, { seq: 2, pending: waiting() }))!;
    const { needsEvaluation, ...asked } = ended;

    expect(needsEvaluation).toBe(true);
    expect(gates(ended)?.pending?.waits).toEqual([{ reason: "settings-changed" }]);
    expect(gates(asked)?.active).toMatchObject({ seq: 2, status: "released", changes: [aNewerChange()] });
  });

  it("does not select the blocked digest under another tag", () => {
    const retagged = aChange({ tag: "1.1.1", to: image("1.1.1", "1") });
    const failing = recordOf(judge(aRolling(), failed, oneMinutePast, { seq: 2, pending: waiting(retagged) }));
    const ended =
      failing &&
      recordOf(
        judgeBack({ ...healthy(), live: putBack }, oneMinutePast, failing, {
          ...aRolledBack(),
          ...failing.active,
          rollback: aRolledBack().rollback,
        } as RollingBackUpdate),
      );
    const next = ended && (gates(ended) ?? ended);

    expect(next?.active).toBeUndefined();
  });

  it("waits for the hold if a user reverted the update", () => {
    const ended = recordOf(
      judge(aRolling(), { ...progressing, live: aPatched(image("1.0.0")) }, oneMinutePast, {
        seq: 2,
        pending: waiting(),
      }),
    );
    const { needsEvaluation, ...asked } = ended!;

    expect(needsEvaluation).toBe(true);
    expect(gates(asked)?.pending?.waits).toMatchObject([{ reason: "reverted-by-user" }]);
  });

  it("is evaluated again if a user set another image", () => {
    const ended = recordOf(
      judge(
        aRolling(),
        { ...progressing, live: aLive({ containers: [aLiveContainer({ image: image("3.0.0") })] }) },
        oneMinutePast,
        { seq: 2, pending: waiting() },
      ),
    );

    expect(gates(ended!)?.active).toBeUndefined();
    expect(ended?.needsEvaluation).toBe(true);
  });
});
