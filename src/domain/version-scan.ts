import { isDigit, isLetter, isLetterOrDigit, malformed, prereleaseEnd, prereleaseIdentifiers } from "./pre-release.ts";
import { compareNumbers, comparePrereleases, noPrerelease, type PrereleaseIdentifier } from "./version-order.ts";

/**
 * What a scan found in a tag: the numbers, and where the suffixes lie in the text.
 *
 * It is written over by the next scan, so that ten thousand tags are looked at without an object for each.
 */
export interface TagScan {
  text: string;
  partCount: number;
  /** A missing part is 0. */
  major: number;
  minor: number;
  patch: number;
  /** The whole text is one number: a date, a build number, or a version. */
  bare: boolean;
  /** Behind the numbers. */
  suffixFrom: number;
  /** `prereleaseFrom` to `prereleaseTo`; equal when there is none. */
  prereleaseFrom: number;
  prereleaseTo: number;
  /** Where the flavour begins; the text's length when there is none. */
  flavourFrom: number;
}

/** Tags are at most this long. Source: https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests */
const LONGEST_TAG = 128;

/** Makes room for the findings of {@link scanTag}. */
export function emptyScan(): TagScan {
  return {
    text: "",
    partCount: 0,
    major: 0,
    minor: 0,
    patch: 0,
    bare: false,
    suffixFrom: 0,
    prereleaseFrom: 0,
    prereleaseTo: 0,
    flavourFrom: 0,
  };
}

/**
 * Scans a tag for a version, in time linear in its length.
 *
 * @param into - holds the findings when the answer is true; anything otherwise.
 * @returns false when the tag is not a version.
 */
export function scanTag(tag: string, into: TagScan): boolean {
  return scanNumbers(tag, into) && scanSuffix(into);
}

/** The first half of {@link scanTag}, which is enough to see that a tag is lower than another: the numbers. */
export function scanNumbers(tag: string, into: TagScan): boolean {
  const start = tag.length > LONGEST_TAG ? -1 : prefixLength(tag);
  if (start < 0) return false;
  into.text = tag;
  into.minor = into.patch = 0;
  let end = numberEnd(tag, start);
  if (end < 0) return false;
  into.major = numberAt(tag, start, end);
  into.partCount = 1;
  if (tag.charCodeAt(end) === DOT) {
    const minor = end + 1;
    end = numberEnd(tag, minor);
    if (end < 0) return false;
    into.minor = numberAt(tag, minor, end);
    into.partCount = 2;
    if (tag.charCodeAt(end) === DOT) {
      const patch = end + 1;
      end = numberEnd(tag, patch);
      if (end < 0 || tag.charCodeAt(end) === DOT) return false;
      into.patch = numberAt(tag, patch, end);
      into.partCount = 3;
    }
  }
  into.suffixFrom = end;
  into.bare = start === 0 && into.partCount === 1 && end === tag.length;
  return true;
}
