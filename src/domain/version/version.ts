import { compareCounters, compareNumbers, comparePrereleases, compareTies, type VersionNumbers } from "./order.ts";
import { emptyScan, scanNumbers } from "./scan.ts";
import { readSuffix, type Suffix, type SuffixRule } from "./suffix.ts";

/**
 * A tag as a version. `parts` are one to six numbers. `prerelease` is empty for a release. `shape`
 * and `flavour` (`alpine3.19`) may be empty.
 */
export interface Version extends Suffix {
  readonly parts: readonly number[];
  readonly text: string;
}

/**
 * Parses a tag as a version. A version has one to six numbers. It may have a prefix (`v`, `V`,
 * `version-`, `release-`), a pre-release (`-rc.1`, `rc1`), a flavour (`-alpine`) and counters
 * (`-r3`).
 *
 * The first word of a suffix decides whether the suffix is a pre-release. A tag is no version if it
 * has a number above 2^53 - 1 or seven parts.
 */
export function parseVersion(tag: string, rule: SuffixRule = "flavour"): Version | undefined {
  const scan = emptyScan();
  if (!scanNumbers(tag, scan)) return undefined;
  const suffix = readSuffix(tag, scan.suffixFrom, rule);
  if (suffix === undefined) return undefined;
  const { major, minor, patch, fourth, fifth, sixth, partCount } = scan;
  return { parts: [major, minor, patch, fourth, fifth, sixth].slice(0, partCount), ...suffix, text: tag };
}

/**
 * Compares two versions. Returns a negative number when the first version is lower. Missing parts
 * are 0, and flavours are ignored. For equal versions (`1.2.3`, `v1.2.3`), the version whose text
 * sorts first is higher. So the result never depends on the order of the tags.
 *
 * @see https://semver.org/#spec-item-11
 */
export function compareVersions(a: Version, b: Version): number {
  return (
    compareNumbers(numbersOf(a), numbersOf(b)) ||
    comparePrereleases(a.prerelease, b.prerelease) ||
    compareCounters(a.counters, b.counters) ||
    compareTies(a.text, b.text)
  );
}

function numbersOf({
  parts: [major = 0, minor = 0, patch = 0, fourth = 0, fifth = 0, sixth = 0],
}: Version): VersionNumbers {
  return { major, minor, patch, fourth, fifth, sixth };
}
