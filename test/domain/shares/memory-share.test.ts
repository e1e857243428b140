import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalOfMemory } from "#domain/shares/memory-share";

const pool = 100;

describe("the memory of a namespace", () => {
  it.each([
    { because: "the whole pool is free", held: {}, more: 100, own: undefined, refusal: undefined },
    { because: "others leave room", held: { a: 60, b: 10 }, more: 30, own: undefined, refusal: undefined },
    {
      because: "it holds less than its share of a full pool",
      held: { a: 90 },
      more: 50,
      own: undefined,
      refusal: undefined,
    },
    {
      because: "it would hold more than its share of a full pool",
      held: { a: 90 },
      more: 51,
      own: undefined,
      refusal: { shareBytes: 50, holders: 2 },
    },
    {
      because: "shares shrink with each holder",
      held: { a: 60, b: 20, c: 20, me: 5 },
      more: 21,
      own: undefined,
      refusal: { shareBytes: 25, holders: 4 },
    },
    {
      because: "it needs more than the pool",
      held: {},
      more: 101,
      own: undefined,
      refusal: { shareBytes: 100, holders: 1 },
    },
    { because: "its own budget is smaller", held: {}, more: 41, own: 40, refusal: { shareBytes: 40, holders: 1 } },
    { because: "it gives memory back", held: { a: 200, me: 90 }, more: -10, own: 10, refusal: undefined },
  ])("is granted or refused: $because", ({ held, more, own, refusal }) => {
    expect(refusalOfMemory(new Map(Object.entries(held)), "me", more, pool, own)).toEqual(refusal);
  });

  it("of all namespaces together is at most twice the pool, and each always gets its share", () => {
    const step = fc.record({ payer: fc.constantFrom("a", "b", "c", "d", "e"), more: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const held = new Map<string, number>();
        for (const { payer, more } of steps) {
          const refusal = refusalOfMemory(held, payer, more, pool, undefined);
          const before = held.get(payer) ?? 0;
          if (refusal === undefined) held.set(payer, before + more);
          else expect(before + more).toBeGreaterThan(refusal.shareBytes);
          const total = [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
          expect(total).toBeLessThanOrEqual(2 * pool);
        }
      }),
    );
  });
});
