import { type DurationMs, durationMs, type EpochMs, hours, minutes, plus } from "../shared/time.ts";
import type { Reason } from "../shared/reasons.ts";
import type { LastingFault } from "./health.ts";
import { isSameDigest, type RepositoryDigest, withoutDigests } from "./repository-digest.ts";
import type { ImageChange } from "./patch.ts";

/** The reasons of rollouts that ended for a lack of something, which says nothing about the image. */
export const limitReasons = [
  "pull-limited",
  "quota-exceeded",
  "webhook-unavailable",
  "other-container-failed",
  "check-unanswered",
] as const satisfies readonly Reason[];
/** One of {@link limitReasons}. */
export type LimitReason = (typeof limitReasons)[number];

/** Returns whether a reason is a {@link LimitReason}. */
export function isLimit(reason: Reason): reason is LimitReason {
  return (limitReasons as readonly Reason[]).includes(reason);
}

/** The reason of each fault that says nothing about the image. */
export const limitOf: Readonly<Partial<Record<LastingFault, LimitReason>>> = {
  limited: "pull-limited",
  quota: "quota-exceeded",
  webhook: "webhook-unavailable",
};

/** A digest whose pods a registry, a quota, a webhook or a check held up until the deadline of its rollout. */
export interface LimitedDigest extends RepositoryDigest {
  readonly tag: string;
  readonly reason: LimitReason;
  /** The number of rollouts that ended so, since the digest last ran. */
  readonly times: number;
  /** The instant at which the digest is tried again. */
  readonly until: EpochMs;
}

const firstPause = minutes(15);
const longestPause = hours(6);

function pauseAfter(times: number): DurationMs {
  return durationMs(Math.min(longestPause, firstPause * 2 ** (times - 1)));
}

/** Returns the limited digests after another rollout that a limit ended, the newest last. */
export function limitAgain(
  limited: readonly LimitedDigest[] = [],
  changes: readonly ImageChange[],
  reason: LimitReason,
  now: EpochMs,
): readonly LimitedDigest[] {
  const again = changes.map(({ imageName, digest, tag }): LimitedDigest => {
    const times = 1 + (limited.find(isSameDigest({ imageName, digest }))?.times ?? 0);
    return { imageName, digest, tag, reason, times, until: plus(now, pauseAfter(times)) };
  });
  return [...(withoutDigests(limited, changes) ?? []), ...again];
}
