import type { PrereleaseIdentifier } from "./order.ts";

/** Suffixes of pre-releases, in lower case. Any other suffix is a flavour. */
export const prereleaseWords: ReadonlySet<string> = new Set([
  "alpha",
  "beta",
  "canary",
  "cr",
  "dev",
  "ea",
  "eap",
  "m",
  "milestone",
  "next",
  "nightly",
  "pre",
  "prerelease",
  "preview",
  "rc",
  "snapshot",
  "unstable",
]);

/** The words that Python's tools shorten: `2024.8.0b1`. */
const shortWords: Readonly<Record<string, string>> = { a: "alpha", b: "beta" };

/** The result for a suffix that begins like a pre-release, but is malformed. */
export const malformed = -1;

/**
 * Returns the end of the pre-release that begins at an index: `rc`, `rc1`, `rc.1`, `rc-1`,
 * `rc.1.g12ab`, in any case.
 *
 * @returns the index after the pre-release; without a pre-release, the given index.
 *   {@link malformed} for an empty identifier and an invalid number.
 * @see https://semver.org/#spec-item-9
 */
export function prereleaseEnd(text: string, from: number): number {
  const word = lettersEnd(text, from);
  if (!isWord(text.slice(from, word))) return from;
  const number = digitsEnd(text, word);
  if (!isCountable(text, word, number)) return malformed;
  if (text[number] === ".") return dottedEnd(text, number);
  if (number < text.length && !isSeparator(text[number])) return from;
  return number > word ? number : dashedEnd(text, number);
}

/**
 * Returns whether a text is one of {@link prereleaseWords}, in any case. The lower-case check comes
 * second, because most suffixes are already in lower case.
 */
function isWord(text: string): boolean {
  return prereleaseWords.has(text) || prereleaseWords.has(text.toLowerCase());
}

function isSeparator(character: string | undefined): boolean {
  return character === "-" || character === "_";
}

/**
 * Returns the end of a pre-release such as `rc-1`. The number belongs to the pre-release only if
 * the segment after the dash has nothing else.
 */
function dashedEnd(text: string, dash: number): number {
  const end = digitsEnd(text, dash + 1);
  if (end === dash + 1 || (end < text.length && !isSeparator(text[end]))) return dash;
  return isCountable(text, dash + 1, end) ? end : malformed;
}

function dottedEnd(text: string, dot: number): number {
  let end = dot;
  while (text[end] === ".") {
    const start = end + 1;
    end = wordEnd(text, start);
    if (end === start) return malformed;
    if (digitsEnd(text, start) !== end) continue;
    if (!isCountable(text, start, end)) return malformed;
  }
  return end;
}

/**
 * Returns the identifiers of a pre-release that {@link prereleaseEnd} found. `rc1`, `rc.1`, `rc-1`
 * and `RC1` are all `rc, 1`, so that `rc10` is higher than `rc9`.
 */
export function prereleaseIdentifiers(text: string, from: number, end: number): readonly PrereleaseIdentifier[] {
  const word = lettersEnd(text, from);
  const written = text.slice(from, word).toLowerCase();
  const identifiers: PrereleaseIdentifier[] = [shortWords[written] ?? written];
  const number = digitsEnd(text, word);
  if (number > word) identifiers.push(Number(text.slice(word, number)));
  for (let at = number; at < end;) {
    const next = wordEnd(text, at + 1);
    const identifier = text.slice(at + 1, next);
    identifiers.push(digitsEnd(text, at + 1) === next ? Number(identifier) : identifier);
    at = next;
  }
  return identifiers;
}

function lettersEnd(text: string, from: number): number {
  let index = from;
  while (isLetter(text.charCodeAt(index))) index++;
  return index;
}

function digitsEnd(text: string, from: number): number {
  let index = from;
  while (isDigit(text.charCodeAt(index))) index++;
  return index;
}

function wordEnd(text: string, from: number): number {
  let index = from;
  while (isLetterOrDigit(text.charCodeAt(index))) index++;
  return index;
}

/** Returns whether a character code is a decimal digit. */
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Returns whether a character code is an ASCII letter. */
export const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
/** Returns whether a character code is an ASCII letter or a decimal digit. */
export const isLetterOrDigit = (code: number): boolean => isLetter(code) || isDigit(code);

/** Returns whether a number is exact in JavaScript. An empty text is 0. */
function isCountable(text: string, from: number, end: number): boolean {
  return Number(text.slice(from, end)) <= Number.MAX_SAFE_INTEGER;
}
