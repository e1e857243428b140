import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goJson } from "#adapters/kubernetes/go-json";

describe("JSON for the API server", () => {
  it("has the escapes of Go, and no others", () => {
    expect(goJson({ range: ">=1 <2", both: "a&b", others: "é / \u2028" })).toBe(
      String.raw`{"range":"\u003e=1 \u003c2","both":"a\u0026b","others":"é / \u2028"}`,
    );
  });

  it("is equal to the unescaped JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(goJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
