/** Digits that complete any digest. */
const hex = "0".repeat(32);

/** Completions that turn every valid beginning into an image reference. */
const endings = ["", "a", "/a", "a/a", "1/a", "]/a", ":]/a", `a:${hex}`, `:${hex}`, hex];

/**
 * Returns the index of the first character that no image reference can have there. For a text that
 * only ends too early, returns its length.
 *
 * @param isReference - checks a text by the grammar alone.
 */
export function placeOfReferenceFault(text: string, isReference: (text: string) => boolean): number {
  let begins = 0;
  let ends = text.length + 1;
  while (ends - begins > 1) {
    const middle = Math.floor((begins + ends) / 2);
    const beginning = text.slice(0, middle);
    if (endings.some((ending) => isReference(beginning + ending))) begins = middle;
    else ends = middle;
  }
  return begins;
}

/** Returns the index of the first capital letter; for a text without capitals, its length. */
export function placeOfCapital(text: string): number {
  let index = 0;
  for (const character of text) {
    if (character !== character.toLowerCase()) break;
    index += character.length;
  }
  return index;
}
