import { describe, expect, it } from "vitest";
import { tagForm } from "#domain/image/grammar";
import { answersTo } from "./answers.ts";
import { electLineAnswerer } from "./elect.ts";

const select = (...cases: readonly object[]) => answersTo(electLineAnswerer(), ...cases);

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const other = `sha512:${"0123456789abcdef".repeat(8)}`;
const semver = { policy: { kind: "semver" } };
const digestForm = "an algorithm, a colon and a hash, such as sha256:6f4e…";

describe("the judge of policies", () => {
  it("selects a tag, keeps the running tag, or gives a reason", async () => {
    const tags = ["1.2.3", { name: "1.2.4", digest, movedAt: "2026-01-01T00:00:00Z" }, "main"];
    const { answers, exitCode } = await select(
      { ...semver, current: { tag: "1.2.3" }, tags },
      { ...semver, current: { tag: "1.2.4" }, tags },
      { ...semver, current: { tag: "1.3.0" }, tags, explain: true },
      { policy: { kind: "semver", range: ">=2" }, current: null, tags },
      { policy: { kind: "latest" }, tags },
    );

    const winner = { ok: true, tag: "1.2.4", digest, extracted: null, attributes: { tag: "1.2.4" } };
    expect(exitCode).toBe(0);
    expect(answers).toEqual([
      { ...winner, outcome: "elected" },
      { ...winner, outcome: "unchanged" },
      {
        ok: true,
        outcome: "none",
        reason: "would-downgrade",
        rejected: [
          { tag: "1.2.3", reason: "older-than-current" },
          { tag: "1.2.4", reason: "older-than-current" },
          { tag: "main", reason: "not-a-version" },
        ],
      },
      { ok: true, outcome: "none", reason: "no-tag-fits" },
      { ...winner, outcome: "elected" },
    ]);
  });

  it("gives one answer for any order of the tags, with each tag once", async () => {
    const tags = ["main", "1.3.0", "2.0.0", "1.2.0", "main", "1.3.0-rc.1"];
    const line = { policy: { kind: "semver", range: "<2" }, current: { tag: "1.2.1" }, explain: true };
    const { answers } = await select({ ...line, tags }, { ...line, tags: tags.toReversed() });

    expect(answers[0]).toMatchObject({
      rejected: [
        { tag: "1.2.0", reason: "older-than-current" },
        { tag: "1.3.0-rc.1", reason: "pre-release" },
        { tag: "2.0.0", reason: "outside-range" },
        { tag: "main", reason: "not-a-version" },
      ],
    });
    expect(answers[1]).toEqual(answers[0]);
  });

  it("reports a changed digest if both are known", async () => {
    const follow = { policy: { kind: "digest" }, tags: [{ name: "main", digest }] };
    const { answers } = await select(
      { ...follow, current: { tag: "main", digest: other } },
      { ...follow, current: { tag: "main", digest } },
      { ...follow, current: { tag: "main" } },
      { ...follow, current: { tag: "main", digest: other }, tags: ["main"] },
    );

    expect(answers).toMatchObject([
      { outcome: "elected", tag: "main", digest },
      { outcome: "unchanged", digest },
      { outcome: "unchanged", digest },
      { outcome: "unchanged", digest: other },
    ]);
  });

  it("rejects a tag with an invalid digest, and selects from the other tags", async () => {
    const tags = ["1.0.0", { name: "1.0.1", digest }, { name: "1.0.2", digest: digest.toUpperCase() }];
    const { answers } = await select({ policy: { kind: "semver" }, tags, explain: true });

    expect(answers).toMatchObject([{ tag: "1.0.1", digest, rejected: [{ tag: "1.0.2", reason: "not-a-digest" }] }]);
  });

  it("lists a tag with an invalid digest once", async () => {
    const twice = ["a", "b"].map((other) => ({ name: "1.0.2", digest: other }));
    const tags = [{ name: "1.0.1", digest: "c" }, "1.0.1", ...twice];
    const { answers } = await select({ policy: { kind: "semver" }, tags, explain: true });

    expect(answers).toMatchObject([{ tag: "1.0.1", rejected: [{ tag: "1.0.2", reason: "not-a-digest" }] }]);
  });

  it("answers the extracted value and the groups of the selected tag; tag is always the tag", async () => {
    const filter = { pattern: "^(?P<tag>pr)-(?P<pr>\\d+)-(?P<ts>\\d*)-?(?P<none>x)?", extract: "${ts}" };
    const { answers } = await select({
      policy: { kind: "numerical" },
      filter,
      tags: ["pr-1-9", "pr-2-10", "pr-3-"],
      explain: true,
    });

    expect(answers).toEqual([
      {
        ok: true,
        outcome: "elected",
        tag: "pr-2-10",
        digest: null,
        extracted: "10",
        attributes: { tag: "pr-2-10", pr: "2", ts: "10", none: "" },
        rejected: [{ tag: "pr-3-", reason: "nothing-extracted" }],
      },
    ]);
  });

  it.each([
    [{ policy: { kind: "semver", range: ">>1" }, tags: [] }, "range-invalid", '">>1": not a range (character 2)'],
    [
      { policy: { kind: "regex", pattern: "v(" }, tags: [] },
      "pattern-invalid",
      '"v(": not a pattern (character 2: missing closing ))',
    ],
    [
      { ...semver, filter: { pattern: "[b-a]" }, tags: [] },
      "pattern-invalid",
      '"[b-a]": not a pattern (character 2: invalid character class range)',
    ],
    [
      { ...semver, filter: { pattern: "a", extract: "$" }, tags: [] },
      "extract-invalid",
      '"$": not a template (character 1: no name follows the dollar sign; write $$ for a dollar sign)',
    ],
    [
      { ...semver, filter: { pattern: "^v(?P<ver>.*)$", extract: "$vers" }, current: { tag: "v1.0.0" }, tags: [] },
      "extract-invalid",
      '"$vers": not a template (character 1: the pattern has no group vers)',
    ],
    [
      { ...semver, filter: { extract: "$1" }, tags: [] },
      "extract-invalid",
      '"$1": not a template (a template needs a pattern with groups)',
    ],
    [
      { ...semver, filter: { include: ["*", "["] }, tags: [] },
      "glob-invalid",
      '"[": not a glob (character 1: the bracket is never closed)',
    ],
    [
      { ...semver, filter: { include: [] }, tags: ["1.0.0"] },
      "glob-invalid",
      "include: not a list of globs (empty; * matches any tag)",
    ],
    [{ ...semver, filter: { exclude: [""] }, tags: [] }, "glob-invalid", '"": not a glob (empty; * matches any tag)'],
    [
      { ...semver, current: { tag: "1.0.0", digest: "6f4e" }, tags: [] },
      "digest-invalid",
      `current.digest: "6f4e": not a digest (expected ${digestForm})`,
    ],
    [
      { ...semver, current: { tag: "1.0.0" }, tags: ["0.9.0", { name: "1.0.0", digest: "6f4e" }] },
      "digest-invalid",
      `tags[1].digest: "6f4e": not a digest (expected ${digestForm})`,
    ],
    [
      { ...semver, current: { tag: "1.0.0", digest: "😀".repeat(51) }, tags: [] },
      "digest-invalid",
      `current.digest: "${"😀".repeat(50)}…": not a digest (expected ${digestForm})`,
    ],
    [
      { ...semver, current: { tag: "" }, tags: ["1.0.0"] },
      "tag-invalid",
      `current.tag: "": not a tag (expected ${tagForm})`,
    ],
  ])("reports the fault of %j", async (line, code, message) => {
    const { answers, exitCode } = await select(line, line);

    expect(answers).toEqual([1, 2].map(() => ({ ok: false, error: { code, message } })));
    expect(exitCode).toBe(0);
  });

  it.each([
    [{ policy: { kind: "newest" }, tags: [] }, /^policy\.kind: expected semver or latest or .*, not "newest"$/],
    [{ policy: { kind: "latest", range: "1" }, tags: [] }, /^policy\.range: is not known here$/],
    [{ policy: { kind: "regex" }, tags: [] }, /^policy\.pattern: is missing; expected a text$/],
    [
      { ...semver, filter: { exlude: [] }, tags: [] },
      /^filter\.exlude: is not known here; did you mean (include|exclude)\?$/,
    ],
    [{ ...semver, current: { digest }, tags: [] }, /^current\.tag: is missing; expected a text$/],
    [{ ...semver, tags: [1] }, /^tags\[0\]: expected a text, or an object with name/],
    [{ ...semver, tags: ["a", { nam: "b" }] }, /^tags\[1\]\.nam: is not known here; did you mean name\?$/],
    [{ ...semver, tags: [{ name: "b", movedAt: "today" }] }, /^tags\[0\]\.movedAt: expected an instant/],
    [{ ...semver }, /^tags: is missing; expected a list$/],
    [{ ...semver, tags: [], allowDowngrade: "yes" }, /^allowDowngrade: expected true or false, not "yes"$/],
  ])("rejects the line %j", async (line, message) => {
    const { answers, exitCode } = await select(line, { ...semver, tags: ["1.0.0"] });

    expect(answers).toEqual([
      { ok: false, error: { code: "bad-line", message: expect.stringMatching(message) as string } },
      expect.objectContaining({ outcome: "elected" }),
    ]);
    expect(exitCode).toBe(2);
  });

  it("recompiles rules beyond its limit", async () => {
    const cases = Array.from({ length: 2_001 }, (_, minor) => ({
      policy: { kind: "semver", range: `1.${minor % 1_001}.x` },
      tags: ["1.7.0"],
    }));
    const { answers } = await select(...cases);

    expect(answers.filter((answer) => answer["outcome"] === "elected")).toHaveLength(2);
  });
});
