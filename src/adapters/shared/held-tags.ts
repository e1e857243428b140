import { imageNameOf } from "#domain/image/reference";
import type { RepositoryName } from "#ports/registry";
import type { OverBudget, Spending } from "#ports/spending";

/** The memory of a listed tag, with its place in sets and lists. */
const bytesOfTag = 128;

/** A shorter listing is not counted, because most listings are shorter. */
const uncountedTags = 2_000;

/**
 * Holds the memory of a listing with so many tags. Returns why the run may not hold them, or
 * undefined if it may.
 */
export function holdTags(tags: number, name: RepositoryName, spending: Spending | undefined): OverBudget | undefined {
  return tags <= uncountedTags ? undefined : spending?.hold(`tags of ${imageNameOf(name)}`, tags * bytesOfTag);
}
