/**
 * Returns a number from 0 to below 1. A text always gives the same number, and texts spread evenly.
 */
export function placeOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash / 1_000_003;
}
