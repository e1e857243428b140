import type { EpochMs } from "#domain/shared/time";

/** The key of an item: its partition, and its place in the order of the partition. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** A part of an item that conditions compare, such as the version of a record. */
export type Mark = string | number | boolean;

/** Something stored, in the form of one kind. The files of `src/stored` make and read items. */
export interface Item extends ItemKey {
  /** The number of the value's form. Each form of a released Lookout can be read. */
  readonly form: number;
  /** A JSON value without undefined, or bytes. Undefined for a row of another program that is no JSON. */
  readonly value: unknown;
  readonly marks?: Readonly<Record<string, Mark>>;
  /** Puts the item into the index of due items. */
  readonly dueAt?: EpochMs;
  /** The instant after which the item may be deleted. It may still be read for some days. */
  readonly expiresAt?: EpochMs;
}

/** What must be true of the stored item for a write. */
export type Condition =
  | { readonly kind: "absent" }
  /** False without a stored item, or without the mark. */
  | { readonly kind: "equals" | "differs" | "at-most"; readonly mark: string; readonly value: Mark }
  | { readonly kind: "any" | "all"; readonly of: readonly Condition[] };

/** One write of a transaction. Without a condition, it always takes place. */
export type ItemWrite =
  | {
      readonly kind: "put";
      readonly item: Item;
      readonly if?: Condition;
      /** True if the write becomes a change of {@link ItemChanges}. */
      readonly isChange?: true;
    }
  | { readonly kind: "remove"; readonly key: ItemKey; readonly if?: Condition };

/** The outcome of a write. */
export type ItemsWritten =
  | { readonly kind: "written" }
  /**
   * Nothing was written, because a condition was false or another transaction wrote the item at the
   * same time. `which` is the place of the first such write.
   */
  | { readonly kind: "refused"; readonly which: number };

/** A query of one partition, in the order of the sort keys, which compare byte by byte. */
export interface ItemQuery {
  readonly pk: string;
  /** Only sort keys that begin with this text. */
  readonly prefix?: string;
  /** Only sort keys after this one. */
  readonly after?: string;
  /** Only sort keys before this one. */
  readonly before?: string;
  /** The maximum number of items. Absent: all items. */
  readonly limit?: number;
  readonly newestFirst?: boolean;
}

/** The maximum number of writes of one transaction. */
export const mostWrites = 100;

/**
 * Everything that Lookout stores, in a table of DynamoDB or in the state file. Reads are strongly
 * consistent, except {@link Items.due} and stale reads.
 *
 * Every method takes what it does and for what, for errors: `reading the record of
 * prod/shop/deployment/api`. It throws TransientError on throttling, timeouts and lost connections.
 * After this error, the write may still have happened.
 */
export interface Items {
  /** Reads an item; undefined if it does not exist. */
  get(key: ItemKey, doing: string): Promise<Item | undefined>;
  /**
   * Reads items, in no order and without those that do not exist. Each repeated key is read once.
   *
   * @param consistency - with `may-be-stale`, the read costs half, and may miss the writes of the
   *   last second.
   */
  getMany(keys: readonly ItemKey[], doing: string, consistency?: "may-be-stale"): Promise<readonly Item[]>;
  /** Lists items of a partition. */
  query(query: ItemQuery, doing: string): Promise<readonly Item[]>;
  /** Lists the sort keys of items of a partition, also of items that can't be read. */
  sortKeys(query: ItemQuery, doing: string): Promise<readonly string[]>;
  /** Writes all, or nothing: at most {@link mostWrites} writes of different items. */
  write(writes: readonly ItemWrite[], doing: string): Promise<ItemsWritten>;
  /** Removes items without a condition. Some may be removed when the call fails. */
  removeMany(keys: readonly ItemKey[], doing: string): Promise<void>;
  /** Lists at most `limit` items that are due at the instant, the longest due first. The list may lag. */
  due(at: EpochMs, limit: number, doing: string): Promise<readonly ItemKey[]>;
}

/** A write that was marked as a change, in the form that was stored. */
export interface ItemChange {
  readonly id: string;
  readonly item: Item;
}

/** The changes that are not handled yet: the outbox of the state file. On AWS, the table's stream delivers them. */
export interface ItemChanges {
  /** Returns at most `limit` of the oldest changes. */
  take(limit: number): Promise<readonly ItemChange[]>;
  /** Deletes handled changes. A repeat is harmless. */
  done(ids: readonly string[]): Promise<void>;
  /** Calls back soon after each write of a change by this process. The call is only a hint. */
  onWrite(callback: () => void): void;
}
