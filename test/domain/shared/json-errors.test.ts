import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultInJson } from "#domain/shared/json-errors";

describe("a fault of JSON", () => {
  it.each([
    ["", "character 1: expected a value, not the end"],
    ["nginx", 'character 1: expected a value, not "nginx"'],
    ["{", "character 2: expected a name in quotes, or }, not the end"],
    ["{'a':1}", "character 2: expected a name in quotes, or }, not \"'a':1}\""],
    ['{"a" 1}', 'character 6: expected a colon, not "1}"'],
    ['{"a":}', 'character 6: expected a value, not "}"'],
    ['{"a":tru}', 'character 6: expected a value, not "tru}"'],
    ['{"a":1,}', 'character 8: expected a name in quotes, not "}"'],
    ['{"a":1', "character 7: expected a comma or }, not the end"],
    ['{"a":[1,2}', 'character 10: expected a comma or ], not "}"'],
    ["[", "character 2: expected a value or ], not the end"],
    ["[1,]", 'character 4: expected a value, not "]"'],
    ["01", 'character 2: expected nothing more, not "1"'],
    ['{"a":1}{"a":2}', 'character 8: expected nothing more, not "{\\"a\\":2}"'],
    ['["a', "character 4: expected a closing quote or a known escape, not the end"],
    ['["a\\x"]', 'character 4: expected a closing quote or a known escape, not "\\\\x\\"]"'],
    ['["a\tb"]', 'character 4: expected a closing quote or a known escape, not "\\tb\\"]"'],
    ['["🎉",?]', 'character 6: expected a value, not "?]"'],
    [`[?${"🎉".repeat(20)}`, `character 2: expected a value or ], not "?${"🎉".repeat(9)}…"`],
  ])("has a place in %j, and what is expected there", (text, fault) => {
    expect(faultInJson(text)).toBe(fault);
  });

  it.each([
    ...["\r\n[\t1 ,\n 2]\r", "0", "-0", "10", "0.10", "1e5", "1E5", "1e+5", "1E-5", "-1.5e10", "true", "false", "null"],
    ...[String.raw`"\"\\\/\b\f\n\r\t"`, String.raw`"\uABCD\u00ef\u0000"`, '"\u{7f}\u{2028}"', "{}", "[]", '{"":[{}]}'],
  ])("is missing in %j", (text) => {
    expect([faultInJson(text), isJson(text)]).toEqual([undefined, true]);
  });

  it.each([
    ...["00", "-", "-a", "1.", ".5", "1e", "1e+", "+1", "True", "NULL", "nul", "\f1", "\u{a0}1", "\u{feff}1"],
    ...[String.raw`"\u00g0"`, String.raw`"\u123"`, String.raw`"\v"`, String.raw`"\'"`, '"\u{1f}"', '"\n"', '"'],
  ])("exists in %j", (text) => {
    expect([faultInJson(text) === undefined, isJson(text)]).toEqual([false, false]);
  });

  it("is missing exactly for valid JSON", () => {
    const pieces = [
      '"a"',
      '"\\u00e9"',
      '"\\u12"',
      "\\",
      "-",
      "1.5",
      "1e",
      "true",
      "nul",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      " ",
      "\t",
      "\u00a0",
    ];
    const broken = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((some) => some.join(""));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), broken), (text) => {
        expect(faultInJson(text) === undefined).toBe(isJson(text));
      }),
    );
  });

  it("is reported for texts of any length and depth", () => {
    expect(faultInJson(`["${"a\\n".repeat(100_000)}`)).toContain("character 300003: ");
    expect(faultInJson("[".repeat(100_000))).toContain("character 100001: ");
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
