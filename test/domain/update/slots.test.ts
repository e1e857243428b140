import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetChange, freeSlots, nextForSlots, slotsFor } from "#domain/update/effects/budget";
import type { Reason } from "#domain/shared/reasons";
import { type EpochMs, epochMs } from "#domain/shared/time";
import type { BudgetChange } from "#domain/update/state/workload";
import { aPending, aReleased, noon } from "../builders.ts";

const onSlot = (slot: number) => ({ active: aReleased({ slot }) });
const held = (selectedAt: EpochMs, ...waits: readonly Reason[]) => ({
  pending: aPending({ selectedAt, waits: waits.map((reason) => ({ reason })) }),
});
const later = epochMs(noon + 1);

describe("the budget", () => {
  it.each([
    { because: "nothing is open", before: {}, after: {}, move: undefined },
    { because: "an update is released", before: {}, after: onSlot(3), move: { takes: 3 } },
    { because: "an update ends", before: onSlot(0), after: {}, move: { frees: 0 } },
    { because: "an update goes on", before: onSlot(3), after: onSlot(3), move: undefined },
    {
      because: "the next is released as one ends",
      before: onSlot(3),
      after: onSlot(0),
      move: { takes: 0, frees: 3 },
    },
    {
      because: "an update is held by the budget alone",
      before: {},
      after: held(noon, "cluster-budget"),
      move: { joins: noon },
    },
    {
      because: "an update could not use a slot yet",
      before: {},
      after: held(noon, "cluster-budget", "frozen"),
      move: undefined,
    },
    {
      because: "another gate closes meanwhile",
      before: held(noon, "cluster-budget"),
      after: held(noon, "frozen", "cluster-budget"),
      move: { leaves: noon },
    },
    {
      because: "a newer desired image takes its place",
      before: held(noon, "cluster-budget"),
      after: held(later, "cluster-budget"),
      move: { joins: later, leaves: noon },
    },
    {
      because: "who waited is released",
      before: held(noon, "cluster-budget"),
      after: onSlot(1),
      move: { takes: 1, leaves: noon },
    },
    {
      because: "an update is put back to held by the budget",
      before: onSlot(1),
      after: held(noon, "cluster-budget"),
      move: { frees: 1, joins: noon },
    },
  ])("moves by $move when $because", ({ before, after, move }) => {
    expect(budgetChange(before, after)).toEqual(move);
  });
});

const aState = fc.record({
  active: fc.option(
    fc.nat(2).map((slot) => aReleased({ slot })),
    { nil: undefined },
  ),
  pending: fc.option(
    fc
      .record({
        selectedAt: fc.nat(2).map(epochMs),
        waits: fc.subarray<Reason>(["cluster-budget", "frozen"], { minLength: 1 }),
      })
      .map(({ selectedAt, waits }) => aPending({ selectedAt, waits: waits.map((reason) => ({ reason })) })),
    { nil: undefined },
  ),
});

/** The slots that one workload has and the places where it waits: what a table knows of it. */
interface Rows {
  readonly slots: readonly number[];
  readonly places: readonly number[];
}

/** Does a move as a transaction does it: each row is touched once at most. */
function moved({ slots, places }: Rows, { takes, frees, joins, leaves }: BudgetChange = {}): Rows {
  expect(takes === undefined || takes !== frees).toBe(true);
  expect(joins === undefined || joins !== leaves).toBe(true);
  const exchanged = (rows: readonly number[], gets: number | undefined, gives: number | undefined) =>
    [...new Set([...rows, ...(gets === undefined ? [] : [gets])])].filter((row) => row !== gives).sort();
  return { slots: exchanged(slots, takes, frees), places: exchanged(places, joins, leaves) };
}

const nothing: Rows = { slots: [], places: [] };

describe("two moves in a row", () => {
  it("leave the same rows as the move from the first state to the last", () => {
    fc.assert(
      fc.property(aState, aState, aState, (first, second, third) => {
        const before = moved(nothing, budgetChange({}, first));
        const both = moved(moved(before, budgetChange(first, second)), budgetChange(second, third));
        expect(moved(before, budgetChange(first, third))).toEqual(both);
      }),
    );
  });
});

