import type { EpochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import type { WorkloadName } from "#domain/workload/workload";
import type { RepositoryName } from "./registry.ts";

/** What became of a conditional write. */
export type WriteOutcome =
  | { readonly kind: "written" }
  /** Another version is stored. Read again and decide again. */
  | { readonly kind: "conflict" }
  /** The version was right, and another workload has the slot that this one was to take, or to free. Look at the slots again and decide again. */
  | { readonly kind: "slot-taken" };

/** A slot of a cluster's budget that is taken. */
export interface SlotHolder {
  readonly slot: number;
  /** Key of the workload whose active update holds it. */
  readonly workload: string;
}

/** A page of subscribers, in the order of their keys. */
export interface SubscriberPage {
  /** Keys of workloads, without repeats. */
  readonly workloads: readonly string[];
  /** Hand it back for the next page; absent on the last. */
  readonly next?: string;
}

/**
 * The records of all workloads. Reads are strongly consistent, except {@link WorkloadStore.due}.
 *
 * Every method throws TransientError on throttling, timeouts and lost connections; then a write may or may not have happened.
 */
export interface WorkloadStore {
  /**
   * Six characters `[a-z0-9]` made once for each installation: no other installation's label is ever taken for ours. What another process took over
   * is answered half a minute later at the latest.
   */
  installation(): Promise<string>;

  /** The name of the installation as it is stored now. */
  readInstallation(): Promise<string>;

  /**
   * Takes the name of another installation over, whose records are to be restored here. Only while no record is stored: nobody has then
   * met a workload, and written or read the name on it.
   */
  adoptInstallation(name: string): Promise<void>;

  /**
   * Stores a record of any version if none of its workload is stored, in all else as {@link WorkloadStore.write} does a first one; the
   * same record stored again is written.
   */
  restore(record: WorkloadRecord): Promise<WriteOutcome>;

  /** Reads one record; undefined when the workload was never tracked. */
  read(key: string): Promise<WorkloadRecord | undefined>;

  /** Reads many records; unknown keys are missing from the answer, whose order is that of the keys. */
  readMany(keys: readonly string[]): Promise<readonly WorkloadRecord[]>;

  /**
   * Stores a record if the stored version is `record.version - 1` (0: none is stored), and makes the change visible to {@link Changes}
   * in the same transaction, as well as what its `budget` says. A first write also enters the workload into {@link WorkloadStore.workloadIndex}.
   */
  write(record: WorkloadRecord): Promise<WriteOutcome>;

  /** Lists the keys of all workloads ever tracked in a cluster, sorted. */
  workloadIndex(cluster: string): Promise<readonly string[]>;

  /** Lists the slots of a cluster's budget that are taken, by their numbers. */
  slots(cluster: string): Promise<readonly SlotHolder[]>;

  /** Lists the keys of at most `limit` workloads that wait for a slot of a cluster and for nothing else, who waits longest first. */
  waiters(cluster: string, limit: number): Promise<readonly string[]>;

  /**
   * Lists at most `limit` keys of records whose `dueAt` is at or before the instant, the longest overdue first. May lag behind writes, and may
   * list whose update holds a slot before all others, due or not.
   */
  due(before: EpochMs, limit: number): Promise<readonly string[]>;

  /**
   * Makes the workload a subscriber of exactly these repositories; unknown ones are added, others that it had are dropped. All that are
   * named are then listed by `Repositories`; one that nobody is subscribed to any more stays listed.
   */
  subscribe(workload: WorkloadName, repositories: readonly RepositoryName[]): Promise<void>;

  /** Lists who is subscribed to a repository, at most `limit` at a time. Subscribers say nothing of what runs: read their records. */
  subscribers(name: RepositoryName, limit: number, after?: string): Promise<SubscriberPage>;
}

/** One write of a record, as it is handed on to make facts and the ledger from it. */
export interface Change {
  /** Identifies the change; the same change may be handed on twice. */
  readonly id: string;
  readonly record: WorkloadRecord;
}

/**
 * The writes of records that have not been handed on yet: at least once, per workload in the order of their versions.
 *
 * On AWS the table's stream, here an outbox that is written in the record's own transaction.
 */
export interface Changes {
  /** Answers the oldest changes, at most `limit`. Empty: nothing to hand on. */
  take(limit: number): Promise<readonly Change[]>;
  /** Forgets changes that were handled. Forgetting twice is fine. */
  done(changes: readonly Change[]): Promise<void>;
  /** Calls back soon after each write of this process: a hint to {@link Changes.take}, never the only reason to. */
  onWrite(callback: () => void): void;
}
