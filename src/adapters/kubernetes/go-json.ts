/**
 * Writes JSON byte for byte as Go does. Go escapes `<`, `>`, `&` and two line separators. The API
 * server compares its own JSON with the `test` of a JSON Patch. Without these escapes, the test of
 * an annotation such as `>=1 <2` would always fail.
 *
 * @see https://pkg.go.dev/encoding/json#HTMLEscape
 */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
