import { describe, expect, it } from "vitest";
import { ok, problem } from "#domain/shared/result";

describe("a result", () => {
  it("holds the value or the problem", () => {
    expect([ok(1), problem("no")]).toEqual([
      { ok: true, value: 1 },
      { ok: false, problem: "no" },
    ]);
  });
});
