import { describe, expect, it } from "vitest";
import { selectTag, type SelectionRule, explainSelection } from "#domain/policy/policy";
import { noSuffix } from "#domain/version/suffix";
import { parseVersion } from "#domain/version/version";
import { range } from "../policy/matchers.ts";

const below2: SelectionRule = {
  policy: { kind: "semver", range: range("<2"), allowPrerelease: false },
  allowDowngrade: false,
};
/** As many characters as a tag has at most. */
const longest = `v1.2.3-${"a".repeat(121)}`;

describe("a tag", () => {
  it.each(["vabcdefg1.2.3", "rabcdefg1.2.3", "xabcdefg1.2.3", "Version-1.2.3", `${longest}a`])(
    "is no version: %s",
    (tag) => {
      expect(parseVersion(tag)).toBeUndefined();
    },
  );

  it("of the greatest length may be a version", () => {
    expect(longest).toHaveLength(128);
    expect(parseVersion(longest)).toEqual({
      parts: [1, 2, 3],
      ...noSuffix,
      shape: "a".repeat(121),
      flavour: "a".repeat(121),
      text: longest,
    });
  });

  it.each([
    { tag: "1.0.0-rc.0ab", prerelease: ["rc", "0ab"], because: "what begins with a zero may be a word" },
    { tag: "1.0.0-rc.Z", prerelease: ["rc", "Z"], because: "Z is a letter" },
    { tag: "1.0.0-rc-1", prerelease: ["rc", 1], because: "a dash may stand before the number" },
    { tag: "1.0.0-rc.1-alpine", prerelease: ["rc", 1], because: "a flavour may follow" },
    { tag: "1.0.0-rc9007199254740991", prerelease: ["rc", 9007199254740991], because: "no number is larger" },
  ])("$tag is a candidate: $because", ({ tag, prerelease }) => {
    expect(parseVersion(tag)).toMatchObject({ parts: [1, 0, 0], prerelease });
  });

  it("of four numbers is no version, whatever was scanned before", () => {
    expect(selectTag(below2, { tag: "1.0.0" }, ["10.20.3", "1.2.4.5"])).toEqual({
      kind: "none",
      reason: "no-tag-fits",
    });
  });

  it("of one number with a flavour is compared by its flavour", () => {
    expect(explainSelection(below2, { tag: "1.0.0" }, ["1-alpine"]).rejected).toEqual([
      { tag: "1-alpine", reason: "other-flavour" },
    ]);
  });
});
