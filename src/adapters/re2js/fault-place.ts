/** The engine's error for an invalid pattern, with the faulty piece of its text. */
export interface EngineFault {
  readonly error: string;
  readonly input: string | null;
}

/** Returns the engine's error for a text, or undefined for a valid pattern. */
export type FindFault = (text: string) => EngineFault | undefined;

/** The errors for which the engine reports the whole text instead of a piece. */
const parentheses: ReadonlySet<string> = new Set(["missing closing )", "unexpected )"]);

/** The error for which the engine reports no piece. */
const trailingBackslash = "trailing backslash at end of expression";

/**
 * Returns the index at which the fault of a text begins. The engine reports only the faulty piece,
 * which may occur more than once.
 *
 * @returns undefined for a fault of the whole text, such as its size.
 */
export function placeOfFault(text: string, fault: EngineFault, findFault: FindFault): number | undefined {
  if (parentheses.has(fault.error)) return placeOfParenthesis(text);
  const piece = fault.error === trailingBackslash ? "\\" : fault.input;
  if (piece === null) return undefined;
  const place = text.lastIndexOf(piece, lengthToFault(text, fault, findFault) - piece.length);
  return place < 0 ? undefined : place;
}

/**
 * Returns the number of characters that the engine has read when it stops at a fault.
 *
 * Every longer prefix of the text has the same fault, and a shorter prefix usually has another
 * fault. A shorter prefix may have the same fault by accident, such as `\12\1` cut after `\1`. So
 * the prefix with one more character is tested too.
 */
function lengthToFault(text: string, fault: EngineFault, findFault: FindFault): number {
  const hasFault = (length: number): boolean => {
    const found = findFault(text.slice(0, length));
    return found?.error === fault.error && found.input === fault.input;
  };
  let before = 0;
  let behind = text.length;
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2);
    if (hasFault(middle) && hasFault(middle + 1)) behind = middle;
    else before = middle;
  }
  return behind;
}

/**
 * Matches quotes, escapes and classes, whose parentheses are literal, and all other parentheses.
 */
const parts = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|[()]/gs;

/**
 * Returns the index of the first parenthesis that closes nothing, else of the first parenthesis
 * that is never closed.
 */
function placeOfParenthesis(text: string): number | undefined {
  const open: number[] = [];
  for (const { 0: part, index } of text.matchAll(parts)) {
    if (part === "(") open.push(index);
    else if (part === ")" && open.pop() === undefined) return index;
  }
  return open[0];
}
