import { ok, problem, type Result } from "./result.ts";
import { characterNumber } from "./shown-text.ts";

/** A wildcard, read: the texts between its stars. One text alone has no star. */
export type Wildcard = readonly [string, ...string[]];

/** Reads a wildcard: `*` is any text, `\*` and `\\` are the characters themselves. The problem names the character. */
export function parseWildcard(text: string): Result<Wildcard, string> {
  const parts: [string, ...string[]] = [""];
  let part = "";
  for (let index = 0; index < text.length; index++) {
    const [character = "", next] = [text[index], text[index + 1]];
    if (character === "\\") {
      if (next !== "*" && next !== "\\")
        return problem(`character ${characterNumber(text, index)}: only * and \\ can follow a \\`);
      part += next;
      index++;
    } else if (character === "*") {
      if (next === "*") return problem(`character ${characterNumber(text, index + 1)}: one * says as much as two`);
      parts[parts.length - 1] = part;
      parts.push("");
      part = "";
    } else part += character;
  }
  parts[parts.length - 1] = part;
  return ok(parts);
}

/** Says whether a text fits a wildcard from end to end, in a time that grows with their lengths and never with the ways to fit. */
export function fitsWildcard([first, ...others]: Wildcard, text: string): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    // The earliest place leaves the most room to the parts that follow.
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The ways in which each character of a text may be written when case is passed over: `ß` is `ß` or `SS`. */
export type Spellings = readonly (readonly string[])[];

/** Lists the spellings of a text. They are those of its own characters: `s` may be `S` and not `ſ`, whose upper case is `S` too. */
export function spellingsOf(text: string): Spellings {
  return Array.from(text, (character) => [...new Set([character.toLowerCase(), character.toUpperCase()])]);
}

/** Says whether a text begins with one of the spellings, or is one of them as a whole. */
export function isSpelt(spellings: Spellings, text: string, as: "beginning" | "whole"): boolean {
  // A character may have spellings of several lengths, so that there are several places to go on from.
  let ends: ReadonlySet<number> = new Set([0]);
  for (const spelling of spellings) {
    const next = new Set<number>();
    for (const end of ends) {
      for (const written of spelling) if (text.startsWith(written, end)) next.add(end + written.length);
    }
    if (next.size === 0) return false;
    ends = next;
  }
  return as === "beginning" || ends.has(text.length);
}

/** The spellings of the same text from its end, for {@link isSpelt} with a {@link backwards} text. */
export function spellingsBackwards(spellings: Spellings): Spellings {
  return spellings.toReversed().map((spelling) => spelling.map(backwards));
}

/** Writes a text from its end. */
export function backwards(text: string): string {
  return Array.from(text).reverse().join("");
}
