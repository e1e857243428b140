import { atMostNow, isAhead } from "../shared/wrong-clock.ts";
import { type DurationMs, durationMs, epochMs, type EpochMs, hours, plus } from "../shared/time.ts";
import type { Sighting, TaggedImage } from "./tag-history.ts";

/** A sighting as the store keeps it. */
export interface StoredSighting extends Sighting {
  /** The instant until which the sighting is kept, unless Lookout sees the image again. */
  readonly keptUntil: EpochMs;
  /**
   * `image`, or the media type of an artifact that no container runtime runs. Absent if Lookout has
   * not read the manifest.
   */
  readonly content?: string;
}

/** The shortest time for which a sighting is kept. An update may wait for a window longer than its age. */
const keptAtLeast = hours(24);

/** Returns the time for which a sighting is kept: twice the minimum age. */
function keptFor(minAge: DurationMs): DurationMs {
  return durationMs(Math.max(2 * minAge, keptAtLeast));
}

/** Returns the sightings of a tag, the latest first. The tag is at the digest of the first. */
export function latestFirst(sightings: readonly StoredSighting[]): readonly StoredSighting[] {
  return sightings.toSorted((one, other) => other.seenAt - one.seenAt);
}

/**
 * Returns the sighting of a tag after the registry has named its digest.
 *
 * The instant stays if the latest sighting has the digest. Otherwise the tag has come to the digest
 * now, even if it was there before: an image that was replaced may have been replaced for a reason.
 *
 * @param known - the sightings of this tag, the latest first.
 */
export function seenNow(
  known: readonly StoredSighting[],
  image: TaggedImage,
  minAge: DurationMs,
  now: EpochMs,
): StoredSighting {
  const [latest] = known;
  if (latest?.digest === image.digest) return keptLonger(latest, minAge, now);
  const content = known.find(({ digest }) => digest === image.digest)?.content;
  const { imageName, tag, digest } = image;
  // The latest sighting stays the latest if the clocks of two functions differ.
  const seenAt = epochMs(Math.max(now, (latest?.seenAt ?? 0) + 1));
  return {
    ...{ imageName, tag, digest, seenAt },
    ...(isAhead(seenAt, now) ? { doubtedAt: now } : {}),
    keptUntil: plus(now, keptFor(minAge)),
    ...(content === undefined ? {} : { content }),
  };
}

/**
 * Returns a sighting that is still needed. It is kept longer once a quarter of its time has passed,
 * so that the store is rarely written. If it is in the future, its age begins now.
 */
export function keptLonger(sighting: StoredSighting, minAge: DurationMs, now: EpochMs): StoredSighting {
  const time = keptFor(minAge);
  const { seenAt, doubtedAt = seenAt } = sighting;
  if (isAhead(seenAt, now) && isAhead(doubtedAt, now))
    return { ...sighting, doubtedAt: now, keptUntil: plus(now, time) };
  return sighting.keptUntil >= plus(now, durationMs(time * 0.75))
    ? sighting
    : { ...sighting, keptUntil: plus(now, time) };
}

/** Returns the sighting of an image whose tag nobody has asked the registry for. */
export function firstSighting(
  { imageName, tag, digest }: TaggedImage,
  minAge: DurationMs,
  now: EpochMs,
): StoredSighting {
  return { imageName, tag, digest, seenAt: now, keptUntil: plus(now, keptFor(minAge)) };
}

/** Returns the instant at which an image is old enough. */
export function oldEnoughAt(sighting: Sighting, minAge: DurationMs, now: EpochMs): EpochMs {
  return plus(agesFrom(sighting, now), minAge);
}

/**
 * Returns the instant from which an image has its age.
 *
 * A sighting in the future was stored while the clock was ahead, or the clock is behind now. Its age begins when Lookout
 * found this. When the clock is right again, the sighting itself counts again.
 */
export function agesFrom({ seenAt, doubtedAt = seenAt }: Sighting, now: EpochMs): EpochMs {
  return isAhead(seenAt, now) ? atMostNow(doubtedAt, now) : seenAt;
}

/**
 * Returns the digests to which a tag came after the running digest, the latest first.
 *
 * Without a sighting of the running digest, only digests that came after the image was written into
 * the object are newer. Lookout can't tell about images that it wrote itself, so none are.
 *
 * @param known - the sightings of this tag, the latest first.
 */
export function newerThanRunning(
  known: readonly StoredSighting[],
  running: { readonly digests: readonly (string | undefined)[]; readonly writtenAt?: EpochMs },
): readonly StoredSighting[] {
  const place = known.findIndex(({ digest }) => running.digests.includes(digest));
  if (place >= 0) return known.slice(0, place);
  const { writtenAt } = running;
  return writtenAt === undefined ? [] : known.filter(({ seenAt }) => seenAt > writtenAt);
}
