import type { PrereleaseIdentifier } from "./version-order.ts";
import type { Version } from "./version.ts";

/** Marks what follows the numbers; in the order of their characters. */
const [END, NUMBER, TEXT, RELEASE] = ["0", "1", "2", "3"] as const;
/** Ends a text: lower than any character of one, and higher. */
const [BELOW_ALL, ABOVE_ALL] = ["!", "~"] as const;
/** The sum of a character and its mirror image: printable ones stay printable, and every order turns round. */
const MIRROR = 0x20 + 0x7e;

/**
 * Writes a version so that keys sort as versions do, byte by byte: the key of the higher version is the higher, and only one tag has it.
 *
 * Printable ASCII, of at most four times the tag's characters and eight more; a store can find the highest with a short query from
 * the end. The form is not meant to be read, and may not change once keys are stored.
 *
 * Nothing stores them so far: an item for each tag costs more writes than the listings that it saves
 * (`docs/decisions/0013-when-tags-moved-is-remembered.md`). Tests hold that a store can keep the order of versions.
 *
 * @see compareVersions, which it agrees with.
 */
export function versionKey({ parts: [major = 0, minor = 0, patch = 0], prerelease, text }: Version): string {
  const numbers = numberKey(major) + numberKey(minor) + numberKey(patch);
  const stage = prerelease.length === 0 ? RELEASE : prerelease.map(identifierKey).join("") + END;
  // Of equal versions the text that sorts first is the higher.
  return numbers + stage + mirrored(text) + ABOVE_ALL;
}

/** How many digits there are, as a letter of the alphabet, then the digits: so 10 comes after 9. */
function numberKey(value: number): string {
  const digits = String(value);
  return String.fromCharCode(0x60 + digits.length) + digits;
}

function identifierKey(identifier: PrereleaseIdentifier): string {
  return typeof identifier === "number" ? NUMBER + numberKey(identifier) : TEXT + identifier + BELOW_ALL;
}

function mirrored(text: string): string {
  return Array.from(text, (character) => String.fromCharCode(MIRROR - character.charCodeAt(0))).join("");
}
