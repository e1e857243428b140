import { shortened } from "./shown-text.ts";

/** Returns whether a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON; undefined for any other text. The parser's message is dropped: it quotes the text,
 * which may hold a secret.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the part of a JSON value at a path; undefined when there is none. */
export function valueAt(value: unknown, place: readonly PropertyKey[]): unknown {
  let held = value;
  for (const step of place) {
    if (typeof held !== "object" || held === null || !Object.hasOwn(held, step)) return undefined;
    held = Object.getOwnPropertyDescriptor(held, step)?.value;
  }
  return held;
}

/** Returns a JSON value as short text for a message: at most 60 characters and three levels. */
export function briefJson(value: unknown): string {
  return shortened(outline(value, 3), 60);
}

/**
 * Returns a JSON value as text, down to some levels, because deep nesting would overflow the stack.
 */
function outline(value: unknown, levels: number): string {
  // JSON.parse reads a too large number as infinite, which JSON.stringify would write as null.
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (levels === 0) return "…";
  if (Array.isArray(value)) return `[${value.map((element) => outline(element, levels - 1)).join()}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${outline(member, levels - 1)}`,
  );
  return `{${members.join()}}`;
}
