/**
 * Returns the JSON of a value. Halves of surrogate pairs become `�`, because strict readers refuse
 * them.
 */
export function jsonText(value: object): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? member.toWellFormed() : member));
}
