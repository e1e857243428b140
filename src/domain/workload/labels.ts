import { compareTexts } from "../shared/text-order.ts";

/** The maximum number of labels that a record keeps. Users select workloads by labels. */
export const mostLabels = 20;
/** The maximum number of characters of all kept labels together. */
export const mostLabelCharacters = 1_024;

/** Matches the labels of programs, which change with each update and say nothing to users. */
const noise =
  /^(?:lookout\.dev\/|pod-template-hash$|controller-revision-hash$|(?:batch\.kubernetes\.io\/)?controller-uid$)/;

/** Returns the labels of an object that a record keeps, the first ones by their keys. */
export function keptLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let left = mostLabelCharacters;
  const kept = Object.entries(labels)
    .filter(([key]) => !noise.test(key))
    .sort(([one], [other]) => compareTexts(one, other))
    .slice(0, mostLabels)
    .filter(([key, value]) => (left -= key.length + value.length) >= 0);
  return Object.fromEntries(kept);
}
