import { describe, expect, it } from "vitest";
import { assertNever, ok, problem } from "#domain/result";

describe("a result", () => {
  it("holds the value or the problem", () => {
    expect([ok(1), problem("no")]).toEqual([
      { ok: true, value: 1 },
      { ok: false, problem: "no" },
    ]);
  });
});

describe("a branch that can't be reached", () => {
  it("says what reached it", () => {
    expect(() => assertNever({ kind: "new" } as never)).toThrow('no branch handles {"kind":"new"}');
  });
});
