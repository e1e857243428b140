import { noPrerelease, type PrereleaseIdentifier } from "./order.ts";
import { isDigit, isLetter, isLetterOrDigit, malformed, prereleaseEnd, prereleaseIdentifiers } from "./prerelease.ts";

/**
 * The ways to read the suffixes of tags, as `lookout.dev/suffixes` names them.
 *
 * `flavour`: counters and pre-releases are compared, and everything else is a flavour. `exact`:
 * nothing counts. `revision`: as `flavour`, and a tag without a counter is the lowest revision.
 * `semver`: every suffix is a pre-release, ordered as semver orders it.
 */
export const suffixRules = ["flavour", "exact", "revision", "semver"] as const;
/** One of {@link suffixRules}. */
export type SuffixRule = (typeof suffixRules)[number];

/** The suffix of a version: `-rc.1-alpine-r3`. All parts are empty for a version without suffix. */
export interface Suffix {
  readonly prerelease: readonly PrereleaseIdentifier[];
  /** The suffix after the pre-release, with `#` for each counter and `@` for each commit. */
  readonly shape: string;
  /** The shape without its counters. */
  readonly flavour: string;
  /** The counters of the shape in their order, each with its word: `r#`, `main.#`. */
  readonly forms: readonly string[];
  /** The numbers of the counters: digits without leading zeros. */
  readonly counters: readonly string[];
}

/** The suffix of a version without suffix. */
export const noSuffix: Suffix = { prerelease: noPrerelease, shape: "", flavour: "", forms: [], counters: [] };

/**
 * Reads the suffix of a tag.
 *
 * @param from - the index after the numbers.
 * @returns undefined when the tag is not a version, because it has another text after its numbers, or
 *   is a commit, such as `1234b56`.
 */
export function readSuffix(tag: string, from: number, rule: SuffixRule): Suffix | undefined {
  if (from === tag.length) return noSuffix;
  if (NOT_OF_TAG.test(tag)) return undefined;
  if (rule === "semver") return readAsPrerelease(tag, from);
  const isAttached = isLetter(tag.charCodeAt(from));
  const start = isAttached ? from : from + 1;
  if (!isLetterOrDigit(tag.charCodeAt(start))) return undefined;
  const end = isAttached ? attachedEnd(tag, start) : prereleaseEnd(tag, start);
  if (end === malformed) return undefined;
  if (end > start) return readAfterPrerelease(tag, start, end, rule);
  const shape = shapeBy(rule, tag.slice(from).replace(/^-/, ""));
  // Without a separator, only a pre-release or a counter is a suffix.
  return isAttached && !beginsWithCounter(shape) ? undefined : { prerelease: noPrerelease, ...shape };
}

/** Returns whether the suffix of a tag begins with a pre-release. Reads only this part. */
export function beginsPrerelease(tag: string, from: number): boolean {
  const isAttached = isLetter(tag.charCodeAt(from));
  const start = isAttached ? from : from + 1;
  return (isAttached ? attachedEnd(tag, start) : prereleaseEnd(tag, start)) > start;
}

/** Reads a suffix that begins with a pre-release. */
function readAfterPrerelease(tag: string, start: number, end: number, rule: SuffixRule): Suffix | undefined {
  const prerelease = prereleaseIdentifiers(tag, start, end);
  if (end === tag.length) return { ...noSuffix, prerelease };
  // A separator precedes the rest, and the rest starts with a letter or a digit.
  if (!isLetterOrDigit(tag.charCodeAt(end + 1))) return undefined;
  return { prerelease, ...shapeBy(rule, tag.slice(end).replace(/^-/, "")) };
}

function shapeBy(rule: SuffixRule, rest: string): Shape {
  return rule === "exact" ? { shape: rest, flavour: rest, forms: [], counters: [] } : shapeOf(rest);
}

/** A character that no tag has. An extracted text may have it. */
const NOT_OF_TAG = /[^\w.-]/;

/** A pre-release that Python's tools attach: `2024.8.0b1`, `3.13.0a4`. */
const PYTHON_PRERELEASE = /[ab]\d+(?=$|[-_])/y;

/** Returns the end of a pre-release without a separator before it. A commit, `1234b56`, has none. */
function attachedEnd(tag: string, start: number): number {
  if (isCommit(tag)) return malformed;
  PYTHON_PRERELEASE.lastIndex = start;
  return PYTHON_PRERELEASE.test(tag) ? PYTHON_PRERELEASE.lastIndex : prereleaseEnd(tag, start);
}

/** Reads a whole suffix as semver does: identifiers between dots. */
function readAsPrerelease(tag: string, from: number): Suffix | undefined {
  const text = tag.slice(tag[from] === "-" ? from + 1 : from);
  if (!/^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/.test(text)) return undefined;
  return { ...noSuffix, prerelease: semverIdentifiers(text) };
}

/** Returns the identifiers of a pre-release of semver. A zero-padded number is a number. */
export function semverIdentifiers(text: string): readonly PrereleaseIdentifier[] {
  return text.split(".").map((identifier) => (/^\d+$/.test(identifier) ? Number(identifier) : identifier));
}

