import { checkGates, holdDeadLettered, noteFailedEvaluation } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { pauseBeforeRetry, plansAnotherEvaluation } from "#domain/update/decide/dead-letter";
import { minutes } from "#domain/shared/time";
import { nextCommands, openCommands } from "#domain/update/effects/commands";
import type { PendingUpdate } from "#domain/update/state/workload";
import {
  annotated,
  anObserved,
  aPatching,
  aPending,
  aRecord,
  aReleased,
  aRolling,
  aRollingBack,
  at,
  digest,
  noon,
  openFacts,
  imageName,
  settingsOf,
} from "../builders.ts";

const pause = (until: string) => ({ reason: "internal-error", until: at(until), detail: "TypeError" }) as const;

describe("a command that failed five times", () => {
  it.each([
    { timesDeadLettered: undefined, until: "2026-03-02T13:00:00Z" },
    { timesDeadLettered: 1, until: "2026-03-02T14:00:00Z" },
    { timesDeadLettered: 2, until: "2026-03-02T16:00:00Z" },
    { timesDeadLettered: 3, until: "2026-03-02T18:00:00Z" },
    { timesDeadLettered: 40, until: "2026-03-02T18:00:00Z" },
  ])("holds a released update that failed $setbacks times until $until", ({ timesDeadLettered, until }) => {
    const active = aReleased(timesDeadLettered === undefined ? {} : { timesDeadLettered });
    const record = holdDeadLettered(aRecord({ seq: 1, active }), "TypeError", noon);

    expect(record?.pending).toEqual(
      aPending({ timesDeadLettered: (timesDeadLettered ?? 0) + 1, waits: [pause(until)] }),
    );
    expect(record).not.toHaveProperty("active");
    expect(record?.blocked).toEqual([]);
  });

  it("holds a held update for longer, beside its other reasons", () => {
    const pending = aPending({ timesDeadLettered: 1, waits: [{ reason: "suspended" }, pause("2026-03-02T12:00:00Z")] });
    const record = holdDeadLettered(aRecord({ seq: 1, pending }), "TypeError", noon);

    expect(record?.pending?.timesDeadLettered).toBe(2);
    expect([...(record?.pending?.waits ?? [])].sort((left) => (left.reason === "suspended" ? -1 : 1))).toEqual([
      { reason: "suspended" },
      pause("2026-03-02T14:00:00Z"),
    ]);
    expect(record?.transitions).toMatchObject([{ seq: 1, what: "held", reasons: record?.pending?.waits }]);
  });

  it("keeps the reasons of the gates in their order, so that the next evaluation reports nothing new", () => {
    const observed = anObserved({ annotations: annotated({ suspend: "true" }) });
    const record = holdDeadLettered(aRecord({ seq: 1, observed, pending: aPending() }), "TypeError", noon);

    expect(checkGates(record!, { settings: settingsOf(record!), facts: openFacts }, noon)).toBeUndefined();
  });

  it("releases the update after the pause", () => {
    const record = holdDeadLettered(aRecord({ seq: 1, active: aReleased() }), "TypeError", noon);
    const later = (now: string) => checkGates(record!, { settings: settingsOf(record!), facts: openFacts }, at(now));

    expect(later("2026-03-02T12:59:59Z")).toBeUndefined();
    expect(later("2026-03-02T13:00:00Z")?.active).toMatchObject({ seq: 1, timesDeadLettered: 1 });
  });

  it.each([aPatching(), aRolling(), aRollingBack()])(
    "keeps an update that may have reached the cluster: $status",
    (active) => {
      const record = holdDeadLettered(aRecord({ seq: 1, active }), "TypeError", noon);

      expect(record).toMatchObject({
        version: 6,
        active,
        transitions: [{ seq: 1, what: "waiting", reasons: [{ reason: "internal-error" }] }],
      });
      expect(record?.effects.dueAt).toBeDefined();
    },
  );

  it.each([
    { timesDeadLettered: undefined, until: "2026-03-02T12:01:00Z" },
    { timesDeadLettered: 1, until: "2026-03-02T12:02:00Z" },
    { timesDeadLettered: 5, until: "2026-03-02T12:32:00Z" },
    { timesDeadLettered: 6, until: "2026-03-02T13:00:00Z" },
    { timesDeadLettered: 40, until: "2026-03-02T13:00:00Z" },
  ])("delays it until $until after $setbacks failures", ({ timesDeadLettered, until }) => {
    const active = aRolling(timesDeadLettered === undefined ? {} : { timesDeadLettered });
    const record = holdDeadLettered(aRecord({ seq: 1, active }), "TypeError", noon);

    expect(record?.transitions[0]?.reasons).toEqual([pause(until)]);
  });

  it("never reports a longer wait than it makes", () => {
    const record = holdDeadLettered(aRecord({ seq: 1, active: aPatching() }), "TypeError", noon);
    const said = record?.transitions[0]?.reasons[0]?.until;

    expect(openCommands(record!)[0]?.at).toBe(said ?? noon);
  });

  it.each<Partial<PendingUpdate>>([
    { waits: [{ reason: "window-closed", until: noon }] },
    { waits: [{ reason: "window-closed", until: at("2026-03-02T11:00:00Z") }] },
    { waits: [{ reason: "rollout-in-progress" }] },
    { waits: [{ reason: "frozen" }] },
    { waits: [{ reason: "needs-approval" }], approval: { requiredSince: noon, until: noon } as never },
    { waits: [{ reason: "suspended" }], reselectAt: noon },
  ])("does not wake a held update before the end of its pause: %j", (given) => {
    const record = holdDeadLettered(aRecord({ seq: 1, pending: aPending(given) }), "TypeError", noon)!;

    expect(nextCommands(record).map(({ command, at: when }) => [command.name, when])).toEqual([
      ["Wake", at("2026-03-02T13:00:00Z")],
    ]);
  });

  it("wakes a held update at a later instant within its pause", () => {
    const given = { waits: [{ reason: "window-closed", until: at("2026-03-02T12:10:00Z") }] } as const;
    const record = holdDeadLettered(aRecord({ seq: 1, pending: aPending(given) }), "TypeError", noon)!;

    expect(nextCommands(record).map(({ at: when }) => when)).toEqual([at("2026-03-02T12:10:00Z")]);
  });

  it("changes nothing without an open update", () => {
    const refusal = {
      imageName,
      digest: digest("1"),
      tag: "1.1.0",
      reason: "rollout-failed",
      seq: 1,
      at: noon,
    } as const;

    expect(holdDeadLettered(aRecord({ blocked: [refusal] }), "TypeError", noon)).toBeUndefined();
  });
});

