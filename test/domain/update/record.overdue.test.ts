import { waitForCluster } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { waitingOf } from "#domain/update/state/changes";
import { aRecord, aRolling, at, noon } from "../builders.ts";

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
      effects: { dueAt: noon },
      ...(failedEvaluations === undefined ? {} : { retry: { failedEvaluations } }),
    });
    const pause = { ...away, until: at(until) };
    const { changes } = aRolling();

    expect(waitForCluster(record, away, noon)).toMatchObject({
      version: record.version + 1,
      retry: { failedEvaluations: (failedEvaluations ?? 0) + 1, pause },
      transitions: [{ seq: 1, what: "waiting", reasons: [pause], changes }],
    });
  });

  it("is evaluated later without an active update", () => {
    const record = aRecord({ needsEvaluation: true, effects: { dueAt: noon } });

    expect(waitForCluster(record, away, noon)).toMatchObject({
      needsEvaluation: true,
      retry: { failedEvaluations: 1 },
      transitions: [{ seq: 0, what: "observed", reasons: [away] }],
    });
  });

  it("does not change before it is overdue", () => {
    expect(waitForCluster(aRecord({ seq: 1, active: aRolling() }), away, noon)).toBeUndefined();
    expect(
      waitForCluster(
        aRecord({ seq: 1, active: aRolling(), effects: { dueAt: at("2026-03-02T12:00:00.001Z") } }),
        away,
        noon,
      ),
    ).toBeUndefined();
  });
});
