import type { Sighting, TaggedImage } from "#domain/policy/tag-history";
import { type EpochMs, hours } from "#domain/shared/time";

/** The shortest time for which a sighting is kept: 180 days, longer than any minimum age. */
export const sightingsKept = hours(180 * 24);

/**
 * The instants at which Lookout first saw digests under tags, by Lookout's own clock. No publisher
 * can set this clock.
 */
export interface Sightings {
  /**
   * Stores that images were seen at an instant, unless an earlier sighting is stored. Returns the
   * stored sightings.
   */
  remember(images: readonly TaggedImage[], at: EpochMs): Promise<readonly Sighting[]>;
  /**
   * Returns the stored sightings of images, in no order. The result omits unseen images. The read
   * is strongly consistent.
   */
  among(images: readonly TaggedImage[]): Promise<readonly Sighting[]>;
}
