import { type CandidateTag, laterOf, nameOf } from "./candidate-tag.ts";
import { rankingOf, type TagSelector, type CurrentImage } from "./tag-selector.ts";
import { filterTag, type TagFilter } from "./tag-filter.ts";

/** Selects only the running tag. A listing without the running tag means that the tag is gone. */
export function runningSelector(current: CurrentImage | undefined, filter: TagFilter): TagSelector {
  const { tag } = current ?? {};
  const isWanted = tag !== undefined && filterTag(filter, tag).ok;
  return {
    rank(tags) {
      let best: CandidateTag | undefined;
      let hasOthers = false;
      for (const candidate of tags) {
        if (nameOf(candidate) === tag) best = best === undefined ? candidate : laterOf(best, candidate);
        else hasOthers = true;
      }
      return { ...rankingOf(best), gone: best === undefined && hasOthers };
    },
    rejection(candidate) {
      if (nameOf(candidate) !== tag) return "not-the-running-tag";
      const filtered = filterTag(filter, tag);
      return filtered.ok ? undefined : filtered.problem;
    },
    select({ gone }) {
      if (tag === undefined) return { kind: "none", reason: "no-tag-to-follow" };
      return isWanted && gone !== true ? { kind: "unchanged", tag } : { kind: "none", reason: "no-tag-fits" };
    },
  };
}
