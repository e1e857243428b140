/** A text cut at the joints of the reference grammar. `host` is empty where the grammar finds none. */
export interface ReferenceParts {
  readonly host: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const LONGEST_TAG = 128;
const SHORTEST_DIGEST_HEX = 32;

/** Hexadecimal digits by algorithm. Source: https://github.com/opencontainers/go-digest (algorithm.go) */
const HEX_LENGTH: ReadonlyMap<string, number> = new Map([
  ["sha256", 64],
  ["sha384", 96],
  ["sha512", 128],
]);

/**
 * Cuts a text as the anchored expression of distribution/reference matches it: `[host[:port]/]path[:tag][@digest]`.
 *
 * The joints are found by search and every part is looked at once, so that the time is linear whatever the text is.
 * Lengths of the path and kinds of digest are not judged.
 *
 * @returns `undefined` where the expression does not match.
 * @see https://github.com/distribution/reference/blob/main/regexp.go
 */
export function matchReference(text: string): ReferenceParts | undefined {
  // "@" is in no other part, and after the last "/" the only ":" is the tag's: each joint has one place.
  const [tagged, digest] = cut(text, text.indexOf("@"));
  const [name, tag] = cut(tagged, tagged.indexOf(":", tagged.lastIndexOf("/") + 1));
  if ((digest !== undefined && !isDigestText(digest)) || (tag !== undefined && !isTagText(tag))) return undefined;

  const slash = name.indexOf("/");
  if (slash > 0 && isHost(name.slice(0, slash)) && isPath(name.slice(slash + 1))) {
    return { host: name.slice(0, slash), path: name.slice(slash + 1), tag, digest };
  }
  return isPath(name) ? { host: "", path: name, tag, digest } : undefined;
}

/** What is before a joint and behind it; all and nothing, where there is none. */
function cut(text: string, joint: number): readonly [string, string | undefined] {
  return joint < 0 ? [text, undefined] : [text.slice(0, joint), text.slice(joint + 1)];
}

/** Whether the reference grammar matches at all. */
export function grammarMatches(text: string): boolean {
  return matchReference(text) !== undefined;
}

/** Whether a digest has a known algorithm, and as many lower-case hexadecimal digits as that produces. */
export function isSupportedDigest(digest: string): boolean {
  const colon = digest.indexOf(":");
  if (colon < 0) return false;
  const length = HEX_LENGTH.get(digest.slice(0, colon));
  return length === digest.length - colon - 1 && every(digest, colon + 1, isLowerHex);
}

/** Whether a text is a tag by the grammar: `[\w][\w.-]{0,127}`. */
export function isTagText(text: string): boolean {
  if (text === "" || text.length > LONGEST_TAG || !isWord(text.charCodeAt(0))) return false;
  return every(text, 1, (code) => isWord(code) || code === DOT || code === DASH);
}

/** `algorithm:hex`: components that start with a letter, joined by one of `-_+.`; at least 32 digits of either case. */
function isDigestText(text: string): boolean {
  const [algorithm, hex] = cut(text, text.indexOf(":"));
  if (hex === undefined || hex.length < SHORTEST_DIGEST_HEX || !every(hex, 0, isHex)) return false;
  let startsComponent = true;
  for (let index = 0; index < algorithm.length; index++) {
    const code = algorithm.charCodeAt(index);
    const joins = code === DASH || code === UNDERSCORE || code === PLUS || code === DOT;
    if (startsComponent ? !isLetter(code) : !joins && !isLetter(code) && !isDigit(code)) return false;
    startsComponent = joins;
  }
  return !startsComponent;
}

/** A domain name, an IPv4 or a bracketed IPv6 address, with an optional port of any number of digits. */
function isHost(text: string): boolean {
  if (text.startsWith("[")) {
    const close = text.indexOf("]");
    if (close < 2 || !every(text.slice(1, close), 0, (code) => isHex(code) || code === COLON)) return false;
    return close === text.length - 1 || isPort(text, close + 1);
  }
  const colon = text.indexOf(":");
  const domain = colon < 0 ? text : text.slice(0, colon);
  return isDomain(domain) && (colon < 0 || isPort(text, colon));
}

function isPort(text: string, colon: number): boolean {
  return text.charCodeAt(colon) === COLON && colon + 1 < text.length && every(text, colon + 1, isDigit);
}

/** Letters and digits, joined by dots and by any number of dashes; a dash touches no dot and no end. */
function isDomain(text: string): boolean {
  let previous: number = DOT;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === DOT ? previous === DOT || previous === DASH : code === DASH && previous === DOT) return false;
    if (code !== DOT && code !== DASH && !isLetter(code) && !isDigit(code)) return false;
    previous = code;
  }
  return previous !== DOT && previous !== DASH;
}

/** Lower-case letters and digits, joined by one of `/` `.` `_` `__` or by any number of dashes, and by nothing else. */
function isPath(text: string): boolean {
  let separator: number = SLASH;
  // How many separators stand side by side at this place; one stands before the text.
  let width = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isLower(code) || isDigit(code)) {
      width = 0;
      continue;
    }
    if (width === 0 ? !isSeparator(code) : code !== separator || !mayRepeat(code, width)) return false;
    separator = code;
    width++;
  }
  return width === 0;
}

const isSeparator = (code: number): boolean => code === SLASH || code === DOT || code === UNDERSCORE || code === DASH;
const mayRepeat = (code: number, width: number): boolean => code === DASH || (code === UNDERSCORE && width === 1);

const [PLUS, DASH, DOT, SLASH, COLON, UNDERSCORE] = [0x2b, 0x2d, 0x2e, 0x2f, 0x3a, 0x5f] as const;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isLetter = (code: number): boolean => isLower(code | 0x20) && code < 0x80;
const isWord = (code: number): boolean => isLetter(code) || isDigit(code) || code === UNDERSCORE;
const isLowerHex = (code: number): boolean => isDigit(code) || (code >= 0x61 && code <= 0x66);
const isHex = (code: number): boolean => isLowerHex(code) || (code >= 0x41 && code <= 0x46);

function every(text: string, from: number, holds: (code: number) => boolean): boolean {
  for (let index = from; index < text.length; index++) {
    if (!holds(text.charCodeAt(index))) return false;
  }
  return true;
}
