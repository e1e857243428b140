import type { Sighting, TaggedImage } from "#domain/policy/tag-history";
import { type EpochMs, hours } from "#domain/shared/time";

/** How long a sighting is kept at least: 180 days, which is longer than any minimum age. */
export const sightingsKept = hours(180 * 24);

/** When Lookout first saw digests under tags, by Lookout's own clock. No publisher can set it. */
export interface Sightings {
  /**
   * Stores that images were seen at an instant, unless an earlier sighting is stored. Returns the
   * stored sightings.
   */
  remember(images: readonly TaggedImage[], at: EpochMs): Promise<readonly Sighting[]>;
  /** Returns the stored sightings of images, in no order. An image that was never seen is left out. The read is strongly consistent. */
  among(images: readonly TaggedImage[]): Promise<readonly Sighting[]>;
}
