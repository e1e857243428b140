import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globMatches, parseGlob } from "#domain/policy/tag-glob";
import { glob } from "./matchers.ts";

describe("a glob", () => {
  it.each([
    { text: "*", takes: ["1.2.3", "a"], not: [], because: "a star is any text" },
    { text: "1.2.3", takes: ["1.2.3"], not: ["1.2.30", "v1.2.3"], because: "it matches from end to end" },
    { text: "v*", takes: ["v1", "v"], not: ["1v"], because: "a star may be nothing" },
    { text: "*-rc*", takes: ["v2-rc1", "-rc"], not: ["rc1"], because: "stars stand anywhere" },
    { text: "v*-rc*", takes: ["v2-rc1", "v2-rc1-rc2"], not: ["v2-beta"], because: "and between texts" },
    { text: "*a*b*c", takes: ["abc", "aabbcc", "xaybzc"], not: ["acb", "abcd"], because: "stars may come often" },
    { text: "**", takes: ["x"], not: [], because: "two stars are one" },
    { text: "v?.?", takes: ["v1.2"], not: ["v10.2", "v.2"], because: "a question mark is one character" },
    { text: "[a-c]1", takes: ["a1", "c1"], not: ["d1", "1"], because: "brackets are one of these" },
    { text: "v[1-35.]", takes: ["v1", "v3", "v5", "v."], not: ["v4"], because: "spans and characters mix" },
    { text: "[!0-9]*", takes: ["main"], not: ["1.2"], because: "an exclamation mark is any other" },
    { text: "[^0-9]*", takes: ["main"], not: ["1.2"], because: "so is a caret" },
    { text: "[a-]x", takes: ["ax", "-x"], not: ["bx"], because: "a dash at the end is itself" },
    { text: "[!^]a", takes: ["ba"], not: ["a"], because: "a caret further on is itself" },
    { text: String.raw`[\]a]b`, takes: ["ab"], not: ["bb"], because: "a backslash takes the next for itself" },
    { text: String.raw`v\1`, takes: ["v1"], not: ["v2"], because: "anywhere" },
    { text: "[.]*", takes: [".x"], not: ["x"], because: "a dot is a dot" },
    { text: "RC*", takes: ["RC1"], not: ["rc1"], because: "capitals count" },
  ])("$text: $because", ({ text, takes, not }) => {
    expect([...takes, ...not].filter((tag) => globMatches(glob(text), tag))).toEqual(takes);
  });

  it.each([
    { text: "", why: "empty; * matches any tag" },
    { text: "v[1-3", why: "character 2: the bracket is never closed" },
    { text: "v[", why: "character 2: the bracket is never closed" },
    { text: "v[a-", why: "character 2: the bracket is never closed" },
    { text: "[]", why: "character 1: the brackets are empty" },
    { text: "[!]x", why: "character 1: the brackets are empty" },
    { text: "x[3-1]", why: "character 3: a range in the brackets runs backwards" },
    { text: "[a-c3-1]", why: "character 5: a range in the brackets runs backwards" },
    { text: "[😀-z]", why: "character 2: a range in the brackets runs backwards" },
    { text: "v😀*", why: 'character 2: no tag can have "😀"' },
    { text: "[😀]é", why: 'character 4: no tag can have "é"' },
    { text: String.raw`v\/`, why: 'character 3: no tag can have "/"' },
    { text: "v1\\", why: "character 3: nothing follows the backslash" },
    { text: "{a,b}", why: 'character 1: no tag can have "{"' },
    { text: "feature/*", why: 'character 8: no tag can have "/"' },
    { text: "v1 ", why: 'character 3: no tag can have " "' },
  ])('"$text" is rejected: $why', ({ text, why }) => {
    expect(parseGlob(text)).toEqual({
      ok: false,
      problem: { code: "glob-invalid", message: `"${text}": not a glob (${why})` },
    });
  });

  it("is rejected when it is too long", () => {
    expect(parseGlob("a".repeat(257))).toEqual({
      ok: false,
      problem: { code: "glob-invalid", message: `"${"a".repeat(40)}…": not a glob (longer than 256 characters)` },
    });
    expect(parseGlob("a".repeat(256))).toMatchObject({ ok: true });
  });

  it("matches as the equal regular expression does", () => {
    const pieces = fc.array(fc.constantFrom("*", "?", "a", "b", ".", "[ab]", "[!a]", "[^b-z]", "[a-b-]"), {
      minLength: 1,
      maxLength: 7,
    });
    const tags = fc.string({ unit: fc.constantFrom("a", "b", "c", ".", "-"), maxLength: 9 });

    fc.assert(
      fc.property(pieces, tags, (written, tag) => {
        const expression = written.map((piece) => said[piece] ?? piece).join("");

        expect(globMatches(glob(written.join("")), tag)).toBe(new RegExp(`^${expression}$`).test(tag));
      }),
    );
  });

  it("of any text is parsed or rejected, without an exception", () => {
    const texts = fc.string({ unit: fc.constantFrom(...Array.from("*?[]!^-\\az09./é{")), maxLength: 12 });

    fc.assert(
      fc.property(texts, texts, (text, tag) => {
        const parsed = parseGlob(text);

        if (parsed.ok) expect([true, false]).toContain(globMatches(parsed.value, tag));
        else expect(parsed.problem.message).toContain(`"${text}"`);
      }),
    );
  });
});

const said: Readonly<Record<string, string>> = { "*": ".*", "?": ".", ".": "[.]", "[!a]": "[^a]" };
