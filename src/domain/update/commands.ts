import type { PushedTag } from "../image/push.ts";
import type { EpochMs } from "../shared/time.ts";
import type { WorkloadName } from "../workload/workload.ts";
import type { Subject } from "../notify/told.ts";
import type { AnyFact } from "./events.ts";

/** The state of a record for which a command was sent. In any other state, the command is stale. */
export interface StateReference {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  /**
   * The id of the push that led to the update, for logs. Absent if no push led to the update. The
   * identity of the command does not contain this id.
   */
  readonly correlationId?: string;
}

/** Compares a cluster with its records, and queues `EvaluateWorkload` for each difference. */
export interface SyncCluster {
  readonly name: "SyncCluster";
  readonly id: string;
  readonly cluster: string;
}

/**
 * Checks a repository for a missed push, and publishes the push as `ImagePushed`.
 *
 * After a registry outage, the command queues `EvaluateWorkload` for the workloads that waited for
 * the registry.
 */
export interface SweepRepository {
  readonly name: "SweepRepository";
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  /**
   * The instant at which the command was queued. The command is skipped once the next sweep of the
   * repository is queued.
   */
  readonly at: EpochMs;
}

/** Reads a workload and its registries, and proposes the images that its policies select. */
export interface EvaluateWorkload {
  readonly name: "EvaluateWorkload";
  readonly id: string;
  readonly workload: WorkloadName;
  /** The cause of the evaluation: `sync`, `watch`, `policy`, … */
  readonly source: string;
  /** The id of the push that caused the evaluation. Absent if no push caused the evaluation. */
  readonly correlationId?: string;
  /** The failed push whose move the evaluation stores. Absent for any other evaluation. */
  readonly push?: PushedTag;
  /** The number of dead letters of this evaluation, for its back-off. Absent without one. */
  readonly timesDeadLettered?: number;
}

/** Asks the gates of a held update again. */
export interface Wake extends StateReference {
  readonly name: "Wake";
  /**
   * Present if a changed fact caused this extra command. An extra command sets no timer. The text
   * makes the command's identity unique.
   */
  readonly requestedBy?: string;
}

/** Asks the checks about a held update, or about an update whose pods run. */
export interface AskChecks extends StateReference {
  readonly name: "AskChecks";
  /** True for the one repeat while another run asks. Later repeats are the reaper's, so copies do not multiply. */
  readonly isRepeat?: true;
}

/** Patches the workload of a released update. */
export interface RollOut extends StateReference {
  readonly name: "RollOut";
}

/** Writes the annotation about the update that waits for approval, or removes this annotation. */
export interface ShowAvailable extends StateReference {
  readonly name: "ShowAvailable";
}

/**
 * Checks the pods of an update that was patched or rolled back. After a failure, the check sends
 * the patch of the rollback. Before a patch, it restarts a `RollOut` that waits for its cluster.
 */
export interface CheckRollout extends StateReference {
  readonly name: "CheckRollout";
  /**
   * Present if a change of the cluster caused this extra check. Lookout repeats an extra check only
   * if the cluster was unreachable. The text makes the command's identity unique.
   */
  readonly requestedBy?: string;
}

/** Tells a channel of a fact. */
export interface Deliver {
  readonly name: "Deliver";
  /** The name of the entry of `channels`. */
  readonly channel: string;
  readonly fact: AnyFact;
  /** The message to show, if the delivery was delayed. Absent for the first delivery. */
  readonly subject?: Subject;
  /** The number of failed tries. Absent before the first one. */
  readonly attempt?: number;
  /** The instant of the first try. Absent before it. */
  readonly since?: EpochMs;
  /** The instant before which a delayed delivery waits again. Absent for the first delivery. */
  readonly notBefore?: EpochMs;
}

/** A message on a queue. Each function has its own queue. */
export type Command =
  | SyncCluster
  | SweepRepository
  | EvaluateWorkload
  | Wake
  | AskChecks
  | RollOut
  | ShowAvailable
  | CheckRollout
  | Deliver;

/** The names of the commands, in the order of the flow. */
export type CommandName = Command["name"];

/** A command that names the state for which it was sent. */
export type VersionedCommand = Extract<Command, StateReference>;

/**
 * Returns the identity of a command. Each version of a record that the command writes names this
 * identity as its cause.
 *
 * Each delivery of a command has the same identity.
 */
export function identityOf(command: Command): string {
  switch (command.name) {
    case "SyncCluster":
    case "SweepRepository":
    case "EvaluateWorkload":
      return `${command.name}:${command.id}`;
    case "AskChecks":
      return [command.name, command.seq, command.version, ...(command.isRepeat ? ["repeat"] : [])].join(":");
    case "RollOut":
    case "ShowAvailable":
      return [command.name, command.seq, command.version].join(":");
    case "Wake":
    case "CheckRollout":
      return [
        command.name,
        command.seq,
        command.version,
        ...(command.requestedBy === undefined ? [] : [command.requestedBy]),
      ].join(":");
    case "Deliver":
      return [command.name, command.channel, command.fact.id, command.attempt ?? 0].join(":");
  }
}

/**
 * Returns the cluster, the registry or the channel that a command needs. A slow group delays no commands of
 * other groups.
 */
export function groupOf(command: Command): string {
  switch (command.name) {
    case "SyncCluster":
      return command.cluster;
    case "SweepRepository":
      return command.registry;
    case "Deliver":
      return command.channel;
    case "EvaluateWorkload":
    case "Wake":
    case "AskChecks":
    case "RollOut":
    case "ShowAvailable":
    case "CheckRollout":
      return command.workload.cluster;
  }
}

/**
 * Returns the namespace of a command's workload, whose users decide how many commands the namespace
 * has. Returns an empty text for a command without a workload.
 */
export function tenantOf(command: Command): string {
  const about = "fact" in command ? command.fact : command;
  return "workload" in about ? about.workload.namespace : "";
}
