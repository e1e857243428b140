import { isTag } from "../image/reference.ts";
import type { TagRejection } from "../shared/reasons.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { EpochMs } from "../shared/time.ts";

/** A tag of a repository, with its digest and move if they are known. */
export type CandidateTag =
  | string
  | {
      readonly name: string;
      readonly digest?: string;
      /**
       * When the tag moved to its digest. Absent: before Lookout listed the repository, or unknown.
       */
      readonly movedAt?: EpochMs;
    };

/** Returns a candidate's tag. */
export function nameOf(tag: CandidateTag): string {
  return typeof tag === "string" ? tag : tag.name;
}

/**
 * Returns the later of two entries of one tag. An entry without an instant is older than any with
 * one.
 */
export function laterOf(one: CandidateTag, other: CandidateTag): CandidateTag {
  const order = compareMoves(one, other) || compareDigests(one, other);
  return order < 0 ? other : one;
}

/**
 * Orders tags by when they moved: negative when the first moved before. A tag without a move comes
 * first.
 */
export function compareMoves(one: CandidateTag, other: CandidateTag): number {
  const first = movedAtOf(one);
  const second = movedAtOf(other);
  return first === second ? 0 : (first ?? -Infinity) - (second ?? -Infinity);
}

/** Returns when a candidate moved to its digest; undefined: unknown. */
export function movedAtOf(tag: CandidateTag): EpochMs | undefined {
  return typeof tag === "string" ? undefined : tag.movedAt;
}

function compareDigests(one: CandidateTag, other: CandidateTag): number {
  return compareTexts(digestOf(one) ?? "", digestOf(other) ?? "");
}

/** Returns the digest of a candidate; undefined: unknown. */
export function digestOf(tag: CandidateTag): string | undefined {
  return typeof tag === "string" ? undefined : tag.digest;
}

/** A rejected tag. */
export interface RejectedTag {
  readonly tag: string;
  readonly reason: TagRejection;
}

/**
 * Tags that name a referrer of a digest, and no image: signatures, attestations and the like.
 *
 * They are pushed after their image, so they would be the newest tags.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#referrers-tag-schema
 */
const HANGS_ON_DIGEST = /^sha(?:256|384|512)-[0-9a-f]{64}/;

/** Returns why no policy can select a tag; undefined when one can. */
export function unusable(tag: string): TagRejection | undefined {
  if (!isTag(tag)) return "not-a-tag";
  return HANGS_ON_DIGEST.test(tag) ? "describes-another-image" : undefined;
}
