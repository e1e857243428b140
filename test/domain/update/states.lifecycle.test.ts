import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Move, SimpleMove } from "./moves.ts";
import { SmallWorld } from "./small-world.ts";

const simple = (...kinds: SimpleMove["kind"][]) => fc.constantFrom(...kinds).map((kind): Move => ({ kind }));
const check = fc.record({
  kind: fc.constant("check" as const),
  health: fc.constantFrom("healthy", "healthy", "progressing", "failed", "paused"),
  restarts: fc.nat(1),
});
const rollOut = fc.record({ kind: fc.constant("roll-out" as const), answerLost: fc.boolean() });
const edit = fc.record({ kind: fc.constant("edit" as const), tag: fc.constantFrom("1.0.5", "1.1.0", "9.0.0") });
const wait = fc.record({ kind: fc.constant("wait" as const), minutes: fc.constantFrom(1, 11, 60, 400) });
const lookout = fc.oneof(simple("evaluate", "wake", "put-back"), rollOut, check, wait);

/** A push that goes all the way, so that sequences get far. */
const success: readonly Move[] = [
  { kind: "evaluate" },
  { kind: "push" },
  { kind: "evaluate" },
  { kind: "roll-out", answerLost: false },
  { kind: "check", health: "healthy", restarts: 0 },
  { kind: "wait", minutes: 1 },
  { kind: "check", health: "healthy", restarts: 0 },
];

const broken = (moves: readonly Move[]): readonly string[] => {
  const world = new SmallWorld();
  for (const move of moves) world.make(move);
  return world.broken;
};
const holds = (others: fc.Arbitrary<Move>, begin: readonly Move[]): void => {
  const move = fc.oneof({ weight: 3, arbitrary: lookout }, { weight: 2, arbitrary: others });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 30, size: "max" }), (moves) => {
      expect(broken([...begin, ...moves])).toEqual([]);
    }),
  );
};

describe("a workload's updates", () => {
  it("run from a push to success", () => {
    expect(broken(success)).toEqual([]);
  });

  it("keep every rule while tags are pushed, and pods fail or wait", () => {
    holds(simple("push", "set-back"), [{ kind: "evaluate" }]);
  });

  it("keep every rule while users revert, edit, suspend and unblock", () => {
    holds(fc.oneof(simple("push", "undo", "suspend", "unblock"), edit), success);
  });

  const evaluate: Move = { kind: "evaluate" };
  const rollsOut: Move = { kind: "roll-out", answerLost: false };
  const fails: Move = { kind: "check", health: "failed", restarts: 0 };

  it.each<{ moves: readonly Move[]; because: string }>([
    {
      moves: [{ kind: "push" }, evaluate, { kind: "withdraw" }, { kind: "undo" }, rollsOut, evaluate, rollsOut],
      because: "a newer one was given up before it was written",
    },
    {
      moves: [{ kind: "retag" }, evaluate, { kind: "undo" }, rollsOut, evaluate, rollsOut],
      because: "the same digest under another tag was on its way",
    },
    {
      moves: [{ kind: "enable" }, evaluate, { kind: "undo" }, { kind: "enable" }, evaluate, rollsOut],
      because: "the workload took no part when it was rolled back",
    },
    {
      moves: [{ kind: "enable" }, evaluate, { kind: "enable" }, { kind: "edit", tag: "1.0.5" }, evaluate, rollsOut],
      because: "the workload took no part for a while, and then got another image",
    },
  ])("never return to an image that a user replaced, although $because", ({ moves }) => {
    expect(broken([...success, ...moves])).toEqual([]);
  });

  it.each<{ when: string; moves: readonly Move[] }>([
    { when: "before a look finds it broken", moves: [{ kind: "undo" }, { kind: "undo" }, fails] },
    { when: "after a look found it broken", moves: [fails, { kind: "undo" }, { kind: "undo" }] },
  ])("never roll back an image that a user replaced and set again $when", ({ moves }) => {
    expect(broken([...success, { kind: "push" }, evaluate, rollsOut, ...moves, { kind: "put-back" }])).toEqual([]);
  });

  it("keep every rule when a tag is deleted, or names another tag's digest", () => {
    holds(fc.oneof(simple("push", "retag", "withdraw", "undo", "suspend")), success);
  });

  it("keep every rule when a workload is untracked for a while, or is created again", () => {
    holds(fc.oneof(simple("push", "undo", "enable", "recreate"), edit), success);
  });
});
