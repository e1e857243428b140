import { describe, expect, it } from "vitest";
import { re2Patterns } from "#adapters/re2js/patterns";

describe("the patterns of an installation", () => {
  it("are compiled once for each text, faults too", async () => {
    const patterns = re2Patterns();
    const [compile, again] = [await patterns.compiler(), await patterns.compiler()];

    expect(compile("^v")).toMatchObject({ ok: true, value: { text: "^v" } });
    expect(again("^v")).toBe(compile("^v"));
    expect(again("v(")).toBe(compile("v("));
  });

  it("are dropped when there are too many", async () => {
    const compile = await re2Patterns().compiler();
    const first = compile("^0");
    for (let index = 1; index <= 1_000; index += 1) compile(`^${index}`);

    expect(compile("^1000")).toBe(compile("^1000"));
    expect(compile("^0")).not.toBe(first);
    expect(compile("^0")).toEqual({ ok: true, value: expect.objectContaining({ text: "^0" }) as unknown });
  });
});
