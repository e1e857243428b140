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
       * The instant at which the tag moved to its digest. Absent if the instant is unknown, or the
       * tag moved before Lookout listed the repository.
       */
      readonly movedAt?: EpochMs;
    };

/** Returns a candidate's tag. */
export function nameOf(tag: CandidateTag): string {
  return typeof tag === "string" ? tag : tag.name;
}

/**
 * Returns the later of two entries of one tag. An entry without an instant is older than an entry
 * with an instant.
 */
export function laterOf(one: CandidateTag, other: CandidateTag): CandidateTag {
  const order = compareMoves(one, other) || compareDigests(one, other);
  return order < 0 ? other : one;
}

/**
 * Compares tags by their moves: negative when the first moved earlier. A tag without a move is the
 * earliest.
 */
export function compareMoves(one: CandidateTag, other: CandidateTag): number {
  const first = movedAtOf(one);
  const second = movedAtOf(other);
  return first === second ? 0 : (first ?? -Infinity) - (second ?? -Infinity);
}

/** Returns the instant at which a candidate moved to its digest, or undefined if it is unknown. */
export function movedAtOf(tag: CandidateTag): EpochMs | undefined {
  return typeof tag === "string" ? undefined : tag.movedAt;
}

function compareDigests(one: CandidateTag, other: CandidateTag): number {
  return compareTexts(digestOf(one) ?? "", digestOf(other) ?? "");
}

/** Returns the digest of a candidate, or undefined if it is unknown. */
export function digestOf(tag: CandidateTag): string | undefined {
  return typeof tag === "string" ? undefined : tag.digest;
}

/** A rejected tag. */
export interface RejectedTag {
  readonly tag: string;
  readonly reason: TagRejection;
}

/**
 * Matches the tags of referrers, such as signatures and attestations. These tags name no image.
 *
 * Referrers are pushed after their image, so they would be the newest tags.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#referrers-tag-schema
 */
const HANGS_ON_DIGEST = /^sha(?:256|384|512)-[0-9a-f]{64}/;

/** Returns why no policy can select a tag, or undefined if a policy can. */
export function unusable(tag: string): TagRejection | undefined {
  if (!isTag(tag)) return "not-a-tag";
  return HANGS_ON_DIGEST.test(tag) ? "describes-another-image" : undefined;
}
