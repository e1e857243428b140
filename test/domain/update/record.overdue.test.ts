import { describe, expect, it } from "vitest";
import { waitForCluster } from "#domain/update/decide/observe";
import { waitingOf } from "#domain/update/state/changes";
import { aRecord, aRolling, at, noon, step } from "../builders.ts";

const away = { reason: "cluster-unreachable", detail: "no cluster of this name is configured" } as const;

describe("a waiting update", () => {
  const { seq, changes } = aRolling();

  it("has no reasons if it only continues", () => {
    expect(waitingOf(aRolling())).toStrictEqual({ seq, what: "waiting", reasons: [], changes });
  });

  it("has the reasons of its wait", () => {
    expect(waitingOf(aRolling(), { reasons: [away], detail: "a pod restarted" })).toStrictEqual({
      ...{ seq, what: "waiting", reasons: [away], detail: "a pod restarted", changes },
    });
  });
});

describe("an overdue update of a missing cluster", () => {
  it.each([
    { failedEvaluations: undefined, until: "2026-03-02T12:01:00Z" },
    { failedEvaluations: 2, until: "2026-03-02T12:04:00Z" },
    { failedEvaluations: 9, until: "2026-03-02T13:00:00Z" },
  ])("is not evaluated until $until after $fruitless failed evaluations", ({ failedEvaluations, until }) => {
    const record = aRecord({
      seq: 1,
      active: aRolling(),
      dueAt: noon,
      ...(failedEvaluations === undefined ? {} : { failedEvaluations }),
    });
    const pause = { ...away, until: at(until) };
    const { changes } = aRolling();

    expect(waitForCluster(record, away, step())).toMatchObject({
      version: record.version + 1,
      failedEvaluations: (failedEvaluations ?? 0) + 1,
      pause,
      transitions: [{ seq: 1, what: "waiting", reasons: [pause], changes }],
    });
  });

  it("is evaluated later without an active update", () => {
    const record = aRecord({ needsEvaluation: true, dueAt: noon });

    expect(waitForCluster(record, away, step())).toMatchObject({
      needsEvaluation: true,
      failedEvaluations: 1,
      transitions: [{ seq: 0, what: "observed", reasons: [away] }],
    });
  });

  it("does not change before it is overdue", () => {
    expect(waitForCluster(aRecord({ seq: 1, active: aRolling() }), away, step())).toBeUndefined();
    expect(
      waitForCluster(aRecord({ seq: 1, active: aRolling(), dueAt: at("2026-03-02T12:00:00.001Z") }), away, step()),
    ).toBeUndefined();
  });
});
