import type { EpochMs } from "#domain/shared/time";
import type { UnreadableItem } from "./unreadable-items.ts";

/** The forms of a kind of stored item. */
export interface KindForms {
  /** The name of the kind, for people: `freeze`. */
  readonly kind: string;
  /** The form that Lookout writes. */
  readonly writes: number;
  /** The highest form that Lookout reads. It reads all forms from 1 on. */
  readonly reads: number;
}

/** The number of items of a kind in one form. */
export interface FormCount {
  readonly kind: string;
  /** The form; 0 for an item without a form. */
  readonly form: number;
  readonly items: number;
}

/** A stored item that can't be read, and what helps. */
export interface SurveyedItem extends UnreadableItem {
  readonly remedy: string;
}

/** The items of a partition, by their form. */
export interface PartitionSurvey {
  readonly forms: readonly FormCount[];
  readonly unreadable: readonly SurveyedItem[];
}

/** Surveys the forms of stored items. It reads the keys of an item and its value, and changes nothing. */
export interface StoredItems {
  /** The forms of all kinds that this program writes and reads. */
  readonly kinds: readonly KindForms[];
  /**
   * Lists the partitions with stored items, sorted.
   *
   * @param clusters - the names of the configured clusters. Removed clusters are found.
   * @param now - the end of the history. Of pushes and digests, it finds those of the newest rows.
   */
  partitions(clusters: readonly string[], now: EpochMs): Promise<readonly string[]>;
  /** Surveys a partition. Of a history, it reads the newest rows. */
  survey(partition: string): Promise<PartitionSurvey>;
}
