import type { TagRejection } from "../shared/reasons.ts";
import type { Result } from "../shared/result.ts";
import type { EpochMs } from "../shared/time.ts";
import { type CandidateTag, laterOf } from "./candidate-tag.ts";

/** What a container runs, as its manifest says. Without a tag there is nothing to compare with. */
export interface CurrentImage {
  readonly tag?: string;
  readonly digest?: string;
  /** When the tag came to its digest, where that is known although no listing has it: it may be gone from the registry. */
  readonly movedAt?: EpochMs;
}

/**
 * What a policy wants. `selected`: another tag. `unchanged`: the running tag stays, though its digest may have moved.
 * `none`: there is nothing to run, and why.
 */
export type Selection =
  | { readonly kind: "elected"; readonly tag: string }
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

/** What the tags of a repository come to: enough to select. */
export interface Ranking {
  /** The highest candidate, whether or not it may replace what runs. Absent: no tag fits. */
  readonly best?: CandidateTag;
  /** The running tag as it was listed, where the policy asks when that moved. Absent: it was not listed. */
  readonly running?: CandidateTag;
  /** True where only the running tag is followed, and there are tags without it. */
  readonly gone?: boolean;
}

/** One policy, set on what runs: how it compares the tags of a repository. */
export interface TagSelector {
  /** Sums tags up, always the same whatever their order and however often one comes. */
  readonly rank: (tags: Iterable<CandidateTag>) => Ranking;
  /** Says why a tag is not what is wanted; undefined for a candidate that may win. */
  readonly rejection: (tag: CandidateTag, ranking: Ranking) => TagRejection | undefined;
  /** Sets the highest candidate against what runs. */
  readonly select: (ranking: Ranking) => Selection;
}

/** The part of a ranking that says which candidate is the highest. */
export function rankingOf(best: CandidateTag | undefined): Pick<Ranking, "best"> {
  return best === undefined ? {} : { best };
}

/** Answers what a higher candidate comes to, or one that is as high, or lower. */
export function selectionOf(
  best: string,
  order: number,
  running: string | undefined,
  allowDowngrade: boolean,
): Selection {
  if (running !== undefined && order === 0) return { kind: "unchanged", tag: running };
  if (order < 0 && !allowDowngrade) return { kind: "none", reason: "would-downgrade" };
  return { kind: "elected", tag: best };
}

/** A candidate, and what of it is compared. */
export interface Ranked<Value> {
  readonly tag: CandidateTag;
  readonly value: Value;
}

/**
 * Picks the highest of those that can be read.
 *
 * @param compare - negative when the first is lower; zero for one and the same tag alone, whose later saying holds.
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
