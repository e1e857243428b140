import { identityOf, type VersionedCommand } from "#domain/update/commands";
import { nextVersion } from "#domain/update/effects/next-version";
import { neverTracked } from "#domain/update/state/changes";
import { byPresentClock } from "#domain/update/state/wrong-clock";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import { TransientError } from "#ports/errors";
import type { Ports } from "./shared/ports.ts";
import { sendNextCommands } from "./shared/send-commands.ts";
import { leave, resume, type Turn } from "./shared/turn.ts";
import { type UnknownClusterOutcome, withoutCluster } from "./shared/unknown-cluster.ts";

/** A workload, and who decides about it. */
export interface Deciding {
  readonly workload: WorkloadName;
  /**
   * The identity of the message or request: the cause of the versions that it writes. Each delivery
   * of a message has the same identity.
   */
  readonly cause: string | ((record: WorkloadRecord) => string);
  /** The identity of an earlier message that this one repeats for the workload. */
  readonly repeats?: string;
  /** For the error after the last try: `evaluated`, `woken`, … */
  readonly doing: string;
  /** The record for the first try, if it was read before. */
  readonly loaded?: WorkloadRecord;
}

/**
 * Loads the record of a workload, lets a use case read its facts and decide, stores the decision and
 * sends the commands of the new version.
 *
 * If another function wrote first, or took the slot, all of this is done again from the stored
 * record. Without a stored record, the use case gets {@link neverTracked}.
 * `takeTurn` may run five times, so what it does itself must be repeatable.
 *
 * @throws TransientError after the last try. The queue then delivers the message again.
 */
export async function decide<Outcome>(
  { workload, cause, repeats, doing, loaded }: Deciding,
  ports: Ports,
  takeTurn: (record: WorkloadRecord, tries: number) => Turn<Outcome> | Promise<Turn<Outcome>>,
): Promise<Outcome> {
  const key = workloadKey(workload);
  const read = async () => (await ports.store.read(key)) ?? neverTracked(workload);
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const stored = (tries === 0 ? loaded : undefined) ?? (await read());
    const record = byPresentClock(stored, ports.clock.now());
    const name = typeof cause === "string" ? cause : cause(record);
    const turn = await takeTurn(record, tries);
    switch (turn.kind) {
      case "resume":
        if (record.cause === name || record.cause === repeats) await sendNextCommands(record, ports);
        return turn.outcome;
      case "leave":
        return turn.outcome;
      case "store": {
        const next = nextVersion(turn.record, turn.decision, { cause: name, now: turn.now, tiers: ports.rules.tiers });
        if ((await ports.store.write(next)).kind !== "written") continue;
        await sendNextCommands(next, ports);
        return turn.afterwards(next);
      }
    }
  }
  throw new TransientError(`other functions changed ${key} ${maximumTries} times while it was ${doing}`);
}

/** The number of tries while other functions write the record, or users change the object. */
export const maximumTries = 5;

/** How a use case handles the commands that were sent for one version of a record. */
export interface CommandRules<Outcome> {
  readonly doing: string;
  /**
   * Returns whether an interrupted run of the command goes on from the version that it wrote.
   * Otherwise only the commands of that version are sent again. The default is false.
   */
  readonly continues?: (record: WorkloadRecord) => boolean;
  /** Decides while the cluster is not configured and was never synced. By default, the command waits. */
  readonly neverSynced?: (record: WorkloadRecord) => Promise<Turn<Outcome>>;
}

/** The outcome of a command that does not reach its use case. */
export type CommandOutcome =
  /** The record changed since the command was sent, so the command no longer applies. */
  { readonly kind: "stale" } | UnknownClusterOutcome;

/**
 * Decides as {@link decide} for a command that names the version it was sent for. A stale command
 * does nothing.
 */
export async function decideFor<Outcome>(
  command: VersionedCommand,
  ports: Ports,
  { doing, continues, neverSynced }: CommandRules<Outcome>,
  takeTurn: (record: WorkloadRecord) => Promise<Turn<Outcome>>,
): Promise<Outcome | CommandOutcome> {
  const { workload } = command;
  const deciding = { workload, cause: identityOf(command), doing };
  return decide<Outcome | CommandOutcome>(deciding, ports, async (record) => {
    const standing = standingOf(command, record);
    if (standing === "stale") return leave({ kind: "stale" });
    if (standing === "resumed" && continues?.(record) !== true) return resume({ kind: "resumed" });
    // Only the names of clusters are asked, because not every function reaches the clusters.
    if (ports.clusters.names().includes(workload.cluster)) return takeTurn(record);
    return withoutCluster<Outcome>(command, record, ports, neverSynced);
  });
}

/** Decides as {@link decideFor} in the cluster of the workload, for a function that reaches the clusters. */
export async function decideInCluster<Outcome>(
  command: VersionedCommand,
  ports: Ports,
  rules: CommandRules<Outcome>,
  takeTurn: (record: WorkloadRecord, cluster: Cluster) => Promise<Turn<Outcome>>,
): Promise<Outcome | CommandOutcome> {
  return decideFor<Outcome | CommandOutcome>(command, ports, rules, async (record) => {
    const cluster = ports.clusters.cluster(command.workload.cluster);
    return cluster === undefined ? withoutCluster(command, record, ports) : takeTurn(record, cluster);
  });
}

/**
 * Returns whether a command applies to a record. `resumed`: an earlier delivery of the command wrote
 * the record.
 */
export function standingOf(command: VersionedCommand, record: WorkloadRecord): "applies" | "resumed" | "stale" {
  if (record.uid === command.uid && record.version === command.version) return "applies";
  return record.version > command.version && record.cause === identityOf(command) ? "resumed" : "stale";
}
