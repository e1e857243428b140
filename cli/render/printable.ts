/** Control characters, and those that turn the direction of text: a terminal would obey them. */
const commanding = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces what a terminal would obey in a text by `�`, and line breaks by a space. */
export function printableText(text: string): string {
  return text.replaceAll(/[\t\r\n]+/g, " ").replaceAll(commanding, "\ufffd");
}

/** Does so in every text of an answer: annotations, tags and messages are written by others. */
export function printable<Value extends object>(value: Value): Value {
  const clean = (_key: string, part: unknown): unknown => (typeof part === "string" ? printableText(part) : part);
  return JSON.parse(JSON.stringify(value), clean) as Value;
}
