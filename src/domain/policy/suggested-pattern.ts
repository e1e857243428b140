import { isDigit } from "../version/prerelease.ts";
import { prefixLength, type TagScan } from "../version/scan.ts";
import { isCommit } from "../version/suffix.ts";

/** A pattern of RE2, and the number of its groups. */
export interface SuggestedPattern {
  readonly text: string;
  readonly groups: number;
}

/**
 * Matches an architecture, a build of Windows or a library of a graphics card, with its numbers.
 * Another number may not run on the same machine.
 */
const MACHINE =
  /(?<![A-Za-z])(?:x86[-_]64(?:-?v\d)?|x86|x64|(?:arm|aarch|amd|i\d|s390|ppc|riscv|mips|loong)[a-z]*\d*(?:-?v\d+)?|(?:32|64)-?bit|win\d+|(?:windows|nanoserver|windowsservercore|servercore|ltsc)(?:[-_]?(?:servercore|nanoserver|ltsc))*(?:[-_]?\d{4})?|sp\d+|rpi-?\d*|(?:sm|gfx|rocm|cuda|cu)[-_]?\d+(?:\.\d+)*)(?![A-Za-z])/i;
/** Matches the name of a system or a language with its version. Another version is another product line. */
const PLATFORM =
  /(?<![A-Za-z])(?:ubuntu|debian|alpine|fedora|centos|rhel|ubi|rocky|python|py|java|jdk|jre|node|php|ruby|golang|go|pg|postgres|scala|dotnet)[-_]?\d+(?:\.\d+)*(?![A-Za-z])/i;

/** Returns whether a tag names an architecture or another part of a machine. */
export function hasMachine(tag: string): boolean {
  return MACHINE.test(tag);
}

/**
 * Returns whether a pattern can't order tags like this one: a date with the year at the end, or a
 * commit in an unknown form.
 */
export function isUnordered(tag: string): boolean {
  return (
    /(?<!\d)\d\d?([-_.])\d\d?\1(?:19|20)\d\d(?!\d)/.test(tag) || /(?<![A-Za-z])v(?=\d*[a-f])[0-9a-f]{7,}/.test(tag)
  );
}

/**
 * Returns the tags that differ from a tag only in their digits and commits. The numbers of machines
 * and platforms are equal.
 */
export function alikeTags<Tag>(tag: string, tags: readonly Tag[], nameOf: (tag: Tag) => string): readonly Tag[] {
  const pieces = tag.split(/([-_.])/);
  const commit = pieces.findIndex(isCommit);
  const hasCommit = commit !== -1;
  // A repository may have hundreds of thousands of tags, and forms are slow.
  const head = (hasCommit ? pieces.slice(0, commit) : pieces).join("");
  const quick = new RegExp(`^${quoted(head).replaceAll(/\d/g, "\\d")}${hasCommit ? "" : "$"}`);
  const isExact = !hasCommit && !MACHINE.test(tag) && !PLATFORM.test(tag);
  const form = formOf(tag);
  return tags.filter((one) => quick.test(nameOf(one)) && (isExact || formOf(nameOf(one)) === form));
}

/** Returns a tag with `0` for each digit that may vary, and `@` for each commit. */
function formOf(tag: string): string {
  return textOfParts(tag, /([-_.])/, [MACHINE, PLATFORM], (piece) =>
    isCommit(piece) ? `${piece.startsWith("g") ? "g" : ""}@` : piece.replaceAll(/\d/g, "0"),
  );
}

/** Returns the pattern of any commit in the form of a commit. */
function commitText(commit: string): string {
  return `${commit.startsWith("g") ? "g" : ""}[0-9a-f]{7,40}`;
}

/**
 * Returns a pattern for tags in the form of a tag, with a group for each of its numbers that varies,
 * and any commit in place of its commit. A number behind a letter, as in `alpine3`, does not vary,
 * and neither do the numbers of machines and platforms.
 */
export function patternOfTag(tag: string, varies: (digits: string) => boolean): SuggestedPattern {
  let groups = 0;
  const numberText = (digits: string, before: string): string => {
    const isFree = before === "" || !/[A-Za-z]/.test(before) || /(?:^|\d)[vVTrb]$/.test(before);
    if (!isFree || !varies(digits)) return digits;
    groups += 1;
    return `(\\d${[8, 10, 12, 14].includes(digits.length) ? `{${digits.length}}` : "+"})`;
  };
  const pieceText = (piece: string): string => {
    if (isCommit(piece)) return commitText(piece);
    const runs = piece.match(/\d+|\D+/g) ?? [];
    return runs
      .map((run, index) => (isDigit(run.charCodeAt(0)) ? numberText(run, runs.slice(0, index).join("")) : quoted(run)))
      .join("");
  };
  return { text: `^${textOfParts(tag, /([-_.])/, [MACHINE, PLATFORM], pieceText)}$`, groups };
}

/**
 * Returns a pattern for versions in the form of a tag, with a group for its numbers and for each
 * number of its suffix. The numbers of machines don't vary.
 *
 * Commits have no order. With a commit, the pattern has no groups, and keeps the first two of three
 * or more numbers: an older version that is pushed later may not match.
 */
export function patternOfVersion({ text: tag, partCount, suffixFrom }: TagScan): SuggestedPattern {
  const suffix = tag.slice(suffixFrom);
  const hasCommit = suffix.split(/[-_]/).some(isCommit);
  let groups = hasCommit ? 0 : 1;
  const numberText = (): string => {
    if (hasCommit) return "\\d+(?:\\.\\d+)*";
    groups += 1;
    return "(\\d+(?:\\.\\d+)*)";
  };
  const pieceText = (piece: string): string =>
    isCommit(piece) ? commitText(piece) : quoted(piece).replaceAll(/\d+(?:\\\.\d+)*/g, numberText);
  const from = Math.max(0, prefixLength(tag));
  const prefix = tag.slice(0, from);
  const numbers = hasCommit
    ? lineText(tag.slice(from, suffixFrom).split("."), partCount)
    : `(\\d+(?:\\.\\d+){${partCount - 1}})`;
  const text = `^${/^v?$/i.test(prefix) ? "v?" : quoted(prefix)}${numbers}${textOfParts(suffix, /([-_])/, [MACHINE], pieceText)}$`;
  return { text, groups };
}

/** Returns a pattern for the numbers of a version that keep its first two numbers. */
function lineText(parts: readonly string[], count: number): string {
  const kept = parts.slice(0, count < 3 ? count : 2).join("\\.");
  return count < 3 ? kept : `${kept}(?:\\.\\d+){${count - 2}}`;
}

/** Returns the pattern of a text whose fixed parts are quoted, and whose other pieces are translated. */
function textOfParts(
  text: string,
  separator: RegExp,
  fixed: readonly RegExp[],
  pieceText: (piece: string) => string,
): string {
  const translated = (part: string): string => part.split(separator).map(pieceText).join("");
  return text
    .split(new RegExp(`(${fixed.map(({ source }) => source).join("|")})`, "i"))
    .map((part, index) => (index % 2 === 1 ? quoted(part) : translated(part)))
    .join("");
}

/** Returns a text as a pattern that matches only this text. */
function quoted(text: string): string {
  return text.replaceAll(".", "\\.");
}
