/** What the engine says of a text that is no pattern: what is wrong, and the piece of the text in which it is. */
export interface EngineFault {
  readonly error: string;
  readonly input: string | null;
}

/** Asks the engine what is wrong with a text; undefined where nothing is. */
export type FindFault = (text: string) => EngineFault | undefined;

/** In which the engine shows the whole text. */
const parentheses: ReadonlySet<string> = new Set(["missing closing )", "unexpected )"]);

/** In which it shows nothing. */
const trailingBackslash = "trailing backslash at end of expression";

/**
 * Answers at which index of a text its fault begins. The engine does not say: it shows the piece that it can't take, which may come in
 * the text before as well.
 *
 * @returns undefined for a fault of the whole text, such as its size.
 */
export function placeOfFault(text: string, fault: EngineFault, findFault: FindFault): number | undefined {
  if (parentheses.has(fault.error)) return placeOfParenthesis(text);
  const piece = fault.error === trailingBackslash ? "\\" : fault.input;
  if (piece === null) return undefined;
  const place = text.lastIndexOf(piece, readUpTo(text, fault, findFault) - piece.length);
  return place < 0 ? undefined : place;
}

/**
 * Answers how much of a text the engine has read when it stops at a fault.
 *
 * What it has not read does not matter to it: whatever more there is of the text, the fault is the same. A shorter beginning of the text has another
 * fault, or by accident the same one at its end, where something breaks off: `\12\1` up to `\1`. That is gone with one character more.
 */
function readUpTo(text: string, fault: EngineFault, findFault: FindFault): number {
  const hasFault = (length: number): boolean => {
    const found = findFault(text.slice(0, length));
    return found?.error === fault.error && found.input === fault.input;
  };
  let [before, behind] = [0, text.length];
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2);
    if (hasFault(middle) && hasFault(middle + 1)) behind = middle;
    else before = middle;
  }
  return behind;
}

/** What may hold parentheses that stand for themselves, and the others. */
const parts = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|[()]/gs;

/** The first parenthesis that closes nothing, else the first one that is never closed. Up to there the text has no other fault. */
function placeOfParenthesis(text: string): number | undefined {
  const open: number[] = [];
  for (const { 0: part, index } of text.matchAll(parts)) {
    if (part === "(") open.push(index);
    else if (part === ")" && open.pop() === undefined) return index;
  }
  return open[0];
}
