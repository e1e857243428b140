import { shortened } from "./shown-text.ts";

/** Says whether a value of JSON is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON; undefined for any other text, which JSON can't say itself. The parser's own message quotes the text, which may hold
 * a secret.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Answers what a value of JSON holds at a place; undefined where there is nothing. */
export function valueAt(value: unknown, place: readonly PropertyKey[]): unknown {
  let held = value;
  for (const step of place) {
    if (typeof held !== "object" || held === null || !Object.hasOwn(held, step)) return undefined;
    held = Object.getOwnPropertyDescriptor(held, step)?.value;
  }
  return held;
}

/** Writes a value of JSON as far as it fits into a sentence: at most 60 characters, and three levels. */
export function briefJson(value: unknown): string {
  return shortened(outline(value, 3), 60);
}

/** Writes JSON down to some levels: it may be nested so deeply that nothing else could write it. */
function outline(value: unknown, levels: number): string {
  // What is too large for a number is read as infinite, which JSON would write as null.
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (levels === 0) return "…";
  if (Array.isArray(value)) return `[${value.map((element) => outline(element, levels - 1)).join()}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${outline(member, levels - 1)}`,
  );
  return `{${members.join()}}`;
}
