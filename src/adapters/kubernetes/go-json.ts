/**
 * Writes JSON byte for byte as Go does.
 *
 * The API server compares the value of a JSON Patch's `test` with its own text of the object, and Go escapes `<`, `>`, `&` and two line
 * separators where JavaScript does not: a test of an annotation such as `>=1 <2` would never hold.
 * @see https://pkg.go.dev/encoding/json#HTMLEscape
 */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
