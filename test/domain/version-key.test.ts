import fc from "fast-check";
import semver from "semver";
import { describe, expect, it } from "vitest";
import { compareVersions, parseVersion, type Version } from "#domain/version";
import { versionKey } from "#domain/version-key";

function version(tag: string): Version {
  const parsed = parseVersion(tag);
  if (parsed === undefined) throw new Error(`${tag} is not a version`);
  return parsed;
}

/** Compares as a store does: byte by byte, unsigned. */
function compareKeys(one: string, other: string): number {
  return Buffer.compare(Buffer.from(versionKey(version(one))), Buffer.from(versionKey(version(other))));
}

const number = fc.oneof(
  fc.constantFrom("0", "1", "2", "9", "10", "99", "100", "9007199254740991"),
  fc.nat({ max: 1_200 }).map(String),
);
const identifier = fc.constantFrom("0", "1", "2", "9", "10", "a", "A", "b", "ab", "abc", "z9", "x1");
const prerelease = fc
  .tuple(fc.constantFrom("alpha", "beta", "Beta", "rc", "RC"), fc.array(identifier, { maxLength: 3 }))
  .map(([word, more]) => `-${[word, ...more].join(".")}`);
const tags = fc
  .tuple(
    fc.constantFrom("", "", "v", "V", "version-", "release-"),
    fc.array(number, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(".")),
    fc.oneof(fc.constantFrom("", "", "-rc1", "-rc-2", "-RC10", "-SNAPSHOT"), prerelease),
    fc.constantFrom("", "", "-alpine", "-alpine3.19", "-slim-bookworm"),
  )
  .map((parts) => parts.join(""));
const npmVersions = fc
  .tuple(number, number, number, fc.oneof(fc.constant(""), prerelease))
  .map(([major, minor, patch, stage]) => `${major}.${minor}.${patch}${stage}`);

/** As npm would have to be given it, which sorts capitals first. Only the word counts: of `-RC.A` the A stays. */
const foldedWord = (text: string): string => text.replace(/-[A-Za-z]+/, (word) => word.toLowerCase());

describe("the key of a version", () => {
  it.each([
    { tag: "1.2.3", key: "a1a2a33mplpk~" },
    { tag: "v10.0.0-rc.9", key: "b10a0a02rc!1a90(mnpnpnq,;pe~" },
  ])("$tag is what is stored: $key", ({ tag, key }) => {
    expect(versionKey(version(tag))).toBe(key);
  });

  it("sorts as versions do", () => {
    fc.assert(
      fc.property(tags, tags, (one, other) => {
        expect(Math.sign(compareKeys(one, other))).toBe(Math.sign(compareVersions(version(one), version(other))));
      }),
    );
  });

  it("sorts as npm does wherever npm tells two versions apart, but that the case of a pre-release's word says nothing", () => {
    fc.assert(
      fc.property(npmVersions, npmVersions, (one, other) => {
        const expected = semver.compare(foldedWord(one), foldedWord(other));

        if (expected !== 0) expect(Math.sign(compareKeys(one, other))).toBe(expected);
      }),
    );
  });

  it("is printable, and short enough for the key of any store", () => {
    fc.assert(
      fc.property(tags, (tag) => {
        const key = versionKey(version(tag));

        expect(key).toMatch(/^[!-~]+$/);
        expect(key.length).toBeLessThanOrEqual(4 * tag.length + 8);
      }),
    );
  });
});
