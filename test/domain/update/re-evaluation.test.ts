import { describe, expect, it } from "vitest";
import { selectionStillHolds, markForReevaluation } from "#domain/update/decide/re-evaluation";
import type { ActiveUpdate, WorkloadRecord } from "#domain/update/state/workload";
import {
  aChange,
  aContainer,
  aLiveContainer,
  anObserved,
  aPatched,
  aPending,
  aRecord,
  aRolling,
  aRunning,
  at,
  digest,
  noon,
} from "../builders.ts";
import { healthy, judge, recordOf } from "./judging.ts";
import { sideChange, sideLive } from "./planning.ts";
import { change, satisfied, side } from "./proposing.ts";

const running = { seenAt: noon, settlesAt: noon, since: noon, restarts: 0, pods: 3 };
const succeeded = (active: object, given: Partial<WorkloadRecord>): WorkloadRecord | undefined =>
  recordOf(judge(aRunning(running, active), healthy(), at("2026-03-02T12:01:00Z"), given));

/**
 * The record once an update of a workload of two containers succeeded, where this image of the
 * second stands.
 */
const ofTwo = (changes: ActiveUpdate["changes"], shown: string): WorkloadRecord | undefined => {
  const containers = [aLiveContainer({ image: aChange().to }), { ...sideLive, image: shown }];
  const live = aPatched(aChange().to, { containers });
  const observed = anObserved({ containers: [aContainer(), side] });
  return recordOf(
    judge(aRunning(running, { changes }), { ...healthy(), live }, at("2026-03-02T12:01:00Z"), { observed }),
  );
};

describe("the registries of a workload after a successful update", () => {
  it("are not asked again without another change", () => {
    const record = succeeded({}, {});

    expect(record).toMatchObject({ last: { status: "succeeded" } });
    expect(record).not.toHaveProperty("needsEvaluation");
    expect(record).not.toHaveProperty("dueAt");
  });

  it("are not asked again after an update of several containers", () => {
    expect(ofTwo([aChange(), sideChange], sideChange.to)).not.toHaveProperty("needsEvaluation");
  });

  it("are asked again when another container has another image", () => {
    expect(ofTwo([aChange()], sideChange.to)).toMatchObject({ needsEvaluation: true, last: { status: "succeeded" } });
    expect(ofTwo([aChange()], side.image)).not.toHaveProperty("needsEvaluation");
  });

  it("need no second request when one is planned", () => {
    const record = aRecord({ needsEvaluation: true });

    expect(selectionStillHolds(record, aRolling(), record.observed)).toBe(false);
  });

  it.each<{ readonly after: string; readonly active?: object; readonly given?: Partial<WorkloadRecord> }>([
    { after: "they named what it replaces", active: { reevaluate: true } },
    { after: "a newer image was selected against the one before", given: { pending: aPending({ seq: 2 }) } },
    {
      after: "one of them gave no answer",
      given: { selectionFailures: [{ container: "app", reason: "registry-unreachable" }] },
    },
    { after: "the settings changed", given: { needsEvaluation: true } },
    {
      after: "another container came or went",
      given: { observed: anObserved({ containers: [aContainer(), aContainer({ name: "side" })] }) },
    },
    { after: "annotations changed", given: { observed: anObserved({ annotations: {} }) } },
  ])("are asked again after $after", ({ active = {}, given = {} }) => {
    expect(succeeded(active, given)).toMatchObject({ needsEvaluation: true, last: { status: "succeeded" } });
  });
});

describe("a workload after an update of one container", () => {
  it("has the written image there, and the earlier images of other containers", () => {
    const { seenAt, ...written } = aContainer({ image: aChange().to, digest: digest("1"), baseline: digest("1") });

    expect(seenAt).toBeUndefined();
    expect(ofTwo([aChange()], side.image)?.observed.containers).toStrictEqual([written, side]);
  });
});

describe("an evaluation during an active update", () => {
  it("marks the update once when it selects the replaced image", () => {
    const active = { ...aRolling(), reevaluate: true };

    expect(markForReevaluation(aRolling(), [satisfied("app")])).toEqual({ active });
    expect(markForReevaluation(aRolling({ reevaluate: true }), [satisfied("app")])).toBeUndefined();
  });

  it("marks the update when it selects the replaced image of one container", () => {
    const active = aRolling({ changes: [aChange(), sideChange] });

    expect(markForReevaluation(active, [change(), satisfied("side")])).toEqual({
      active: { ...active, reevaluate: true },
    });
  });

  it("marks nothing when it selects the same image, or nothing of its containers", () => {
    expect(markForReevaluation(aRolling(), [change(), satisfied("side")])).toBeUndefined();
    expect(markForReevaluation(undefined, [satisfied("app")])).toBeUndefined();
  });
});
