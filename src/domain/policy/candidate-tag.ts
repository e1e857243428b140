import { isTag } from "../image/reference.ts";
import type { TagRejection } from "../shared/reasons.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { EpochMs } from "../shared/time.ts";

/** A tag of a repository, with what is known of it; the text alone where nothing else is. */
export type CandidateTag =
  | string
  | {
      readonly name: string;
      readonly digest?: string;
      /** When Lookout saw the tag come to its digest. Absent: the tag was there before Lookout looked, or nobody asked. */
      readonly movedAt?: EpochMs;
    };

/** Answers a candidate's tag. */
export function nameOf(tag: CandidateTag): string {
  return typeof tag === "string" ? tag : tag.name;
}

/**
 * Answers which of two sayings about one tag holds: the later one, and of two that are as late always the same. One without an instant is
 * older than any with one.
 */
export function laterOf(one: CandidateTag, other: CandidateTag): CandidateTag {
  const order = compareMoves(one, other) || compareDigests(one, other);
  return order < 0 ? other : one;
}

/** Orders tags by when they moved: negative when the first moved before. What nobody saw moving was there before. */
export function compareMoves(one: CandidateTag, other: CandidateTag): number {
  const [first, second] = [movedAtOf(one), movedAtOf(other)];
  return first === second ? 0 : (first ?? -Infinity) - (second ?? -Infinity);
}

/** Answers when a candidate came to its digest, where that is known. */
export function movedAtOf(tag: CandidateTag): EpochMs | undefined {
  return typeof tag === "string" ? undefined : tag.movedAt;
}

function compareDigests(one: CandidateTag, other: CandidateTag): number {
  return compareTexts(digestOf(one) ?? "", digestOf(other) ?? "");
}

/** Answers the digest that a candidate names, where that is known. */
export function digestOf(tag: CandidateTag): string | undefined {
  return typeof tag === "string" ? undefined : tag.digest;
}

/** A tag that was no candidate. */
export interface RejectedTag {
  readonly tag: string;
  readonly reason: TagRejection;
}

/**
 * Tags that hang something on a digest rather than naming an image: the referrers of registries without that API, and cosign's
 * signatures, attestations and lists of parts. They are pushed after their image, and would be the latest tag of all.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#referrers-tag-schema
 */
const HANGS_ON_DIGEST = /^sha(?:256|384|512)-[0-9a-f]{64}/;

/** Why a tag can't be run, whatever a policy says; undefined where it can. */
export function unusable(tag: string): TagRejection | undefined {
  if (!isTag(tag)) return "not-a-tag";
  return HANGS_ON_DIGEST.test(tag) ? "describes-another-image" : undefined;
}
