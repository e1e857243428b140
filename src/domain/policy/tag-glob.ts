import { ok, problem, type Result } from "../shared/result.ts";
import { characterNumber, shortened } from "../shared/shown-text.ts";

/** A parsed glob: the characters that each place may have, in order. */
export interface TagGlob {
  readonly text: string;
  readonly places: readonly GlobPlace[];
}

/**
 * `any-text` for `*`, or the allowed code points of one character, as spans with both ends.
 * `negated` allows all other code points instead.
 */
type GlobPlace =
  "any-text" | { readonly negated: boolean; readonly spans: readonly (readonly [from: number, to: number])[] };

/** The problem of an invalid glob. `message` shows the text and the position. */
export interface GlobProblem {
  readonly code: "glob-invalid";
  readonly message: string;
}

const LONGEST_GLOB = 256;
const anyCharacter: GlobPlace = { negated: true, spans: [] };

/**
 * Parses a glob for whole tags: `*`, `?`, `[a-c]`, `[!a-c]`, `[^a-c]`, and `\` before a literal
 * character.
 *
 * Outside brackets, rejects a character that no tag can have, because the glob would match no tag.
 *
 * @see https://pkg.go.dev/path#Match
 */
export function parseGlob(text: string): Result<TagGlob, GlobProblem> {
  if (text === "") return refuse(text, "empty; * matches any tag");
  if (text.length > LONGEST_GLOB) return refuse(shortened(text, 40), `longer than ${LONGEST_GLOB} characters`);
  const places: GlobPlace[] = [];
  for (let index = 0; index < text.length;) {
    const read = readPlace(text, index);
    if ("why" in read) return refuse(text, `character ${characterNumber(text, read.at)}: ${read.why}`);
    // Two stars equal one star.
    if (read.place !== "any-text" || places.at(-1) !== "any-text") places.push(read.place);
    index = read.next;
  }
  return ok({ text, places });
}

function refuse(text: string, why: string): Result<never, GlobProblem> {
  return problem({ code: "glob-invalid", message: `"${text}": not a glob (${why})` });
}

interface PlaceRead {
  readonly place: GlobPlace;
  readonly next: number;
}

/** The problem and its index. */
interface GlobFault {
  readonly at: number;
  readonly why: string;
}

function readPlace(text: string, index: number): PlaceRead | GlobFault {
  const character = text.charAt(index);
  if (character === "*") return { place: "any-text", next: index + 1 };
  if (character === "?") return { place: anyCharacter, next: index + 1 };
  if (character === "[") return readClass(text, index);
  const literal = readCharacter(text, index);
  if (literal === undefined) return { at: index, why: "nothing follows the backslash" };
  const { code, next } = literal;
  const itself = String.fromCodePoint(code);
  if (!/[\w.-]/.test(itself)) return { at: next - itself.length, why: `no tag can have "${itself}"` };
  return { place: { negated: false, spans: [[code, code]] }, next };
}

/** Returns a literal character and the index after it; undefined at the end of the text. */
function readCharacter(text: string, index: number): { readonly code: number; readonly next: number } | undefined {
  const at = text.charAt(index) === "\\" ? index + 1 : index;
  const code = text.codePointAt(at);
  return code === undefined ? undefined : { code, next: at + String.fromCodePoint(code).length };
}

/** Parses a class in brackets as Go does: an empty class is invalid. */
function readClass(text: string, bracket: number): PlaceRead | GlobFault {
  const negated = text.charAt(bracket + 1) === "!" || text.charAt(bracket + 1) === "^";
  const spans: (readonly [number, number])[] = [];
  let index = bracket + (negated ? 2 : 1);
  while (text.charAt(index) !== "]" || spans.length === 0) {
    if (text.charAt(index) === "]") return { at: bracket, why: "the brackets are empty" };
    const low = readCharacter(text, index);
    if (low === undefined) return { at: bracket, why: "the bracket is never closed" };
    const isSpan = text.charAt(low.next) === "-" && text.charAt(low.next + 1) !== "]";
    const high = isSpan ? readCharacter(text, low.next + 1) : low;
    if (high === undefined) return { at: bracket, why: "the bracket is never closed" };
    if (high.code < low.code) return { at: index, why: "a range in the brackets runs backwards" };
    spans.push([low.code, high.code]);
    index = high.next;
  }
  return { place: { negated, spans }, next: index + 1 };
}

/**
 * Returns whether a tag matches a glob.
 *
 * After a mismatch, only the last star is tried again, so the time is at most the product of both
 * lengths.
 */
export function globMatches({ places }: TagGlob, tag: string): boolean {
  let at = 0;
  let place = 0;
  let starAt = 0;
  let star = -1;
  while (at < tag.length) {
    const wanted = places[place];
    if (wanted === "any-text") {
      [starAt, star] = [at, place];
      place += 1;
    } else if (wanted !== undefined && takes(wanted, tag.charCodeAt(at))) {
      at += 1;
      place += 1;
    } else if (star < 0) {
      return false;
    } else {
      starAt += 1;
      [at, place] = [starAt, star + 1];
    }
  }
  return place === places.length || (place === places.length - 1 && places[place] === "any-text");
}

function takes({ negated, spans }: Exclude<GlobPlace, "any-text">, code: number): boolean {
  return spans.some(([from, to]) => code >= from && code <= to) !== negated;
}
