/** Writes the beginning of a text for a message, with an ellipsis where something is left out. No character is cut in half. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const isWithin = (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isWithin ? most - 1 : most)}…`;
}

/** Answers which character of a text is at an index, counted from 1 as people do: one that takes two places of a string counts once. */
export function characterNumber(text: string, index: number): number {
  return text.slice(0, index).replaceAll(/[\u{10000}-\u{10ffff}]/gu, "x").length + 1;
}
