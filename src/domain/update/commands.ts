import type { EpochMs } from "../shared/time.ts";
import type { WorkloadName } from "../workload/workload.ts";

/** The state of a record that a piece of work was sent for; any other state makes it stale. */
export interface StateReference {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  /** The id of the push that led to the update, for the log; absent where none did. No part of the identity of the work. */
  readonly correlationId?: string;
}

/** Looks at a cluster and sends `EvaluateWorkload` for what differs. */
export interface SyncCluster {
  readonly command: "SyncCluster";
  readonly id: string;
  readonly cluster: string;
}

/** Looks at one repository, and publishes `ImagePushed` when it has something that nobody told of; sends `EvaluateWorkload` for who it answers again. */
export interface SweepRepository {
  readonly command: "SweepRepository";
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  /** When the sweep began: a repository that was swept since is left alone. */
  readonly at: EpochMs;
}

/** Looks at one workload and its registries, and proposes what its policies select. */
export interface EvaluateWorkload {
  readonly command: "EvaluateWorkload";
  readonly id: string;
  readonly workload: WorkloadName;
  /** What made someone look: `sync`, `watch`, `policy`, … */
  readonly because: string;
  /** The id of the push that it is looked at for; absent where none is. */
  readonly correlationId?: string;
}

/** Looks at the gates of a held update. */
export interface Wake extends StateReference {
  readonly command: "Wake";
  /** Present: an extra look because a fact changed; it arms no timer of its own. Names who woke, so that each is a look of its own. */
  readonly hint?: string;
}

/** Patches the workload of a released update. */
export interface RollOut extends StateReference {
  readonly command: "RollOut";
}

/** Looks at the pods of an update that was patched, or rolled back. */
export interface CheckRollout extends StateReference {
  readonly command: "CheckRollout";
  /** Present: an extra look because the cluster moved; it starts no chain of looks of its own. Names the hint. */
  readonly hint?: string;
}

/** What travels on queues: imperative, one queue per function. */
export type Command = SyncCluster | SweepRepository | EvaluateWorkload | Wake | RollOut | CheckRollout;

/** The commands, in the order of the flow. */
export type CommandName = Command["command"];

/** Work that names the state it was sent for. */
export type VersionedCommand = Extract<Command, StateReference>;

/**
 * Names the piece of work as the cause of what it writes.
 *
 * The same piece of work delivered again has the same identity, whatever the queue calls its copies.
 */
export function identityOf(command: Command): string {
  switch (command.command) {
    case "SyncCluster":
    case "SweepRepository":
    case "EvaluateWorkload":
      return `${command.command}:${command.id}`;
    case "RollOut":
      return `${command.command}:${String(command.seq)}:${String(command.version)}`;
    case "Wake":
    case "CheckRollout":
      return [
        command.command,
        command.seq,
        command.version,
        ...(command.hint === undefined ? [] : [command.hint]),
      ].join(":");
  }
}

/** Whom a piece of work waits for: a cluster, or a registry. No queue lets one of them wait for another. */
export function groupOf(command: Command): string {
  switch (command.command) {
    case "SyncCluster":
      return command.cluster;
    case "SweepRepository":
      return command.registry;
    case "EvaluateWorkload":
    case "Wake":
    case "RollOut":
    case "CheckRollout":
      return command.workload.cluster;
  }
}
