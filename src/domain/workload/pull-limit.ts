import { type DurationMs, durationMs, type EpochMs, hours, minutes, plus } from "../shared/time.ts";
import { isSameDigest, type RepositoryDigest, withoutDigests } from "./repository-digest.ts";
import type { ImageChange } from "./patch.ts";

/** A digest whose pulls a registry limited until the deadline of its rollout. */
export interface LimitedDigest extends RepositoryDigest {
  readonly tag: string;
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

/** Returns the limited digests after another rollout that a limit of pulls ended, the newest last. */
export function limitAgain(
  limited: readonly LimitedDigest[] = [],
  changes: readonly ImageChange[],
  now: EpochMs,
): readonly LimitedDigest[] {
  const again = changes.map(({ imageName, digest, tag }): LimitedDigest => {
    const times = 1 + (limited.find(isSameDigest({ imageName, digest }))?.times ?? 0);
    return { imageName, digest, tag, times, until: plus(now, pauseAfter(times)) };
  });
  return [...(withoutDigests(limited, changes) ?? []), ...again];
}
