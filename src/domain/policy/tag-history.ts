import type { CandidateTag } from "./candidate-tag.ts";
import type { EpochMs } from "../shared/time.ts";

/** The move of a tag to a digest, at an instant of Lookout's clock. */
export interface TagMove {
  readonly tag: string;
  readonly digest: string;
  readonly movedAt: EpochMs;
  /** True: a sweep found the move, so the tag moved at this instant or later. */
  readonly isFound?: true;
}

/** A digest under a tag. `repository` is `registry/path`. */
export interface TaggedImage {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

/** When Lookout first saw a digest under a tag, by its own clock. It never changes. */
export interface Sighting extends TaggedImage {
  readonly seenAt: EpochMs;
}

/** Returns a moved tag as a candidate. */
export function asCandidate({ tag, digest, movedAt }: TagMove): CandidateTag {
  return { name: tag, digest, movedAt };
}

/**
 * The known tags of a repository, oldest first: a hash of 32 bits for each, because there may be
 * many.
 */
export type ListedTags = readonly number[];

/** How many tags are known of a repository. Beyond that, only pushes report new tags. */
export const mostKnownTags = 50_000;

/** More new tags than this prove that the previous listing was incomplete. */
export const mostFoundTags = 100;

/**
 * Returns the listed tags that are neither known nor moved, in the order of the listing.
 *
 * A new tag with the hash of another is missed, about one of a hundred thousand.
 *
 * @param known - undefined: this is the first listing, so no tag is new.
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

/** Adds tags to the known ones. Beyond the limit, the oldest of the others are dropped. */
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

/** How many moves a repository keeps. Only the last moves can win. */
export const mostMoves = 1_000;

/** Returns the moves to delete: all but the last. */
export function forgettable(moves: readonly TagMove[]): readonly TagMove[] {
  return moves.toSorted((one, other) => other.movedAt - one.movedAt).slice(mostMoves);
}
