import { describe, expect, it } from "vitest";
import { expandTemplate, parseTemplate } from "#domain/policy/extract-template";
import { pattern, read, template } from "./matchers.ts";

describe("a template", () => {
  const matcher = pattern("^(?P<pr>[a-z]+)-(?P<ts>[0-9]+)(?P<none>x)?");
  const match = matcher.match("main-20240101") ?? [];

  it.each([
    { text: "$ts", gives: "20240101", because: "a name is a group" },
    { text: "${ts}", gives: "20240101", because: "braces may hold it" },
    { text: "$2", gives: "20240101", because: "a number is a group" },
    { text: "${1}x$2", gives: "mainx20240101", because: "braces end it" },
    { text: "$ts.$pr", gives: "20240101.main", because: "a dot ends it" },
    { text: "$0", gives: "main-20240101", because: "0 is the whole match" },
    { text: "v$$1", gives: "v$1", because: "two dollar signs are one" },
    { text: "$none", gives: "", because: "a group that took no part is empty" },
    { text: "$3", gives: "", because: "whatever its number" },
    { text: "plain", gives: "plain", because: "texts stand for themselves" },
  ])("$text gives $gives: $because", ({ text, gives }) => {
    const parsed = read(parseTemplate(text, matcher.groupNames));

    expect(expandTemplate(parsed, matcher, match)).toBe(gives);
  });

  it.each([
    { text: "$nope", why: "character 1: the pattern has no group nope", because: "no group has that name" },
    { text: "$4", why: "character 1: the pattern has no group 4", because: "there are three groups" },
    { text: "$ts-${1}$1x", why: "character 9: the pattern has no group 1x", because: "a name is as long as it can be" },
    { text: "$tsx", why: "character 1: the pattern has no group tsx", because: "also one that begins as a group's" },
    { text: "$02", why: "character 1: the pattern has no group 02", because: "a leading zero makes a name" },
    { text: "${123456789}", why: "character 1: the pattern has no group 123456789", because: "so do too many digits" },
    { text: "$é", why: "character 1: the pattern has no group é", because: "any letter belongs to a name" },
  ])("$text is rejected for a pattern without such a group: $because", ({ text, why }) => {
    expect(parseTemplate(text, matcher.groupNames)).toEqual({
      ok: false,
      problem: { code: "extract-invalid", message: `"${text}": not a template (${why})` },
    });
    expect(parseTemplate(text).ok).toBe(true);
  });

  it("accepts numbers of several digits", () => {
    const letters = pattern(`^${"(.)".repeat(12)}$`);

    expect(expandTemplate(template("$12${11}$1"), letters, letters.match("abcdefghijkl") ?? [])).toBe("lka");
  });

  it.each([
    { text: "", why: "empty: remove the template to compare the whole tag" },
    { text: "$", why: "character 1: no name follows the dollar sign; write $$ for a dollar sign" },
    { text: "a$-", why: "character 2: no name follows the dollar sign; write $$ for a dollar sign" },
    { text: "$1-${ts", why: "character 4: no name follows the dollar sign; write $$ for a dollar sign" },
    { text: "😀$", why: "character 2: no name follows the dollar sign; write $$ for a dollar sign" },
    { text: "${}", why: "character 1: no name follows the dollar sign; write $$ for a dollar sign" },
    { text: "$$$", why: "character 3: no name follows the dollar sign; write $$ for a dollar sign" },
  ])('"$text" is rejected: $why', ({ text, why }) => {
    expect(parseTemplate(text)).toEqual({
      ok: false,
      problem: { code: "extract-invalid", message: `"${text}": not a template (${why})` },
    });
  });

  it("is rejected when it is too long", () => {
    expect(parseTemplate("a".repeat(1_001))).toEqual({
      ok: false,
      problem: {
        code: "extract-invalid",
        message: `"${"a".repeat(40)}…": not a template (longer than 1000 characters)`,
      },
    });
    expect(parseTemplate("a".repeat(1_000))).toMatchObject({ ok: true });
  });
});
