import type { WorkloadRecord } from "#domain/update/state/workload";
import type { SkipReason, Reason } from "#domain/shared/reasons";
import type { EpochMs } from "#domain/shared/time";
import type { WaitReason } from "#domain/shared/wait-reason";

/** An image in a row of the fleet. */
export interface RowImage {
  /** The name of the container. */
  readonly name: string;
  /** The registry and the repository. */
  readonly imageName: string;
  readonly tag?: string;
  readonly digest?: string;
  /** The text of the manifest. Absent if the image's name, tag and digest make this text. */
  readonly image?: string;
  /** Absent for a container that is not tracked, and for a wanted image. */
  readonly policy?: string;
  /** The newest available tag of a pinned container. */
  readonly available?: string;
  readonly skipped?: { readonly count: number; readonly reason: SkipReason };
}

/** The failed selections of a workload. An outage of the registry may have ended since. */
export interface RowFailures {
  readonly at: EpochMs;
  readonly of: readonly { readonly container: string; readonly reason: Reason; readonly detail?: string }[];
}

/** What a list shows of a workload, without the parts that depend on the present. */
export interface FleetRow {
  /** The key of the workload. */
  readonly workload: string;
  /** The version of the record at which this row last changed. */
  readonly version: number;
  /** The state, as if all repositories could be read. */
  readonly state: string;
  /** The start of the state. */
  readonly since: EpochMs;
  readonly runs: readonly RowImage[];
  /** The number of containers. Absent if `runs` has all of them. */
  readonly containers?: number;
  readonly wants: readonly RowImage[];
  /** All reasons of the wait. Only the first one has its detail. */
  readonly waits: readonly WaitReason[];
  readonly failures?: RowFailures;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A workload that is no longer tracked. Its marker keeps late writes from bringing its row back. */
export interface GoneRow {
  readonly workload: string;
  readonly version: number;
  readonly goneAt: EpochMs;
}

/** A cluster, or one of its namespaces. */
export interface FleetArea {
  readonly cluster: string;
  readonly namespace?: string;
}

/**
 * The rows of the lists: one for each tracked workload, derived from its record. They may lag behind
 * the records.
 */
export interface Fleet {
  /** Lists the rows of an area, sorted by workload. */
  list(area: FleetArea): Promise<readonly FleetRow[]>;
  /** Reads the rows and markers of workloads, in no order and without those that have none. */
  readMany(workloads: readonly string[]): Promise<readonly (FleetRow | GoneRow)[]>;
  /** Reads the present records of workloads, from which the rows are derived, without unknown ones. */
  records(workloads: readonly string[]): Promise<readonly WorkloadRecord[]>;
  /** Stores rows and markers. One whose stored version is higher stays as it is. */
  write(rows: readonly (FleetRow | GoneRow)[]): Promise<void>;
  /** Removes rows and markers, whatever their version is. */
  forget(workloads: readonly string[]): Promise<void>;
}

/** Returns whether a workload is no longer tracked. */
export function isGone(row: FleetRow | GoneRow): row is GoneRow {
  return "goneAt" in row;
}
