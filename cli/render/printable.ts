import { printableText } from "#domain/shared/shown-text";

/**
 * Applies {@link printableText} to every text of an answer, because annotations, tags and messages
 * are untrusted.
 */
export function printable<Value extends object>(value: Value): Value {
  const clean = (_key: string, part: unknown): unknown => (typeof part === "string" ? printableText(part) : part);
  return JSON.parse(JSON.stringify(value), clean) as Value;
}
