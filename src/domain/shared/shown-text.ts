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
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Returns whether a text has control characters, or changes the text direction. */
export function hasControls(text: string): boolean {
  return controls.test(text);
}

/**
 * Matches characters that a reader can't see: control and format characters, variation selectors,
 * tags, fillers, and code points without a character.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\u2800]/gu;

/** Returns a text without the characters that a reader can't see. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(invisible, "");
}

/**
 * Returns a text that is safe for a terminal, and that shows all its characters: line breaks become
 * a space, control characters become `�`, other invisible characters become `\u{200b}`.
 */
export function printableText(text: string): string {
  return text
    .replaceAll(/[\t\r\n\u2028\u2029]+/g, " ")
    .replaceAll(invisible, (character) =>
      /\p{Cc}/u.test(character) ? "\ufffd" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    );
}

/**
 * Returns JSON in one line that is safe for a terminal. JSON.stringify escapes only some control
 * characters.
 */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(invisible, (character) =>
    [...Array(character.length).keys()].map((index) => jsonEscape(character.charCodeAt(index))).join(""),
  );
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
