/** Lists that are longer than what AWS takes at once. */

/**
 * Splits texts, in their order, into lists whose lengths sum up to `room` at the most; none is empty. A text that is longer than that is in
 * a list of its own.
 */
export function splitByLength(
  texts: readonly string[],
  room: number,
  lengthOf: (text: string) => number,
): readonly (readonly [string, ...string[]])[] {
  const lists: [string, ...string[]][] = [];
  let left = 0;
  for (const text of texts) {
    const length = lengthOf(text);
    const last = lists.at(-1);
    if (last === undefined || length > left) {
      lists.push([text]);
      left = room - length;
    } else {
      last.push(text);
      left -= length;
    }
  }
  return lists;
}
