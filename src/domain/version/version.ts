import {
  compareNumbers,
  comparePrereleases,
  compareTies,
  type PrereleaseIdentifier,
  type VersionNumbers,
} from "./order.ts";
import { emptyScan, scannedPrerelease, scanTag } from "./scan.ts";

/**
 * A tag as a version. `parts` are one to three numbers. `prerelease` is empty for a release.
 * `flavour` (`alpine3.19`) may be empty.
 */
export interface Version {
  readonly parts: readonly number[];
  readonly prerelease: readonly PrereleaseIdentifier[];
  readonly flavour: string;
  readonly text: string;
}

/**
 * Parses a tag as a version. A version has one to three numbers. It may have a prefix (`v`, `V`,
 * `version-`, `release-`), a pre-release (`-rc.1`, `rc1`) and a flavour (`-alpine`).
 *
 * The first word of a suffix decides whether the suffix is a pre-release. Any other suffix is a
 * flavour, also `-1`. A tag is no version if it has a number with a leading zero or above 2^53 - 1,
 * four parts, or a `_`.
 */
export function parseVersion(tag: string): Version | undefined {
  const scan = emptyScan();
  if (!scanTag(tag, scan)) return undefined;
  return {
    parts: [scan.major, scan.minor, scan.patch].slice(0, scan.partCount),
    prerelease: scannedPrerelease(scan),
    flavour: tag.slice(scan.flavourFrom),
    text: tag,
  };
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
    compareTies(a.text, b.text)
  );
}

function numbersOf({ parts: [major = 0, minor = 0, patch = 0] }: Version): VersionNumbers {
  return { major, minor, patch };
}
