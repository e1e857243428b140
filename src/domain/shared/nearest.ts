/**
 * Returns the known word that is nearest to a misspelt word, by the number of changed letters.
 *
 * @returns `undefined` when more than a third of the letters differ, and for a word of more than 64
 *   letters.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // The time grows with both lengths, and no key has more than 64 letters.
  if (word.length > 64) return undefined;
  const ranked = known
    // The number of changes is at least the difference of the lengths.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= mostChanges(candidate))
    .map((candidate) => ({ candidate, changes: changesBetween(candidate.toLowerCase(), word.toLowerCase()) }))
    .filter(({ candidate, changes }) => changes <= mostChanges(candidate))
    .sort((left, right) => left.changes - right.changes);
  return ranked[0]?.candidate;
}

/**
 * Returns the end of a message about an unknown word, with the probable word; empty without one.
 */
export function didYouMean(meant: string | undefined): string {
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

function mostChanges(candidate: string): number {
  return Math.max(1, Math.floor(candidate.length / 3));
}

/**
 * Returns the number of letters to replace, add, drop or swap, by the algorithm of Wagner and
 * Fischer.
 */
function changesBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  let before: readonly number[] = [];
  for (let position = 0; position < left.length; position++) {
    const next = [position + 1];
    for (let index = 0; index < right.length; index++) {
      const replaced = (row[index] ?? 0) + (left[position] === right[index] ? 0 : 1);
      const isSwapped = left[position] === right[index - 1] && left[position - 1] === right[index];
      const swapped = isSwapped ? (before[index - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[right.length] ?? 0;
}
