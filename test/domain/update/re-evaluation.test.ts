import { describe, expect, it } from "vitest";
import { selectionStillHolds, markForReevaluation } from "#domain/update/re-evaluation";
import type { ActiveUpdate, WorkloadRecord } from "#domain/update/states";
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

/** The record once an update of a workload of two containers succeeded, where this image of the second stands. */
const ofTwo = (changes: ActiveUpdate["changes"], shown: string): WorkloadRecord | undefined => {
  const containers = [aLiveContainer({ image: aChange().to }), { ...sideLive, image: shown }];
  const live = aPatched(aChange().to, { containers });
  const observed = anObserved({ containers: [aContainer(), side] });
  return recordOf(
    judge(aRunning(running, { changes }), { ...healthy(), live }, at("2026-03-02T12:01:00Z"), { observed }),
  );
};

describe("the registries of a workload whose update succeeds", () => {
  it("are not asked again when nothing else changed", () => {
    const record = succeeded({}, {});

    expect(record).toMatchObject({ last: { status: "succeeded" } });
    expect(record).not.toHaveProperty("needsEvaluation");
    expect(record).not.toHaveProperty("dueAt");
  });

  it("are not asked again when it brought images to several containers, and nothing else changed", () => {
    expect(ofTwo([aChange(), sideChange], sideChange.to)).not.toHaveProperty("needsEvaluation");
  });

  it("are asked anew when another container has another image", () => {
    expect(ofTwo([aChange()], sideChange.to)).toMatchObject({ needsEvaluation: true, last: { status: "succeeded" } });
    expect(ofTwo([aChange()], side.image)).not.toHaveProperty("needsEvaluation");
  });

  it("would say something else when they are to be asked already", () => {
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
  ])("are asked anew after $after", ({ active = {}, given = {} }) => {
    expect(succeeded(active, given)).toMatchObject({ needsEvaluation: true, last: { status: "succeeded" } });
  });
});

describe("a workload of which an update changed one container", () => {
  it("is known to run there what was written, and beside it what ran before", () => {
    const { seenAt, ...written } = aContainer({ image: aChange().to, digest: digest("1"), baseline: digest("1") });

    expect(seenAt).toBeUndefined();
    expect(ofTwo([aChange()], side.image)?.observed.containers).toStrictEqual([written, side]);
  });
});

describe("a look at the registries while an update is on its way", () => {
  it("marks it when they name what it replaces, once", () => {
    const active = { ...aRolling(), reevaluate: true };

    expect(markForReevaluation(aRolling(), [satisfied("app")])).toEqual({ active });
    expect(markForReevaluation(aRolling({ reevaluate: true }), [satisfied("app")])).toBeUndefined();
  });

  it("marks it when they name what it replaces of one of its containers", () => {
    const active = aRolling({ changes: [aChange(), sideChange] });

    expect(markForReevaluation(active, [change(), satisfied("side")])).toEqual({
      active: { ...active, reevaluate: true },
    });
  });

  it("marks nothing when they name it, or nothing of its containers", () => {
    expect(markForReevaluation(aRolling(), [change(), satisfied("side")])).toBeUndefined();
    expect(markForReevaluation(undefined, [satisfied("app")])).toBeUndefined();
  });
});