describe("free slots", () => {
  it.each([
    { taken: [], limit: 3, free: [0, 1, 2] },
    { taken: [1], limit: 3, free: [0, 2] },
    { taken: [0, 1, 2], limit: 3, free: [] },
    // The limit was lowered while more were on their way.
    { taken: [7, 8], limit: 2, free: [] },
    { taken: [7], limit: 2, free: [0] },
    { taken: [0, 7, 8], limit: 2, free: [] },
    { taken: [], limit: 0, free: [] },
  ])("are $free of $limit while $taken are taken", ({ taken, limit, free }) => {
    expect(
      freeSlots(
        taken.map((slot) => ({ slot })),
        limit,
      ),
    ).toEqual(free);
  });

  it("never allow more than the limit", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(12)), fc.nat(10), (taken, limit) => {
        const free = freeSlots(
          taken.map((slot) => ({ slot })),
          limit,
        );
        expect(free.length).toBe(Math.min(Math.max(0, limit - taken.length), limit));
        expect(free.filter((slot) => taken.includes(slot) || slot >= limit)).toEqual([]);
      }),
    );
  });
});

describe("the workload that gets a slot next", () => {
  const of = (namespace: string, ...names: readonly string[]): readonly string[] =>
    names.map((name) => `prod/${namespace}/deployment/${name}`);
  const holding = (...keys: readonly string[]) => keys.map((workload, slot) => ({ slot, workload }));
  const many = Array.from({ length: 30 }, (_, index) => `w${index}`);

  it("waited longest, among the namespaces with the fewest slots", () => {
    const waiting = [...of("shop", "a", "c"), ...of("web", "b"), ...of("shop", "d"), ...of("lab", "e")];

    expect(nextForSlots(waiting, [], 10)).toEqual([
      ...of("shop", "a"),
      ...of("web", "b"),
      ...of("lab", "e"),
      ...of("shop", "c", "d"),
    ]);
    expect(nextForSlots(waiting, holding(...of("web", "x"), ...of("shop", "y")), 3)).toEqual(of("lab", "e"));
  });

  it("is not in a namespace that would use the slots of others", () => {
    const waiting = [...of("greedy", ...many), ...of("shop", "a", "b")];

    const [first = "", second = "", ...rest] = of("greedy", ...many.slice(0, 18));
    expect(nextForSlots(waiting, [], 25)).toEqual([first, ...of("shop", "a"), second, ...of("shop", "b"), ...rest]);
  });

  it.each([2, 3, 4])("leaves one of %i slots to other namespaces", (limit) => {
    const waiting = of("greedy", ...many);

    expect(nextForSlots(waiting, [], limit)).toEqual(waiting.slice(0, limit - 1));
    expect(nextForSlots([...waiting, ...of("shop", "a")], [], limit)).toContain("prod/shop/deployment/a");
  });

  it("is in a namespace without a slot, even if updates of namespaces with slots wait longer", () => {
    const waiting = [...of("greedy", ...many), ...of("other", ...many), ...of("shop", "a")];
    const taken = holding(...of("greedy", "x", "y"), ...of("other", "z"));

    expect(nextForSlots(waiting, taken, 4)).toEqual(of("shop", "a"));
  });

  it("may be in any namespace if there is one slot", () => {
    expect(nextForSlots(of("greedy", "x"), [], 1)).toEqual(of("greedy", "x"));
    expect(nextForSlots(of("greedy", "x"), holding(...of("greedy", "a")), 1)).toEqual([]);
  });

  it("is in any other namespace, even if one namespace has used its share", () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(name, name, fc.integer({ min: 2, max: 60 }), (greedy, other, limit) => {
        fc.pre(greedy !== other);
        const taken: { slot: number; workload: string }[] = [];
        for (let [slot] = slotsFor(greedy, taken, limit); slot !== undefined; [slot] = slotsFor(greedy, taken, limit))
          taken.push({ slot, workload: `prod/${greedy}/deployment/w${slot}` });

        expect(taken).toHaveLength(limit - Math.min(5, Math.max(1, Math.floor(limit / 5))));
        expect(slotsFor(other, taken, limit).length).toBeGreaterThan(0);
      }),
    );
  });
});
