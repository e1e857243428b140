/**
 * Returns the beginning of a text, with an ellipsis if it is cut. No surrogate pair is cut in half.
 */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const isWithin = (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isWithin ? most - 1 : most)}…`;
}

/**
 * Returns the number of the character at an index, counted from 1. A surrogate pair counts once.
 */
export function characterNumber(text: string, index: number): number {
  return text.slice(0, index).replaceAll(/[\u{10000}-\u{10ffff}]/gu, "x").length + 1;
}

/** Matches control characters and changes of the text direction, which terminals obey. */
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Returns a text that is safe for a terminal: control characters become `�`, line breaks become a
 * space.
 */
export function printableText(text: string): string {
  return text.replaceAll(/[\t\r\n\u2028\u2029]+/g, " ").replaceAll(controls, "\ufffd");
}

/**
 * Returns JSON in one line that is safe for a terminal. JSON.stringify escapes only some control
 * characters.
 */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    controls,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
