/** A stored item that this Lookout can't read. Other items can be read without it. */
export interface UnreadableItem {
  /** The name of its kind: `freeze`. */
  readonly kind: string;
  readonly key: { readonly pk: string; readonly sk: string };
  /** The cause, after the name of the item: `is damaged: its member "by" is missing`. */
  readonly why: string;
}

/** The unreadable items that the reads of this process met. */
export interface UnreadableItems {
  /** Returns the number of sights since the start, for {@link UnreadableItems.seenSince}. */
  sights(): number;
  /**
   * Returns the items that were met after so many sights, each once. Reads that run at the same time
   * may have met them. Only the last hundred items are known.
   */
  seenSince(sights: number): readonly UnreadableItem[];
}
