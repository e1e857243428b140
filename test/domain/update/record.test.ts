import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advance, endingOf, squash } from "#domain/update/state/changes";
import { overtaken, succeeded } from "#domain/update/state/workload";
import { deepEqual } from "#domain/shared/deep-equal";
import { aChange, anEnded, aPending, aRecord, aReleased, aRunning, at, noon, reordered, step } from "../builders.ts";

const observed = (reason: "tag-not-found" | "no-tag-fits") =>
  ({ seq: 0, what: "observed", reasons: [{ reason }], changes: [] }) as const;

describe("the next version of a record", () => {
  it("has the transitions, the next number, its cause and its time", () => {
    const next = advance(
      aRecord({ hold: { reason: "reverted-by-user", at: noon, seq: 1, detail: "x" } }),
      step(noon, "Wake:1:5"),
      { seq: 3, hold: undefined },
      [observed("no-tag-fits")],
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
    const open = advance(aRecord(), step(), { active: aReleased() }, [observed("no-tag-fits")]);

    expect(open.dueAt).toBe(at("2026-03-02T12:01:00Z"));
    expect(advance(open, step(), { active: undefined }, [observed("no-tag-fits")])).not.toHaveProperty("dueAt");
  });
});

describe("two merged versions", () => {
  const first = {
    ...aRecord({ version: 6 }),
    transitions: [
      { seq: 0, what: "tracked", reasons: [], changes: [], detail: "new" } as const,
      { seq: 1, what: "held", reasons: [], changes: [] } as const,
    ],
  };
  const second = {
    ...aRecord({ version: 7, seq: 2 }),
    transitions: [
      observed("tag-not-found"),
      { seq: 1, what: "superseded", reasons: [], changes: [] } as const,
      { seq: 2, what: "released", reasons: [], changes: [], selected: true } as const,
    ],
  };

  it("have the second's state under the first's number, and all transitions", () => {
    expect(squash(first, second)).toEqual({
      ...second,
      version: 6,
      transitions: [
        { seq: 0, what: "tracked", reasons: [{ reason: "tag-not-found" }], changes: [], detail: "new" },
        { seq: 1, what: "superseded", reasons: [], changes: [] },
        { seq: 2, what: "released", reasons: [], changes: [], selected: true },
      ],
    });
  });

  it("are equal to the present version if the other is missing", () => {
    expect(squash(first, undefined)).toBe(first);
    expect(squash(undefined, second)).toBe(second);
    expect(squash(undefined, undefined)).toBeUndefined();
  });

  it("keep the first's transitions of an update", () => {
    expect(squash(first, { ...second, transitions: [] })?.transitions.map(({ seq, what }) => [seq, what])).toEqual([
      [0, "tracked"],
      [1, "held"],
    ]);
    expect(
      squash(first, { ...second, transitions: second.transitions.slice(2) })?.transitions.map(({ seq, what }) => [
        seq,
        what,
      ]),
    ).toEqual([
      [0, "tracked"],
      [1, "held"],
      [2, "released"],
    ]);
    expect(
      squash(
        { ...first, transitions: [] },
        { ...second, transitions: [{ seq: 2, what: "held", reasons: [], changes: [] }] },
      )?.transitions,
    ).toHaveLength(1);
  });
});

describe("the budget moves of two merged versions", () => {
  it.each([
    { one: { takes: 0 }, other: { joins: noon }, both: { takes: 0, joins: noon } },
    { one: { takes: 0 }, other: undefined, both: { takes: 0 } },
  ])("are $both after $one and $other", ({ one, other, both }) => {
    const after = aRecord(other === undefined ? {} : { budget: other });

    expect(squash(aRecord({ budget: one }), after)?.budget).toEqual(both);
  });

  it("are none if the second returns the first's slot", () => {
    expect(squash(aRecord({ budget: { takes: 0 } }), aRecord({ budget: { frees: 0 } }))).not.toHaveProperty("budget");
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

describe("the list of waiting approvals after two versions are merged", () => {
  it.each([
    { one: "begins", other: undefined, both: "begins" },
    { one: undefined, other: "ends", both: "ends" },
    { one: "begins", other: "ends", both: undefined },
  ] as const)("is $both after $one and $other", ({ one, other, both }) => {
    const first = aRecord(one === undefined ? {} : { approvalWait: one });
    const second = aRecord(other === undefined ? {} : { approvalWait: other });

    expect(squash(first, second)?.approvalWait).toBe(both);
  });
});