describe("an evaluation that failed five times", () => {
  const note = (given: Parameters<typeof aRecord>[0] = {}) => noteFailedEvaluation(aRecord(given), "TypeError", noon);

  it("leaves its cause at each container, and is tried again after a minute, doubled each time", () => {
    expect(note()).toMatchObject({
      selectionFailures: [{ container: "app", reason: "evaluation-failed", detail: "TypeError" }],
      retry: { failedEvaluations: 1 },
      transitions: [
        { seq: 0, what: "observed", reasons: [{ reason: "evaluation-failed", detail: "container app: TypeError" }] },
      ],
    });
    const pauses = [undefined, 1, 5, 40].map((failedEvaluations) => {
      const [open] = openCommands(note(failedEvaluations === undefined ? {} : { retry: { failedEvaluations } })!);
      return [open?.command.name, (open?.at ?? 0) - noon];
    });
    expect(pauses).toEqual([2, 4, 60, 60].map((minutes) => ["EvaluateWorkload", minutes * 60_000]));
  });

  it("stays queued if the workload changed, and keeps the update on its way and its pause", () => {
    const active = aRolling();
    const next = note({ seq: 1, active, retry: { pause: pause("2026-03-02T12:05:00Z") }, needsEvaluation: true });

    expect(next).toMatchObject({ active, retry: { pause: pause("2026-03-02T12:05:00Z") }, needsEvaluation: true });
  });

  it("pauses a held update whose gates are due, so that its check does not request the evaluation again", () => {
    const waits = [{ reason: "image-too-new", until: noon }] as const;
    const next = note({ seq: 1, pending: aPending({ waits }), retry: { failedEvaluations: 1 } })!;

    expect(next.pending).toEqual(aPending({ timesDeadLettered: 1, waits: [pause("2026-03-02T12:04:00Z"), ...waits] }));
    expect(next.transitions[1]).toMatchObject({ seq: 1, what: "held", reasons: next.pending?.waits });
    expect(nextCommands(next).map(({ command, at: when }) => [command.name, when])).toEqual([
      ["Wake", at("2026-03-02T12:04:00Z")],
      ["EvaluateWorkload", at("2026-03-02T12:04:00Z")],
    ]);
  });

  it("leaves an update as it is whose gates are not due, or that another update precedes", () => {
    const later = aPending({ waits: [{ reason: "image-too-new", until: at("2026-03-02T12:00:01Z") }] });
    const behind = aPending({ seq: 2, waits: [{ reason: "rollout-in-progress" }] });

    expect(note({ seq: 1, pending: later })?.pending).toEqual(later);
    expect(note({ seq: 2, pending: behind, active: aRolling() })?.pending).toEqual(behind);
  });

  it("changes nothing of an untracked workload", () => {
    expect(note({ tracked: false })).toBeUndefined();
  });
});

describe("a second evaluation that failed five times", () => {
  it("adds no retry to the planned evaluation of a record", () => {
    const record = noteFailedEvaluation(aRecord(), "TypeError", noon)!;
    const planned = { id: `${record.uid}:${record.version}` };

    expect(plansAnotherEvaluation(record, planned)).toBe(false);
    expect(plansAnotherEvaluation(record, { id: "push-2" })).toBe(true);
  });

  it("is retried if the record plans no evaluation", () => {
    expect(plansAnotherEvaluation(aRecord(), { id: "push-2" })).toBe(false);
    expect(plansAnotherEvaluation(aRecord({ seq: 1, active: aRolling() }), { id: "push-2" })).toBe(false);
  });
});

describe("a message that no record counts", () => {
  it("is retried after a minute, doubled with each dead letter, up to six hours, and then kept", () => {
    expect([1, 2, 3, 8, 9, 10, 11, 12, 2_000].map(pauseBeforeRetry)).toEqual([
      ...[1, 2, 4, 128, 256, 360].map(minutes),
      ...[undefined, undefined, undefined],
    ]);
  });
});
