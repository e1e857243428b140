/** Answers where a text stands between 0 (included) and 1: always at the same place, and texts of one kind all over. */
export function placeOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash / 1_000_003;
}
