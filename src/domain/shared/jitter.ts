/** Returns a number from 0 to below 1 for a text: always the same, and evenly distributed over texts. */
export function placeOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash / 1_000_003;
}
