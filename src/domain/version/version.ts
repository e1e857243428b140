import {
  compareNumbers,
  comparePrereleases,
  compareTies,
  type PrereleaseIdentifier,
  type VersionNumbers,
} from "./order.ts";
import { emptyScan, scannedPrerelease, scanTag } from "./scan.ts";

/**
 * A tag read as a version. `parts` are its one to three numbers; `prerelease` is empty for a release; `flavour` is the suffix
 * without its dash (`alpine3.19`), empty when there is none; `text` is the tag.
 */
export interface Version {
  readonly parts: readonly number[];
  readonly prerelease: readonly PrereleaseIdentifier[];
  readonly flavour: string;
  readonly text: string;
}

/**
 * Reads a tag as a version: a prefix `v`, `V`, `version-` or `release-`, one to three numbers, a pre-release (`-rc.1`, `-rc1`,
 * `rc1`), a flavour (`-alpine`).
 *
 * A suffix is a pre-release only by its first word; any other suffix is a flavour, also `-1`. Numbers with a leading zero,
 * numbers above 2^53 - 1, four parts and tags with `_` are no versions. Whether one number alone counts as a version depends
 * on what runs, and is the policy's to say.
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
 * Orders versions: negative when the first is lower. Missing parts are 0, flavours do not count.
 *
 * Zero only for one and the same tag: of equal versions (`1.2.3`, `v1.2.3`, `1.2.3-alpine`) the text that sorts first is the
 * higher, so that a selection among them never depends on the order in which they come.
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
