/** Compares texts by their UTF-16 codes, for `sort`. The order does not depend on the language. */
export function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
