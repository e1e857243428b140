/** Compares texts by their UTF-16 codes, for `sort`; independent of the language. */
export function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
