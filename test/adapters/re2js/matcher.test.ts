import { beforeAll, describe, expect, it } from "vitest";
import { evilPatterns, tagsFor } from "#test/bench/evil-patterns";
import { loadPatternCompiler } from "#adapters/re2js/matcher";
import type { CompilePattern, TagMatcher } from "#domain/policy/tag-pattern";

let compile: CompilePattern;
beforeAll(async () => {
  compile = await loadPatternCompiler();
});

function matcher(text: string): TagMatcher {
  const compiled = compile(text);
  if (!compiled.ok) throw new Error(compiled.problem.message);
  return compiled.value;
}

describe("a pattern", () => {
  it.each([
    { text: "rc", tag: "1.0-rc.1", because: "it matches anywhere" },
    { text: "^(?i)RC", tag: "rc-1", because: "flags are RE2's" },
    { text: String.raw`\Amain-[[:xdigit:]]+\z`, tag: "main-9f2c", because: "so are anchors and classes" },
    { text: "^(?P<n>a)|(?<m>b)$", tag: "b", because: "groups are named in either way" },
  ])("$text matches $tag: $because", ({ text, tag }) => {
    expect(matcher(text).match(tag)).toBeDefined();
  });

  it("has the value of each group, and none for an unused group", () => {
    const { match, groupNames, text } = matcher("^pr-(?P<pr>[0-9]+)(-(x))?-(?P<ts>[0-9]*)");

    expect(text).toBe("^pr-(?P<pr>[0-9]+)(-(x))?-(?P<ts>[0-9]*)");
    expect(groupNames).toEqual([undefined, "pr", undefined, undefined, "ts"]);
    expect([...(match("pr-12--") ?? [])]).toEqual(["pr-12-", "12", undefined, undefined, ""]);
    expect(match("main")).toBeUndefined();
  });

  it.each([
    { text: "", why: "empty: .* matches any tag" },
    { text: "(a", why: "character 1: missing closing )" },
    { text: "v[z-a]", why: "character 3: invalid character class range" },
    { text: "(?<=x)a", why: "character 1: RE2 has no lookaround" },
    { text: String.raw`(a)\1`, why: "character 4: RE2 has no backreferences" },
    { text: "a{2000}", why: "character 2: invalid repeat count" },
    { text: "(?P<a>x)(?P<a>y)", why: "character 13: duplicate capture group name" },
  ])('"$text" is rejected: $why', ({ text, why }) => {
    expect(compile(text)).toEqual({
      ok: false,
      problem: { code: "pattern-invalid", message: `"${text}": not a pattern (${why})` },
    });
  });

  it("is rejected when its repetitions multiply", () => {
    const why = "too large: the pattern and its repetitions have 843 steps, and at most 500 are allowed";

    expect(compile("^(a{1,20}){1,20}$")).toMatchObject({
      problem: { message: `"^(a{1,20}){1,20}$": not a pattern (${why})` },
    });
  });

  it("is rejected when it is too long, at any depth", () => {
    expect([compile("a".repeat(1_001)), compile("(".repeat(500) + ")".repeat(500))]).toMatchObject([
      { ok: false },
      { ok: false },
    ]);
  });

  it.each([
    { because: "it has many groups", text: `^${"(a?)".repeat(180)}a{100}$` },
    { because: "any text comes in it many times", text: `^${"(.*)".repeat(150)}a$` },
  ])("is rejected when $because", ({ text }) => {
    expect(compile(text)).toMatchObject({ problem: { message: expect.stringContaining("too large") as string } });
  });

  it("may have 500 steps", () => {
    const isTaken = (text: string) => compile(text).ok;

    expect([isTaken("a".repeat(498)), isTaken("a".repeat(499))]).toEqual([true, false]);
  });

  it.each(evilPatterns)("of any shape matches a tag of 128 characters: $pattern", (one) => {
    const { hit, miss } = tagsFor(one);
    const { match } = matcher(one.pattern);

    // An engine that goes back would not answer within the time that a test has.
    expect([hit.length, miss.length, match(hit) === undefined, match(miss) === undefined]).toEqual([
      128,
      128,
      false,
      true,
    ]);
  });
});
