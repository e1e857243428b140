import { isDigit, isLetter, isLetterOrDigit, malformed, prereleaseEnd, prereleaseIdentifiers } from "./prerelease.ts";
import { compareNumbers, comparePrereleases, noPrerelease, type PrereleaseIdentifier } from "./order.ts";

/**
 * The result of a scan: the numbers of a tag, and the positions of its suffixes. Each scan
 * overwrites the result, so that ten thousand tags need one object.
 */
export interface TagScan {
  text: string;
  partCount: number;
  /** A missing part is 0. */
  major: number;
  minor: number;
  patch: number;
  /** True if the whole text is one number, such as a date, a build number or a version. */
  bare: boolean;
  /** The index after the numbers. */
  suffixFrom: number;
  /**
   * The pre-release is from `prereleaseFrom` to `prereleaseTo`. The two indexes are equal if the
   * tag has no pre-release.
   */
  prereleaseFrom: number;
  prereleaseTo: number;
  /** The index of the flavour. Without a flavour, the index is the text's length. */
  flavourFrom: number;
}

/**
 * The maximum length of a tag:
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
 */
const LONGEST_TAG = 128;

/** Returns an empty result for {@link scanTag}. */
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
 * Scans a tag for a version, in linear time.
 *
 * @param into - receives the result. If the function returns false, the content of `into` is
 *   meaningless.
 * @returns false when the tag is not a version.
 */
export function scanTag(tag: string, into: TagScan): boolean {
  return scanNumbers(tag, into) && scanSuffix(into);
}

/**
 * Scans the numbers of a tag, the first half of {@link scanTag}. The numbers are enough to find
 * lower tags.
 */
export function scanNumbers(tag: string, into: TagScan): boolean {
  let index = tag.length > LONGEST_TAG ? -1 : prefixLength(tag);
  if (index < 0) return false;
  into.text = tag;
  into.bare = index === 0;
  into.minor = into.patch = 0;
  for (let part = 1; part <= 3; part++) {
    const start = index;
    let value = 0;
    // The loop calls no helpers, so that it is fast. Most tags need no other loop over their
    // characters.
    for (; index < tag.length; index++) {
      const digit = tag.charCodeAt(index) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (!isPart(tag, start, index, value)) return false;
    putPart(into, part, value);
    if (index === tag.length || tag.charCodeAt(index) !== DOT) {
      into.suffixFrom = index;
      into.bare &&= part === 1 && index === tag.length;
      return true;
    }
    index++;
  }
  return false; // A fourth part follows.
}

/** Returns the length of the longest prefix: `version-1.2.3` has the prefix `version-`, not `v`. */
function prefixLength(tag: string): number {
  const first = tag.charCodeAt(0);
  if (isDigit(first)) return 0;
  if (first === LOWER_V) return isDigit(tag.charCodeAt(1)) || !tag.startsWith("version-") ? 1 : 8;
  if (first === UPPER_V) return 1;
  return first === LOWER_R && tag.startsWith("release-") ? 8 : -1;
}

/** Returns whether a part is a number without a leading zero that JavaScript represents exactly. */
function isPart(tag: string, start: number, end: number, value: number): boolean {
  return end > start && (end === start + 1 || tag.charCodeAt(start) !== ZERO) && value <= Number.MAX_SAFE_INTEGER;
}

function putPart(into: TagScan, part: number, value: number): void {
  into.partCount = part;
  if (part === 1) into.major = value;
  else if (part === 2) into.minor = value;
  else into.patch = value;
}

/**
 * Scans the suffix of a tag, the second half of {@link scanTag}: `-rc.1`, `rc1`, `-alpine`,
 * `-rc.1-alpine`, or nothing.
 *
 * Only letters, digits, dots and dashes may follow the numbers.
 */
export function scanSuffix(scan: TagScan): boolean {
  const { text, suffixFrom } = scan;
  if (suffixFrom === text.length) {
    scan.prereleaseFrom = scan.prereleaseTo = scan.flavourFrom = suffixFrom;
    return true;
  }
  for (let index = suffixFrom; index < text.length; index++) {
    if (!isSuffixCharacter(text.charCodeAt(index))) return false;
  }
  // A suffix starts with a letter or a dash, because a dot or a digit would belong to the numbers.
  const attached = isLetter(text.charCodeAt(suffixFrom));
  const start = attached ? suffixFrom : suffixFrom + 1;
  const end = prereleaseEnd(text, start);
  if (end === malformed || (attached && end === start)) return false;
  scan.prereleaseFrom = start;
  scan.prereleaseTo = end;
  // A dash precedes a flavour, and a flavour starts with a letter or a digit.
  scan.flavourFrom = end === start ? start : Math.min(end + 1, text.length);
  return end === text.length ? end > start : isLetterOrDigit(text.charCodeAt(scan.flavourFrom));
}

/** Returns the pre-release of a scanned tag; empty for a release. */
export function scannedPrerelease(scan: TagScan): readonly PrereleaseIdentifier[] {
  return scan.prereleaseFrom === scan.prereleaseTo
    ? noPrerelease
    : prereleaseIdentifiers(scan.text, scan.prereleaseFrom, scan.prereleaseTo);
}

/**
 * Compares the versions of two scanned tags, without texts and flavours. Returns a negative number
 * when the first is lower.
 */
export function compareScans(a: TagScan, b: TagScan): number {
  const numbers = compareNumbers(a, b);
  if (numbers !== 0) return numbers;
  if (a.prereleaseFrom === a.prereleaseTo && b.prereleaseFrom === b.prereleaseTo) return 0;
  return comparePrereleases(scannedPrerelease(a), scannedPrerelease(b));
}

const [DASH, DOT, ZERO, UPPER_V, LOWER_R, LOWER_V] = [0x2d, 0x2e, 0x30, 0x56, 0x72, 0x76] as const;

const isSuffixCharacter = (code: number): boolean => isLetterOrDigit(code) || code === DASH || code === DOT;