type Shape = Pick<Suffix, "shape" | "flavour" | "forms" | "counters">;

/** A counter: its text with `#` for each number, and its numbers. */
interface Counter {
  readonly form: string;
  readonly numbers: readonly string[];
}

/** A number, or several numbers between dots: `1214.1729`. */
const NUMBER = /^\d+(?:\.\d+)*$/;
/** A commit: 7 to 40 hexadecimal digits with a letter and a digit, or `g` before them. */
const COMMIT = /^(?:(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}|g[0-9a-f]{7,40})$/;
/** The pieces that are counters in any place: words with numbers, and dates or times. */
const COUNTERS = [
  /^(?<word>r|b|p|ls|build|rev|post|k3s|rke2r|hardened)(?<first>\d+)$/i,
  /^(?<word>[0-9a-z]*[a-z]\.)(?<first>\d+)$/i,
  /^(?<first>\d+)(?<between>ubuntu)(?<second>\d+)$/,
  /^(?<first>\d{8,})(?:(?<between>T)(?<second>\d{4,6})Z?)?$/,
];
/** The words before a number that counts: `main-123`. */
const BRANCHES: ReadonlySet<string> = new Set([
  "main",
  "master",
  "trunk",
  "develop",
  "build",
  "ci",
  "rev",
  "patch",
  "hotfix",
  "security",
]);

interface Branch {
  readonly word: string;
  readonly flavourBefore: string;
}

/** Returns the branch before a counter, if the counter is its number: a plain number or a date. */
function countedBranch(counter: Counter | undefined, branch: Branch | undefined): Branch | undefined {
  return counter?.form === "#" || counter?.form === "#T#" ? branch : undefined;
}

/** Returns whether a piece of a suffix is a commit. */
export function isCommit(piece: string): boolean {
  return piece.length >= 7 && COMMIT.test(piece);
}

/** Returns the shape of a suffix that has no pre-release. */
function shapeOf(rest: string): Shape {
  const counters: string[] = [];
  const forms: string[] = [];
  let [shape, flavour] = ["", ""];
  /** True directly behind the version, and behind a counter. */
  let isCounting = true;
  /** The last piece, if a number behind it counts, and the flavour before this piece. */
  let branch: Branch | undefined;
  for (let from = 0; from < rest.length;) {
    const start = isSeparator(rest.charCodeAt(from)) ? from + 1 : from;
    const separator = rest.slice(from, start);
    const end = pieceEnd(rest, start);
    const piece = rest.slice(start, end);
    from = end;
    const counter = counterOf(piece, isCounting || branch !== undefined);
    const counted = countedBranch(counter, branch);
    isCounting = counter !== undefined;
    branch = undefined;
    if (counter === undefined) {
      const text = separator + (isCommit(piece) ? "@" : piece);
      if (BRANCHES.has(piece)) branch = { word: piece, flavourBefore: flavour };
      shape += text;
      flavour += text;
    } else {
      shape += separator + counter.form;
      counters.push(...counter.numbers);
      forms.push(counted === undefined ? counter.form : counted.word + separator + counter.form);
      flavour = counted?.flavourBefore ?? flavour;
    }
  }
  return { shape, flavour: flavour.replace(/^-/, ""), forms, counters };
}

/** Returns whether a character separates a piece from the text before it. A dot separates only the first. */
function isSeparator(code: number): boolean {
  return code === DASH || code === UNDERSCORE || code === DOT;
}

/** Returns the end of the piece that begins at an index. */
function pieceEnd(rest: string, start: number): number {
  let end = start;
  while (end < rest.length && rest.charCodeAt(end) !== DASH && rest.charCodeAt(end) !== UNDERSCORE) end++;
  return end;
}

const [DASH, DOT, UPPER_Z, UNDERSCORE] = [0x2d, 0x2e, 0x5a, 0x5f] as const;

/** Returns the counter in a piece. A plain number is a counter only in some places. */
function counterOf(piece: string, mayBeNumber: boolean): Counter | undefined {
  if (!mayEndCounter(piece.charCodeAt(piece.length - 1))) return undefined;
  if (mayBeNumber && NUMBER.test(piece)) return { form: "#", numbers: piece.split(".").map(withoutZeros) };
  for (const counter of COUNTERS) {
    const groups = counter.exec(piece)?.groups;
    if (groups === undefined) continue;
    const { word = "", first = "", between, second } = groups;
    if (between === undefined || second === undefined) return { form: `${word}#`, numbers: [withoutZeros(first)] };
    return { form: `#${between}#`, numbers: [first, second].map(withoutZeros) };
  }
  return undefined;
}

/** Returns whether a counter may end with a character: a digit, or the Z of a time. Most flavours don't. */
function mayEndCounter(code: number): boolean {
  return isDigit(code) || code === UPPER_Z;
}

/** Returns whether the first piece of a suffix is a counter. */
function beginsWithCounter({ shape, forms: [first] }: Shape): boolean {
  return first !== undefined && shape.startsWith(first);
}

/** Returns digits without leading zeros; empty for zero. */
function withoutZeros(digits: string): string {
  return digits.replace(/^0+/, "");
}
