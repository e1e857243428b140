import type { Vote } from "#domain/approval/votes";
import type { EpochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { WorkloadName } from "#domain/workload/workload";
import type { RepositoryName } from "./registry.ts";
import type { UnreadableItem } from "./unreadable-items.ts";

/** The outcome of a conditional write. */
export type WriteOutcome =
  | { readonly kind: "written" }
  /** Another version is stored. Read again and decide again. */
  | { readonly kind: "conflict" }
  /**
   * The version matched, but another workload holds the slot. Read the slots again and decide
   * again.
   */
  | { readonly kind: "slot-taken" };

/** A taken slot of a cluster's budget. */
export interface SlotHolder {
  readonly slot: number;
  /** The key of the workload whose active update holds the slot. */
  readonly workload: string;
}

/** A stored record that this Lookout can't read. */
export interface UnreadableRecord extends UnreadableItem {
  /** The key of the workload. */
  readonly workload: string;
}

/** A page of subscribers, in the order of their keys. */
export interface SubscriberPage {
  /** The keys of workloads, without repeats. */
  readonly workloads: readonly string[];
  /** The position of the next page; absent on the last page. */
  readonly next?: string;
}

/**
 * The records of all workloads. Reads are strongly consistent, except {@link WorkloadStore.due} and
 * stale reads.
 *
 * Every method throws TransientError on throttling, timeouts and lost connections. After this
 * error, the write may still have happened.
 */
export interface WorkloadStore {
  /**
   * Returns the installation's name of six characters `[a-z0-9]`. Lookout creates the name once, so
   * that other installations have other update labels. The answer is at most half a minute old.
   */
  installation(): Promise<string>;

  /** Returns the stored name of the installation. */
  readInstallation(): Promise<string>;

  /**
   * Replaces this installation's name with the name of the installation that exported the records.
   * Call it only while no record is stored, because workloads have the name in their labels.
   */
  adoptInstallation(name: string): Promise<void>;

  /**
   * Stores a workload's first record, which may have any version. Otherwise, the method works as
   * {@link WorkloadStore.write}. Storing the same record again returns `written`.
   */
  restore(record: WorkloadRecord): Promise<WriteOutcome>;

  /** Reads a record; undefined for a workload that was never tracked. */
  read(key: string): Promise<WorkloadRecord | undefined>;

  /**
   * Reads records in the order of their keys, without unknown keys.
   *
   * @param consistency - with `may-be-stale`, the read costs half, and may miss the writes of the
   *   last second.
   */
  readMany(keys: readonly string[], consistency?: "may-be-stale"): Promise<readonly WorkloadRecord[]>;

  /**
   * Returns which of these records are stored but can't be read, and why. {@link
   * WorkloadStore.readMany} leaves them out.
   */
  unreadable(keys: readonly string[]): Promise<readonly UnreadableRecord[]>;

  /**
   * Stores a record if the stored version is `record.version - 1` (0: none is stored). The same
   * transaction writes its change for {@link Changes}, its budget slot, its vote and its place in
   * {@link WorkloadStore.awaitingApproval}. A first write also adds the workload to {@link
   * WorkloadStore.workloadIndex}.
   */
  write(record: WorkloadRecord): Promise<WriteOutcome>;

  /** Lists the votes on an update, one for each person, sorted by person. */
  votes(key: string, seq: number): Promise<readonly Vote[]>;

  /** Lists the keys of all workloads ever tracked in a cluster, sorted. */
  workloadIndex(cluster: string): Promise<readonly string[]>;

  /**
   * Lists the keys of the workloads of a cluster whose pending update has a request for approval,
   * sorted.
   */
  awaitingApproval(cluster: string): Promise<readonly string[]>;

  /** Lists the taken slots of a cluster's budget, by their numbers. */
  slots(cluster: string): Promise<readonly SlotHolder[]>;

  /**
   * Lists the workloads that wait only for a slot of a cluster, the longest wait first. It lists at
   * most `perNamespace` of each namespace, so that no namespace hides the others.
   */
  waiters(cluster: string, perNamespace: number): Promise<readonly string[]>;

  /**
   * Lists at most `limit` workloads whose `dueAt` is at or before the instant, the longest overdue
   * first. The list may lag behind writes. Holders of a slot may come first, even if they are not
   * due.
   */
  due(before: EpochMs, limit: number): Promise<readonly string[]>;

  /**
   * Subscribes the workload to exactly these repositories, which `Repositories` then lists. Its
   * other subscriptions end. A repository without subscribers stays listed.
   */
  subscribe(workload: WorkloadName, repositories: readonly RepositoryName[]): Promise<void>;

  /** Lists the subscribers of a repository, at most `limit` at a time. */
  subscribers(name: RepositoryName, limit: number, after?: string): Promise<SubscriberPage>;
}

/** One write of a record, from which facts and ledger rows are derived. */
export interface StoredVersion {
  /** The id of the change. A change may be delivered twice. */
  readonly id: string;
  readonly record: WorkloadRecord;
}

/**
 * The outbox of record writes, which each write fills in its own transaction. Changes are delivered
 * at least once, and per workload in the order of their versions.
 */
export interface Changes {
  /** Returns at most `limit` of the oldest changes. */
  take(limit: number): Promise<readonly StoredVersion[]>;
  /** Deletes handled changes. A repeat is harmless. */
  done(changes: readonly StoredVersion[]): Promise<void>;
  /**
   * Calls back soon after each write of this process. The call is only a hint, so also call
   * {@link Changes.take} regularly.
   */
  onWrite(callback: () => void): void;
}
