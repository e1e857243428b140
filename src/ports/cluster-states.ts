import type { DefinitionKind } from "#domain/definitions/definition";
import type { DefinitionProblem } from "#domain/definitions/definition-problem";
import type { EpochMs } from "#domain/shared/time";
import type { NodeFacts } from "#domain/workload/node-facts";
import type { ListPosition } from "./cluster.ts";

/** The stored state of a cluster between two syncs. */
export interface ClusterState {
  readonly name: string;
  /** The uid of the cluster's namespace kube-system; absent before the first sync. */
  readonly identity?: string;
  readonly position?: ListPosition;
  readonly lastCompleteListAt?: EpochMs;
  /** The start of the last sync that succeeded. */
  readonly lastSyncAt?: EpochMs;
  /** The instant at which the cluster answered a sync that is not complete yet. */
  readonly answeredAt?: EpochMs;
  /**
   * True if the cluster answers again after failed syncs, and some waiting workloads were not woken
   * yet.
   */
  readonly toWake?: true;
  /** The rules of observation by which the held updates were last marked, as JSON. Absent if there was none. */
  readonly observes?: string;
  /** The fingerprint of the rules of tiers by which all records were last compared. Absent if none were. */
  readonly tiers?: string;
  /** The kinds of definitions that the cluster knows. Absent before they were looked for. */
  readonly definitions?: readonly DefinitionKind[];
  /**
   * The first of the syncs since which a ServiceImage with workloads is not placed, so that all workloads are listed more
   * often. Absent while all are placed.
   */
  readonly placingSince?: EpochMs;
  /** What was wrong with the definitions at the last sync that read them. Absent if nothing was. */
  readonly definitionProblems?: readonly DefinitionProblem[];
  /** The nodes of the cluster. Absent if no rule needs them, or no sync has listed them. */
  readonly nodes?: NodeFacts;
  /**
   * The failure of the last sync; absent after a successful sync. `since` is the first failure in a
   * row.
   */
  readonly problem?: {
    readonly reason: "cluster-unreachable" | "cluster-denied" | "cluster-registered-twice";
    readonly detail: string;
    readonly since: EpochMs;
    /** The instant of the last failed sync. */
    readonly at: EpochMs;
  };
}

/**
 * The stored states of clusters. The last writer wins, because the next complete list of workloads
 * restores the state of a cluster.
 */
export interface ClusterStates {
  /** Returns undefined for a cluster without a sync. */
  read(name: string): Promise<ClusterState | undefined>;
  /** Lists the states of all clusters that were ever synced, sorted by name. */
  list(): Promise<readonly ClusterState[]>;
  /** Stores the whole state. */
  write(state: ClusterState): Promise<void>;
}
