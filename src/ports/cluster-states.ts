import type { EpochMs } from "#domain/shared/time";
import type { ListPosition } from "./cluster.ts";

/** What Lookout remembers of a cluster between two looks. */
export interface ClusterState {
  readonly name: string;
  /** The uid of its namespace kube-system; absent before the first look. */
  readonly identity?: string;
  readonly position?: ListPosition;
  readonly lastCompleteListAt?: EpochMs;
  /** When the last look that went well to its end began. */
  readonly lastSyncAt?: EpochMs;
  /** When the cluster answered a look that has not come to its end. */
  readonly answeredAt?: EpochMs;
  /** True: it answers again after looks had failed, and not all who wait for that were woken yet. */
  readonly toWake?: true;
  /** Why the last look failed, and since when looks fail; absent when it went well. */
  readonly problem?: {
    readonly reason: "cluster-unreachable" | "cluster-denied" | "cluster-registered-twice";
    readonly detail: string;
    readonly since: EpochMs;
    /** When the last look failed. */
    readonly at: EpochMs;
  };
}

/** What is remembered of each cluster. The last writer wins: every state can be found again by a complete list. */
export interface ClusterStates {
  /** Answers undefined for a cluster that was never looked at. */
  read(name: string): Promise<ClusterState | undefined>;
  /** Stores the whole state. */
  write(state: ClusterState): Promise<void>;
}
