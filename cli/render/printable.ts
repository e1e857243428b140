/** Control characters and changes of the text direction, which terminals obey. */
const controls = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a text that is safe for a terminal: control characters become `�`, line breaks become a space. */
export function printableText(text: string): string {
  return text.replaceAll(/[\t\r\n]+/g, " ").replaceAll(controls, "\ufffd");
}

/** Applies {@link printableText} to every text of an answer: annotations, tags and messages are untrusted. */
export function printable<Value extends object>(value: Value): Value {
  const clean = (_key: string, part: unknown): unknown => (typeof part === "string" ? printableText(part) : part);
  return JSON.parse(JSON.stringify(value), clean) as Value;
}
