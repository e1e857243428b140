import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextVersion } from "#domain/update/effects/next-version";
import { afterDecision, type Decision, endingOf, folded } from "#domain/update/state/changes";
import type { Vote } from "#domain/approval/votes";
import { overtaken, succeeded } from "#domain/update/state/workload";
import { deepEqual } from "#domain/shared/deep-equal";
import { aChange, anEnded, aPending, aRecord, aReleased, aRunning, at, noon, reordered, step } from "../builders.ts";

const observed = (reason: "tag-not-found" | "no-tag-fits") =>
  ({ seq: 0, what: "observed", reasons: [{ reason }], changes: [] }) as const;

describe("the next version of a record", () => {
  it("has the transitions, the next number, its cause and its time", () => {
    const next = nextVersion(
      aRecord({
        hold: { reason: "reverted-by-user", at: noon, seq: 1, detail: "x" },
        retry: { failedEvaluations: 2 },
        effects: { budget: { takes: 1 }, dueAt: noon },
      }),
      { changes: { seq: 3, hold: undefined }, transitions: [observed("no-tag-fits")] },
      step(noon, "Wake:1:5"),
    );

    expect(next).toEqual({
      ...aRecord(),
      version: 6,
      seq: 3,
      cause: "Wake:1:5",
      changedAt: noon,
      transitions: [observed("no-tag-fits")],
    });
    expect(Object.keys(next)).not.toContain("hold");
  });

  it("is due if an update is open", () => {
    const transitions = [observed("no-tag-fits")];
    const open = nextVersion(aRecord(), { changes: { active: aReleased() }, transitions }, step());

    expect(open.effects).toEqual({ budget: { takes: 0 }, dueAt: at("2026-03-02T12:01:00Z") });
    const ended = nextVersion(open, { changes: { active: undefined }, transitions }, step());
    expect(ended.effects).toEqual({ budget: { frees: 0 } });
  });
});

describe("folded decisions", () => {
  const first: Decision = {
    changes: { tracked: true, seq: 1, hold: undefined },
    transitions: [
      { seq: 0, what: "tracked", reasons: [], changes: [], detail: "new" },
      { seq: 1, what: "held", reasons: [], changes: [] },
    ],
    retry: { failedEvaluations: 1 },
  };
  const second: Decision = {
    changes: { seq: 2, needsEvaluation: undefined },
    transitions: [
      observed("tag-not-found"),
      { seq: 1, what: "superseded", reasons: [], changes: [] },
      { seq: 2, what: "released", reasons: [], changes: [], selected: true },
    ],
  };

  it("have the changes of both, and the last transition of each update", () => {
    expect(folded([first, second])).toEqual({
      changes: { tracked: true, seq: 2, hold: undefined, needsEvaluation: undefined },
      transitions: [
        { seq: 0, what: "tracked", reasons: [{ reason: "tag-not-found" }], changes: [], detail: "new" },
        { seq: 1, what: "superseded", reasons: [], changes: [] },
        { seq: 2, what: "released", reasons: [], changes: [], selected: true },
      ],
      retry: { failedEvaluations: 1 },
    });
    expect(Object.keys(folded([first, second])?.changes ?? {})).toContain("hold");
  });

  it("are the one that decides something", () => {
    expect(folded([first, undefined])).toBe(first);
    expect(folded([undefined, second])).toBe(second);
    expect(folded([undefined, undefined])).toBeUndefined();
  });

  it("keep the earlier transition of an update that the later one does not change", () => {
    const later = { ...second, transitions: second.transitions.slice(2) };
    const changes = folded([first, later])?.transitions.map(({ seq, what }) => [seq, what]);
    expect(changes).toEqual([
      [0, "tracked"],
      [1, "held"],
      [2, "released"],
    ]);
    const held = { seq: 2, what: "held", reasons: [], changes: [] } as const;
    expect(
      folded([
        { ...first, transitions: [] },
        { ...second, transitions: [held] },
      ])?.transitions,
    ).toEqual([held]);
  });

  it("keep the vote of either, and the later wait", () => {
    const [ana, ben] = ["ana", "ben"].map((person) => ({ person }) as unknown as Vote);
    const retry = { failedEvaluations: 5 };

    expect(folded([{ ...first, vote: ana }, second])?.vote).toBe(ana);
    expect(
      folded([
        { ...first, vote: ana },
        { ...second, vote: ben },
      ])?.vote,
    ).toBe(ben);
    expect(folded([first, { ...second, retry }])?.retry).toBe(retry);
  });

  it("give no slot to an update that ends before it is stored", () => {
    const released = { changes: { active: aReleased() }, transitions: first.transitions };
    const ended = { changes: { active: undefined }, transitions: second.transitions };
    const both = folded([released, ended])!;

    expect(afterDecision(aRecord(), released).active).toEqual(aReleased());
    expect(nextVersion(aRecord(), both, step()).effects).toEqual({});
  });
});

describe("an ended update", () => {
  it("keeps the approval request of an active update", () => {
    const running = { seenAt: noon, settlesAt: noon, since: at("2026-03-02T12:00:30Z"), restarts: 0, pods: 3 };
    const ended = succeeded(aRunning(running, { restart: { to: "now" } }), "3 pods", at("2026-03-02T12:01:00Z"));

    expect(ended).toEqual(
      anEnded({ detail: "3 pods", patchedAt: noon, runningSince: running.since, restart: { to: "now" } }),
    );
  });

  it("keeps the desired image of a held update", () => {
    const { patchedAt: _, detail: __, ...desired } = anEnded();

    expect(overtaken(aPending(), "superseded", { reason: "no-longer-wanted" }, at("2026-03-02T12:01:00Z"))).toEqual({
      ...desired,
      status: "superseded",
      reason: "no-longer-wanted",
    });
  });

  it("has its reason, its detail and its detection time", () => {
    const { detectedAt, source } = anEnded();
    const heard = { detectedAt, source };
    const { detail: _, ...ended } = anEnded();

    expect(endingOf({ ...ended, status: "failed", reason: "rollout-failed" })).toStrictEqual({
      seq: 1,
      what: "failed",
      reasons: [{ reason: "rollout-failed" }],
      changes: [aChange()],
      ...heard,
    });
    expect(endingOf({ ...ended, status: "failed", reason: "rollout-failed", detail: "OOM" })).toEqual({
      seq: 1,
      what: "failed",
      reasons: [{ reason: "rollout-failed", detail: "OOM" }],
      detail: "OOM",
      changes: [aChange()],
      ...heard,
    });
    expect(endingOf(anEnded())).toEqual({
      seq: 1,
      what: "succeeded",
      reasons: [],
      detail: "3 pods",
      changes: [aChange()],
      ...heard,
    });
  });
});

describe("deep equality", () => {
  const plain = fc.object({ maxDepth: 3, values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] });

  it("ignores the order of fields", () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(deepEqual(value, reordered(value))).toBe(true);
      }),
    );
  });

  it("holds exactly for equal JSON", () => {
    fc.assert(
      fc.property(plain, plain, (one, other) => {
        expect(deepEqual(one, other)).toBe(canonical(one) === canonical(other));
      }),
    );
  });

  it.each([
    [{ a: undefined }, {}, true],
    [{ a: 1 }, { a: "1" }, false],
    [[], {}, false],
    [[1, 2], [2, 1], false],
    [null, {}, false],
    [{}, null, false],
    [{}, 5, false],
    [5, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
  ])("of %j and %j is %s", (left, right, is) => {
    expect(deepEqual(left, right)).toBe(is);
  });
});

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
    .sort()
    .join()}}`;
}
