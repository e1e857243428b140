import type { ImageName } from "../image/reference.ts";
import type { CandidateTag } from "./candidate-tag.ts";
import type { EpochMs } from "../shared/time.ts";

/** The move of a tag to a digest, at an instant of Lookout's clock. */
export interface TagMove {
  readonly tag: string;
  readonly digest: string;
  readonly movedAt: EpochMs;
  /** True if a sweep found the move, so the tag moved at this instant or later. */
  readonly isFound?: true;
}

/** A digest under a tag. */
export interface TaggedImage {
  readonly imageName: ImageName;
  readonly tag: string;
  readonly digest: string;
}

/**
 * The instant at which Lookout saw that a tag had come to a digest, by Lookout's clock. If the tag
 * leaves the digest and comes back, the instant is that of the return.
 */
export interface Sighting extends TaggedImage {
  readonly seenAt: EpochMs;
  /** The instant at which `seenAt` was found to be in the future. Absent if it was not. */
  readonly doubtedAt?: EpochMs;
}

/** Returns a moved tag as a candidate. */
export function asCandidate({ tag, digest, movedAt }: TagMove): CandidateTag {
  return { name: tag, digest, movedAt };
}

/**
 * The known tags of a repository, oldest first: a 32-bit hash of each tag, because a repository may
 * have many tags.
 */
export type ListedTags = readonly number[];

/**
 * The largest number of known tags of a repository. Above this number, only pushes report new tags.
 */
export const mostKnownTags = 50_000;

/**
 * The largest number of new tags in one listing. More new tags prove that the previous listing was
 * incomplete.
 */
export const mostFoundTags = 100;

/**
 * Returns the listed tags that are neither known nor moved, in the order of the listing.
 *
 * The function misses a new tag that has the hash of a known tag. This happens for at most about
 * one new tag in a hundred thousand.
 *
 * @param known - the known tags, or undefined at the first listing, in which no tag is new.
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

/**
 * Returns the known tags with these tags added. Above the limit, the oldest other tags are dropped.
 */
export function withKnown(known: ListedTags, tags: readonly string[]): ListedTags {
  const these = new Set(tags.map(markOf));
  const all = new Set([...known, ...these]);
  if (all.size <= mostKnownTags) return [...all];
  return [...[...all].filter((mark) => !these.has(mark)), ...these].slice(-mostKnownTags);
}

/** Returns the FNV-1a hash of a tag, with 32 bits. */
function markOf(tag: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < tag.length; index += 1) mark = Math.imul(mark ^ tag.charCodeAt(index), 0x01000193);
  return mark >>> 0;
}

/** The maximum number of moves that a repository keeps. Only the last moves can win. */
export const mostMoves = 1_000;

/** Returns the moves to delete: all moves except the newest {@link mostMoves}. */
export function forgettable(moves: readonly TagMove[]): readonly TagMove[] {
  return moves.toSorted((one, other) => other.movedAt - one.movedAt).slice(mostMoves);
}
