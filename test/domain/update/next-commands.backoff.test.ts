import { retryOverdueEvaluation, retryEvaluation } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { openCommands } from "#domain/update/effects/commands";
import { plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { aPending, aRecord, aRolling, at, noon } from "../builders.ts";

const unreachable = { kind: "unreachable", detail: "timed out" } as const;
const later = plus(noon, seconds(1));
const silent = [{ container: "app", reason: "registry-unreachable", detail: "timed out" }] as const;

describe("a workload whose cluster did not answer", () => {
  it.each([
    { refusal: unreachable, reason: "cluster-unreachable" },
    { refusal: { kind: "denied", detail: "Forbidden" }, reason: "cluster-denied" },
  ] as const)("is evaluated again in half a minute, with a fact: $reason", ({ refusal, reason }) => {
    expect(retryEvaluation(aRecord(), refusal, noon)).toEqual({
      ...aRecord(),
      version: 6,
      cause: "test",
      changedAt: noon,
      needsEvaluation: true,
      retry: { failedEvaluations: 0 },
      transitions: [{ seq: 0, what: "observed", reasons: [{ reason, detail: refusal.detail }], changes: [] }],
      effects: { dueAt: at("2026-03-02T12:01:30Z") },
    });
  });

  it("is evaluated at the planned time", () => {
    const planned = aRecord({ needsEvaluation: true, effects: { dueAt: later }, retry: { failedEvaluations: 0 } });
    expect(retryEvaluation(planned, unreachable, noon)).toBeUndefined();
  });

  it("is evaluated again if its settings changed meanwhile", () => {
    const changed = aRecord({ needsEvaluation: true, effects: { dueAt: later } });
    expect(retryEvaluation(changed, unreachable, noon)).toMatchObject({
      retry: { failedEvaluations: 1 },
      transitions: [{ seq: 0, what: "observed", reasons: [{ reason: "cluster-unreachable", detail: "timed out" }] }],
    });
  });

  it("holds its update because of the cluster, and no longer because the settings changed", () => {
    const pending = aPending({
      waits: [{ reason: "settings-changed" }, { reason: "frozen" }, { reason: "cluster-denied", detail: "Forbidden" }],
    });
    const waits = [{ reason: "cluster-unreachable", detail: "timed out" }, { reason: "frozen" }];
    expect(retryEvaluation(aRecord({ seq: 1, pending, needsEvaluation: true }), unreachable, noon)).toMatchObject({
      needsEvaluation: true,
      pending: { ...pending, waits },
      transitions: [{ seq: pending.seq, what: "still-waiting", reasons: waits, changes: pending.changes }],
    });
  });

  it.each([
    { given: { needsEvaluation: true, effects: { dueAt: noon } }, failedEvaluations: 1, because: "nobody asked yet" },
    {
      given: { needsEvaluation: true, effects: { dueAt: noon }, retry: { failedEvaluations: 3 } },
      failedEvaluations: 4,
      because: "it was in vain three times",
    },
    {
      given: { selectionFailures: silent, effects: { dueAt: later } },
      failedEvaluations: 1,
      because: "its registry does not answer either",
    },
  ] as const)(
    "is evaluated after a longer pause each time: $fruitless, because $because",
    ({ given, failedEvaluations }) => {
      expect(retryEvaluation(aRecord(given), unreachable, noon)).toMatchObject({
        needsEvaluation: true,
        retry: { failedEvaluations },
      });
    },
  );
});

describe("a workload whose registries had nothing new", () => {
  it("is evaluated after a longer pause when the answer is overdue, with the reason", () => {
    expect(
      retryOverdueEvaluation(
        aRecord({ selectionFailures: silent, effects: { dueAt: noon }, retry: { failedEvaluations: 1 } }),
        noon,
      ),
    ).toMatchObject({
      version: 6,
      retry: { failedEvaluations: 2 },
      transitions: [
        {
          seq: 0,
          what: "observed",
          reasons: [{ reason: "registry-unreachable", detail: "container app: timed out" }],
        },
      ],
    });
  });

  it.each<{ readonly given: Partial<WorkloadRecord>; readonly because: string }>([
    { given: { selectionFailures: silent, effects: { dueAt: later } }, because: "there is time yet" },
    { given: {}, because: "nothing is asked" },
    {
      given: { seq: 1, active: aRolling(), effects: { dueAt: noon } },
      because: "an update on its way is looked at by its own stage",
    },
  ])("does not change: $because", ({ given }) => {
    expect(retryOverdueEvaluation(aRecord(given), noon)).toBeUndefined();
  });

  it("begins with the first pause if a held update is overdue", () => {
    expect(
      retryOverdueEvaluation(aRecord({ seq: 1, pending: aPending(), effects: { dueAt: noon } }), noon)?.retry
        ?.failedEvaluations,
    ).toBe(0);
  });
});

describe("the pause before registries are asked again", () => {
  const pauseOf = (given: Partial<WorkloadRecord>) =>
    openCommands(aRecord({ changedAt: noon, ...given })).map((open) => (open.at - noon) / 1_000);

  it.each([
    { failedEvaluations: undefined, pause: 0 },
    { failedEvaluations: 0, pause: 30 },
    { failedEvaluations: 1, pause: 60 },
    { failedEvaluations: 6, pause: 1_920 },
    { failedEvaluations: 7, pause: 3_600 },
    { failedEvaluations: 50, pause: 3_600 },
  ])("is $pause s after $fruitless failed reads of the cluster", ({ failedEvaluations, pause }) => {
    expect(
      pauseOf({ needsEvaluation: true, ...(failedEvaluations === undefined ? {} : { retry: { failedEvaluations } }) }),
    ).toEqual([pause]);
  });

  it.each([
    { failedEvaluations: undefined, pause: 60 },
    { failedEvaluations: 1, pause: 120 },
    { failedEvaluations: 6, pause: 3_600 },
  ])("is $pause s after $fruitless failed requests to a registry", ({ failedEvaluations, pause }) => {
    expect(
      pauseOf({
        selectionFailures: silent,
        ...(failedEvaluations === undefined ? {} : { retry: { failedEvaluations } }),
      }),
    ).toEqual([pause]);
  });
});
