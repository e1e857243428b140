import type { CandidateTag } from "./candidate-tag.ts";
import type { EpochMs } from "../shared/time.ts";

/** A tag that was seen to come to a digest, and when, by Lookout's own clock. */
export interface TagMove {
  readonly tag: string;
  readonly digest: string;
  readonly movedAt: EpochMs;
  /** True: nobody told of it, and it moved at this instant or later. */
  readonly isFound?: true;
}

/** Answers a tag that moved as what policies select from. */
export function asCandidate({ tag, digest, movedAt }: TagMove): CandidateTag {
  return { name: tag, digest, movedAt };
}

/**
 * The tags of a repository that were there before, in the order in which they were first seen: a mark of 32 bits for each, because a
 * repository may have tens of thousands.
 */
export type ListedTags = readonly number[];

/** How many tags are known of a repository. Of one that has more, new tags are learned of from pushes alone. */
export const mostKnownTags = 50_000;

/** More new tags than that in one listing say that the one before was short, rather than that nobody told of so many pushes. */
export const mostFoundTags = 100;

/**
 * Picks the tags that came since the listing before, in the order of the listing: neither known, nor seen moving. A new tag whose
 * mark is that of another is overlooked, one of a hundred thousand.
 *
 * @param known - undefined: there was no listing before, and what is listed was there before Lookout looked.
 */
export function newTags(
  known: ListedTags | undefined,
  moves: readonly TagMove[],
  listed: readonly string[],
): readonly string[] {
  if (known === undefined || listed.length > mostKnownTags) return [];
  const marks = new Set(known);
  const moved = new Set(moves.map(({ tag }) => tag));
  const found = listed.filter((tag) => !marks.has(markOf(tag)) && !moved.has(tag));
  return found.length > mostFoundTags ? [] : found;
}

/** Adds tags to those that are known. When there are too many, those go that were known longest and are not among these. */
export function withKnown(known: ListedTags, tags: readonly string[]): ListedTags {
  const these = new Set(tags.map(markOf));
  const all = new Set([...known, ...these]);
  if (all.size <= mostKnownTags) return [...all];
  return [...[...all].filter((mark) => !these.has(mark)), ...these].slice(-mostKnownTags);
}

/** FNV-1a. */
function markOf(tag: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < tag.length; index += 1) mark = Math.imul(mark ^ tag.charCodeAt(index), 0x01000193);
  return mark >>> 0;
}

/** How many moves are remembered of a repository: of two that are forgotten nobody can say which came later, so the last ones stay. */
export const mostMoves = 1_000;

/** Picks the moves that may be forgotten: all but the last. */
export function forgettable(moves: readonly TagMove[]): readonly TagMove[] {
  return moves.toSorted((one, other) => other.movedAt - one.movedAt).slice(mostMoves);
}
