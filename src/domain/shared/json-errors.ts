import { ok, problem, type Result } from "./result.ts";
import { characterNumber, shortened } from "./shown-text.ts";

/** The first character of a token. `0` means a number, true, false or null. */
type Beginning = "{" | "}" | "[" | "]" | "," | ":" | '"' | "0";
/** The tokens that may come next; `next` is the state after a value. */
type State = "value" | "first value" | "name" | "first name" | "colon" | "next member" | "next value" | "end";
type Steps = Readonly<Partial<Record<Beginning, State | "next">>>;

const anyValue: Steps = { '"': "next", "0": "next", "{": "first name", "[": "first value" };

const states: Readonly<Record<State, { readonly words: string; readonly steps: Steps }>> = {
  value: { words: "a value", steps: anyValue },
  "first value": { words: "a value or ]", steps: { ...anyValue, "]": "next" } },
  name: { words: "a name in quotes", steps: { '"': "colon" } },
  "first name": { words: "a name in quotes, or }", steps: { '"': "colon", "}": "next" } },
  colon: { words: "a colon", steps: { ":": "value" } },
  "next member": { words: "a comma or }", steps: { ",": "name", "}": "next" } },
  "next value": { words: "a comma or ]", steps: { ",": "value", "]": "next" } },
  end: { words: "nothing more", steps: {} },
};

const BLANK = /[ \t\n\r]*/y;
const NO_STRING = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]|/y;
/** Matches a piece of a string: one expression for a long string would overflow the stack. */
const WITHIN_STRING = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|/y;

/** Parses JSON. The problem names the position of the error. */
export function readJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return problem(faultInJson(text) ?? "it can't be parsed");
  }
}

/**
 * Returns where a text stops being JSON, and the expected token: `character 14: expected a value,
 * not "nginx}"`. The message of an engine does not always name the place.
 *
 * @returns undefined for JSON.
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-2
 */
export function faultInJson(text: string): string | undefined {
  const open: State[] = [];
  let state: State = "value";
  let at = endOf(BLANK, text, 0);
  while (at < text.length) {
    const { beginning, end, isBroken } = tokenAt(text, at);
    const next: State | "next" | undefined = end === at ? undefined : states[state].steps[beginning];
    if (next === undefined) break;
    if (isBroken) return faultAt(text, end, "a closing quote or a known escape");
    note(beginning, open);
    state = next === "next" ? (open.at(-1) ?? "end") : next;
    at = endOf(BLANK, text, end);
  }
  return at === text.length && state === "end" ? undefined : faultAt(text, at, states[state].words);
}

/** Updates `open`, which has the state after a value for each open bracket. */
function note(beginning: Beginning, open: State[]): void {
  if (beginning === "{") open.push("next member");
  if (beginning === "[") open.push("next value");
  if (beginning === "}" || beginning === "]") open.pop();
}

function faultAt(text: string, at: number, words: string): string {
  const found = at === text.length ? "the end" : JSON.stringify(shortened(text.slice(at), 20));
  return `character ${characterNumber(text, at)}: expected ${words}, not ${found}`;
}

/** Returns the token at a position and its end, which is the position itself without a token. */
function tokenAt(
  text: string,
  at: number,
): { readonly beginning: Beginning; readonly end: number; readonly isBroken: boolean } {
  const first = text.charAt(at);
  if (first !== '"')
    return { beginning: isMark(first) ? first : "0", end: endOf(NO_STRING, text, at), isBroken: false };
  let end = at;
  let next = at + 1;
  while (next > end) [end, next] = [next, endOf(WITHIN_STRING, text, next)];
  return text[end] === '"'
    ? { beginning: first, end: end + 1, isBroken: false }
    : { beginning: first, end, isBroken: true };
}

function isMark(character: string): character is Exclude<Beginning, "0" | '"'> {
  return "{}[],:".includes(character);
}

/** Returns the end of a sticky expression's match. Each expression also matches the empty text. */
function endOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  expression.exec(text);
  return expression.lastIndex;
}
