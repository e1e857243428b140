/** Returns the beginning of a text with an ellipsis if it is cut. No character is cut in half. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const isWithin = (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isWithin ? most - 1 : most)}…`;
}

/** Returns the number of the character at an index, counted from 1. A surrogate pair counts once. */
export function characterNumber(text: string, index: number): number {
  return text.slice(0, index).replaceAll(/[\u{10000}-\u{10ffff}]/gu, "x").length + 1;
}
