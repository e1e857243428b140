/**
 * Returns the JSON of a value. Halves of surrogate pairs become `�`, because strict readers refuse
 * them.
 */
export function jsonText(value: object): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? member.toWellFormed() : member));
}

/**
 * Returns the length of a value in the longest JSON that a server may answer with: without characters
 * beyond ASCII, and with escaped slashes.
 */
export function longestJson(value: unknown): number {
  return JSON.stringify(value)
    .replaceAll("/", "--")
    .replaceAll(/[^ -~]/g, "------").length;
}
