import type { ImageName } from "#domain/image/reference";
import type { StoredSighting } from "#domain/policy/tag-age";
import type { TaggedImage } from "#domain/policy/tag-history";
import type { EpochMs } from "#domain/shared/time";

/**
 * The instants at which tags came to digests, by Lookout's own clock. No publisher can set this
 * clock.
 *
 * Lookout stores only tags whose digest it has asked for, and none of a listing. A listing may have
 * 50,000 tags, and no tag can win before its digest is old enough too.
 */
export interface Sightings {
  /**
   * Stores sightings. A stored sighting of a later instant stays. The store may delete sightings
   * that were kept until an instant before `now`.
   */
  remember(sightings: readonly StoredSighting[], now: EpochMs): Promise<void>;
  /**
   * Lists the stored sightings of a repository, in no order. The read is strongly consistent, and
   * may return sightings after their `keptUntil`.
   */
  list(imageName: ImageName): Promise<readonly StoredSighting[]>;
  /** Returns the stored sightings of images, as {@link Sightings.list} does, without unseen images. */
  among(images: readonly TaggedImage[]): Promise<readonly StoredSighting[]>;
  /** Deletes sightings. A tag that has come to its digest again since keeps its newer sighting. */
  forget(sightings: readonly StoredSighting[]): Promise<void>;
}
