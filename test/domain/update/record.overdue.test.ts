import { describe, expect, it } from "vitest";
import { waitForCluster } from "#domain/update/observe";
import { waitingOf } from "#domain/update/record";
import { aRecord, aRolling, at, noon, step } from "../builders.ts";

const away = { reason: "cluster-unreachable", detail: "no cluster of this name is configured" } as const;

describe("an update that waits", () => {
  const { seq, changes } = aRolling();

  it("says so without reasons where it only goes on", () => {
    expect(waitingOf(aRolling())).toStrictEqual({ seq, what: "waiting", reasons: [], changes });
  });

  it("says what it waits for", () => {
    expect(waitingOf(aRolling(), { reasons: [away], detail: "a pod restarted" })).toStrictEqual({
      ...{ seq, what: "waiting", reasons: [away], detail: "a pod restarted", changes },
    });
  });
});

describe("what is overdue in a cluster that may come yet", () => {
  it.each([
    { failedEvaluations: undefined, until: "2026-03-02T12:01:00Z" },
    { failedEvaluations: 2, until: "2026-03-02T12:04:00Z" },
    { failedEvaluations: 9, until: "2026-03-02T13:00:00Z" },
  ])("is left alone until $until where $fruitless looks came to nothing before", ({ failedEvaluations, until }) => {
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

  it("is asked for later where no update is on its way", () => {
    const record = aRecord({ needsEvaluation: true, dueAt: noon });

    expect(waitForCluster(record, away, step())).toMatchObject({
      needsEvaluation: true,
      failedEvaluations: 1,
      transitions: [{ seq: 0, what: "observed", reasons: [away] }],
    });
  });

  it("stays as it is before it is overdue", () => {
    expect(waitForCluster(aRecord({ seq: 1, active: aRolling() }), away, step())).toBeUndefined();
    expect(
      waitForCluster(aRecord({ seq: 1, active: aRolling(), dueAt: at("2026-03-02T12:00:00.001Z") }), away, step()),
    ).toBeUndefined();
  });
});
