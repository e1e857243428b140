import { type CandidateTag, laterOf, nameOf } from "./policy/candidate-tag.ts";
import type { Contest, CurrentImage, Standing } from "./policy/contest.ts";
import { contestOf, type ElectionRule } from "./tag-policy.ts";

/**
 * A standing that takes one push more or one tag less into account, or why only a listing can tell it.
 *
 * `best-tag-deleted`: which tag comes after the highest is not known. `another-image-runs`: something else runs than what the tags were
 * looked at for, and that made other candidates of them.
 */
export type NextStanding =
  | { readonly kind: "standing"; readonly standing: Standing }
  | { readonly kind: "listing-needed"; readonly because: "best-tag-deleted" | "another-image-runs" };

/**
 * Takes a push into account, without a listing: the standing is that of all tags with the pushed one among them, in whatever order pushes
 * come. Of two pushes of one tag the later holds.
 *
 * @param current - what runs now. It may be another image than before where that makes no difference: when what was highest runs
 * now, or the candidates are the same.
 * @param pushed - with the instant of the push; without one it counts as older than what is known of the tag.
 */
export function afterPush(
  rule: ElectionRule,
  current: CurrentImage | undefined,
  standing: Standing,
  pushed: CandidateTag,
): NextStanding {
  const contest = contestOf(rule, current);
  const now = asLookedAtNow(standing, contest, current);
  if (now === undefined) return { kind: "listing-needed", because: "another-image-runs" };
  return { kind: "standing", standing: withTag(contest, now, pushed) };
}

/** Takes into account that a tag is gone from the repository; `tag` is its name. */
export function afterDeletion(
  rule: ElectionRule,
  current: CurrentImage | undefined,
  standing: Standing,
  tag: string,
): NextStanding {
  const contest = contestOf(rule, current);
  const now = asLookedAtNow(standing, contest, current);
  if (now === undefined) return { kind: "listing-needed", because: "another-image-runs" };
  const wasBest = now.best !== undefined && nameOf(now.best) === tag;
  // Where one tag alone is followed, nothing comes after it.
  if (wasBest && rule.policy.kind === "digest")
    return { kind: "standing", standing: { looksFor: now.looksFor, gone: true } };
  if (wasBest) return { kind: "listing-needed", because: "best-tag-deleted" };
  const { running, ...rest } = now;
  const keepsRunning = running !== undefined && nameOf(running) !== tag;
  return { kind: "standing", standing: keepsRunning ? { ...rest, running } : rest };
}

/** What was highest and runs now is the highest for itself too, and known to have moved as it was listed. Undefined: the candidates are others. */
function asLookedAtNow(
  standing: Standing,
  { looksFor }: Contest,
  current: CurrentImage | undefined,
): Standing | undefined {
  if (standing.looksFor === looksFor) return standing;
  const { best } = standing;
  return best !== undefined && nameOf(best) === current?.tag ? { looksFor, best, running: best } : undefined;
}

function withTag(contest: Contest, before: Standing, pushed: CandidateTag): Standing {
  const { best } = before;
  const next = contest.standing(best === undefined ? [pushed] : [best, pushed]);
  const running =
    before.running === undefined || next.running === undefined
      ? (next.running ?? before.running)
      : laterOf(before.running, next.running);
  return running === undefined ? next : { ...next, running };
}
