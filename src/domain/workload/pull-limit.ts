import type { ImageName } from "../image/reference.ts";
import { type DurationMs, durationMs, type EpochMs, hours, minutes, plus } from "../shared/time.ts";
import type { ImageChange } from "./patch.ts";

/** A digest whose pulls a registry limited until the deadline of its rollout. */
export interface LimitedDigest {
  readonly imageName: ImageName;
  readonly digest: string;
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
    const times = 1 + (limited.find(isOf({ imageName, digest }))?.times ?? 0);
    return { imageName, digest, tag, times, until: plus(now, pauseAfter(times)) };
  });
  return [...(stillLimited(limited, changes) ?? []), ...again];
}

/** Returns the limited digests without those that run now. Undefined if none is left. */
export function stillLimited(
  limited: readonly LimitedDigest[] = [],
  changes: readonly ImageChange[],
): readonly LimitedDigest[] | undefined {
  const left = limited.filter((one) => !changes.some(isOf(one)));
  return left.length === 0 ? undefined : left;
}

/** Returns a test for the same digest of the same repository. */
export function isOf({ imageName, digest }: Pick<LimitedDigest, "imageName" | "digest">) {
  return (one: Pick<LimitedDigest, "imageName" | "digest">): boolean =>
    one.imageName === imageName && one.digest === digest;
}
