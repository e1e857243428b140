/**
 * Splits texts, in order, into non-empty lists of at most `room` characters. A longer text gets its own
 * list.
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
