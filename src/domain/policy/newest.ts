import type { TagRejection } from "../shared/reasons.ts";
import { ok, type Result } from "../shared/result.ts";
import { compareTies } from "../version/order.ts";
import { compareMoves, type CandidateTag, laterOf, movedAtOf, nameOf } from "./candidate-tag.ts";
import {
  rankingOf,
  type TagSelector,
  type CurrentImage,
  highestOf,
  type Ranking,
  selectionOf,
} from "./tag-selector.ts";
import { runningOf } from "./equal-tags.ts";
import { filterTag, type TagFilter } from "./tag-filter.ts";

/**
 * Selects the tag that moved last.
 *
 * If several tags moved at this instant, Lookout prefers the running tag, then the first tag by
 * text. A tag without a known move is older than a tag with a known move. If no move is known,
 * Lookout can select only the running tag.
 */
export function newestSelector(
  { allowDowngrade }: { readonly allowDowngrade: boolean },
  current: CurrentImage | undefined,
  filter: TagFilter,
): TagSelector {
  const runs = (tag: CandidateTag): boolean => nameOf(tag) === current?.tag;
  const isOlder = (tag: CandidateTag, ranking: Ranking): boolean =>
    !allowDowngrade && compareMoves(tag, runningOf(current, ranking)) < 0;
  return {
    rank: (tags) => rankMoves(tags, runs, filter),
    rejection(tag, ranking) {
      const filtered = filterTag(filter, nameOf(tag));
      if (!filtered.ok) return filtered.problem;
      if (movedAtOf(tag) === undefined && !runs(tag)) return "push-time-unknown";
      return isOlder(tag, ranking) ? "older-than-current" : undefined;
    },
    select(ranking) {
      const { best } = ranking;
      if (best === undefined) return { kind: "none", reason: "no-tag-fits" };
      if (runs(best)) return { kind: "unchanged", tag: nameOf(best) };
      if (movedAtOf(best) === undefined) return { kind: "none", reason: "no-tag-fits" };
      return selectionOf(nameOf(best), isOlder(best, ranking) ? -1 : 1, current?.tag, allowDowngrade);
    },
  };
}

function rankMoves(tags: Iterable<CandidateTag>, runs: (tag: CandidateTag) => boolean, filter: TagFilter): Ranking {
  let running: CandidateTag | undefined;
  const read = (tag: CandidateTag): Result<CandidateTag, TagRejection> => {
    if (runs(tag)) running = running === undefined ? tag : laterOf(running, tag);
    const filtered = filterTag(filter, nameOf(tag));
    return filtered.ok ? ok(tag) : filtered;
  };
  const best = highestOf(
    tags,
    read,
    ({ value: one }, { value: other }) =>
      compareMoves(one, other) || Number(runs(one)) - Number(runs(other)) || compareTies(nameOf(one), nameOf(other)),
  );
  return { ...rankingOf(best), ...(running === undefined ? {} : { running }) };
}
