import type { TagRejection } from "../shared/reasons.ts";
import type { Result } from "../shared/result.ts";
import type { EpochMs } from "../shared/time.ts";
import { type CandidateTag, laterOf } from "./candidate-tag.ts";

/** The running tag and digest of a container. Without a tag nothing is compared. */
export interface CurrentImage {
  readonly tag?: string;
  readonly digest?: string;
  /**
   * The instant at which the tag moved to its digest, if known. The registry may no longer have the
   * tag.
   */
  readonly movedAt?: EpochMs;
}

/**
 * The result of a selection. `selected`: another tag. `unchanged`: the running tag stays, though
 * its digest may have moved. `none`: no tag is selected.
 */
export type Selection =
  | { readonly kind: "selected"; readonly tag: string }
  | { readonly kind: "unchanged"; readonly tag: string }
  | {
      readonly kind: "none";
      readonly reason:
        | "no-tag-fits"
        | "would-downgrade"
        | "current-tag-not-a-version"
        | "current-tag-not-comparable"
        | "no-tag-to-follow";
    };

/** The summary of a repository's tags that a selection needs. */
export interface Ranking {
  /** The highest candidate, even if it can't replace the running tag. Absent if no tag fits. */
  readonly best?: CandidateTag;
  /**
   * The running tag in the listing, if the policy needs the move of this tag. Absent if the listing
   * lacks the tag.
   */
  readonly running?: CandidateTag;
  /** True if the policy follows only the running tag, and the listing lacks this tag. */
  readonly gone?: boolean;
}

/** Compares tags under one policy for one running image. */
export interface TagSelector {
  /** Returns the ranking of tags. The tags may be repeated, and may come in any order. */
  readonly rank: (tags: Iterable<CandidateTag>) => Ranking;
  /** Returns why a tag is rejected; undefined for a candidate. */
  readonly rejection: (tag: CandidateTag, ranking: Ranking) => TagRejection | undefined;
  /** Compares the highest candidate with the running tag. */
  readonly select: (ranking: Ranking) => Selection;
}

/** Returns a ranking with only the highest candidate. */
export function rankingOf(best: CandidateTag | undefined): Pick<Ranking, "best"> {
  return best === undefined ? {} : { best };
}

/** Returns the result for a higher, an equal or a lower candidate. */
export function selectionOf(
  best: string,
  order: number,
  running: string | undefined,
  allowDowngrade: boolean,
): Selection {
  if (running !== undefined && order === 0) return { kind: "unchanged", tag: running };
  if (order < 0 && !allowDowngrade) return { kind: "none", reason: "would-downgrade" };
  return { kind: "selected", tag: best };
}

/** A candidate and its compared value. */
export interface Ranked<Value> {
  readonly tag: CandidateTag;
  readonly value: Value;
}

/**
 * Returns the highest valid tag.
 *
 * @param compare - negative when the first is lower; zero only for two entries of one tag.
 */
export function highestOf<Value>(
  tags: Iterable<CandidateTag>,
  read: (tag: CandidateTag) => Result<Value, TagRejection>,
  compare: (one: Ranked<Value>, other: Ranked<Value>) => number,
): CandidateTag | undefined {
  let highest: Ranked<Value> | undefined;
  for (const tag of tags) {
    const value = read(tag);
    if (!value.ok) continue;
    const candidate = { tag, value: value.value };
    const order = highest === undefined ? 1 : compare(candidate, highest);
    if (order > 0) highest = candidate;
    else if (order === 0 && highest !== undefined) highest = { ...highest, tag: laterOf(highest.tag, tag) };
  }
  return highest?.tag;
}
