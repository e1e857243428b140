import { isDigit, isLetter, isLetterOrDigit } from "./prerelease.ts";
import type { VersionNumbers } from "./order.ts";

/**
 * The result of a scan: the numbers of a tag, and the position of its suffix. Each scan overwrites
 * the result, so that ten thousand tags need two objects.
 */
export interface TagScan extends VersionNumbers {
  text: string;
  partCount: number;
  /** A missing part is 0. */
  major: number;
  minor: number;
  patch: number;
  fourth: number;
  fifth: number;
  sixth: number;
  /** True if the whole text is one number, such as a date, a build number or a version. */
  bare: boolean;
  /** The index after the numbers. Without a suffix, the index is the text's length. */
  suffixFrom: number;
}

/** The largest count of numbers in a version. */
const mostParts = 6;

/**
 * The maximum length of a tag:
 * https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
 */
const LONGEST_TAG = 128;

/** Returns an empty result for {@link scanNumbers}. */
export function emptyScan(): TagScan {
  return {
    text: "",
    partCount: 0,
    major: 0,
    minor: 0,
    patch: 0,
    fourth: 0,
    fifth: 0,
    sixth: 0,
    bare: false,
    suffixFrom: 0,
  };
}

/**
 * Scans the numbers of a tag: up to six, joined by dots, after an optional prefix. Zero-padded
 * numbers count as numbers.
 *
 * @param into - receives the result. If the function returns false, the content of `into` is
 *   meaningless.
 * @returns false when the tag does not begin with numbers.
 */
export function scanNumbers(tag: string, into: TagScan): boolean {
  let index = tag.length > LONGEST_TAG ? -1 : prefixLength(tag);
  if (index < 0) return false;
  begin(tag, index === 0, into);
  for (let part = 1; part <= mostParts; part++) {
    const start = index;
    let value = 0;
    // The loop calls no helpers, so that it is fast. Most tags need no other loop over their
    // characters.
    for (; index < tag.length; index++) {
      const digit = tag.charCodeAt(index) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (index === start || value > Number.MAX_SAFE_INTEGER) return false;
    putPart(into, part, value);
    if (endsNumbers(tag, index)) {
      into.suffixFrom = index;
      into.bare &&= part === 1 && index === tag.length;
      return true;
    }
    index++;
  }
  return false; // A seventh part follows.
}

function begin(tag: string, bare: boolean, into: TagScan): void {
  into.text = tag;
  into.bare = bare;
  into.minor = into.patch = 0;
  if (into.partCount > 3) into.fourth = into.fifth = into.sixth = 0;
}

/**
 * Returns whether the numbers end at an index. A word may follow a dot, as in `2.1.0.Final` and
 * `3283.v92c105e0f819`. One letter, as in `1.x`, is no word.
 */
function endsNumbers(tag: string, index: number): boolean {
  if (index === tag.length || tag.charCodeAt(index) !== DOT) return true;
  return isLetter(tag.charCodeAt(index + 1)) && isLetterOrDigit(tag.charCodeAt(index + 2));
}

/**
 * Returns the length of the longest prefix: `version-1.2.3` has the prefix `version-`, not `v`.
 * Returns -1 when the tag begins neither with a prefix nor with a digit.
 */
export function prefixLength(tag: string): number {
  const first = tag.charCodeAt(0);
  if (isDigit(first)) return 0;
  if (first === LOWER_V) return isDigit(tag.charCodeAt(1)) || !tag.startsWith("version-") ? 1 : 8;
  if (first === UPPER_V) return 1;
  return first === LOWER_R && tag.startsWith("release-") ? 8 : -1;
}

function putPart(into: TagScan, part: number, value: number): void {
  into.partCount = part;
  if (part === 1) into.major = value;
  else if (part === 2) into.minor = value;
  else if (part === 3) into.patch = value;
  else if (part === 4) into.fourth = value;
  else if (part === 5) into.fifth = value;
  else into.sixth = value;
}

const [DOT, ZERO, UPPER_V, LOWER_R, LOWER_V] = [0x2e, 0x30, 0x56, 0x72, 0x76] as const;
