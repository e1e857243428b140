/** Orders texts by their UTF-16 codes, whatever the language: negative when the first comes before the other. */
export function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
