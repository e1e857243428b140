/** The range for a selection among {@link mixedTags}. */
export const mixedRange = ">=1.2.0 <4.0.0";

/**
 * Yields realistic tags, always in the same order. Of twenty tags, 11 are releases, 3 are
 * candidates, and 6 are no versions (commits, dates, branches, `latest`).
 */
export function* mixedTags(count: number): Generator<string> {
  for (let number = 0; number < count; number += 1) yield mixedTag(number);
}

function mixedTag(number: number): string {
  // A step that is coprime to its modulus reaches all values in a mixed order.
  const version = `v${(number * 7) % 6}.${(number * 13) % 40}.${(number * 29) % 97}`;
  const kind = number % 20;
  if (kind < 11) return version;
  if (kind < 14) return `${version}-rc.${number % 9}`;
  if (kind < 16) return (0x1000000 + ((number * 7919) % 0xefffff)).toString(16);
  if (kind < 18)
    return `2026${String((number % 12) + 1).padStart(2, "0")}${String((number % 28) + 1).padStart(2, "0")}`;
  return kind === 18 ? `feature-${number}` : "latest";
}
