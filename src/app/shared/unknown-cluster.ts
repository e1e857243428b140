import { openCommands } from "#domain/update/next-commands";
import { untrack, waitForCluster } from "#domain/update/observe";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import { type EvaluateWorkload, identityOf, type VersionedCommand } from "#domain/update/commands";
import { notConfigured } from "./gate-facts.ts";
import type { Ports } from "./ports.ts";
import { commit, sendNextCommands, type Stored, stepOf, storeVersion } from "./records.ts";
import { unsubscribe } from "./subscriptions.ts";

type UnknownClusterPorts = Pick<
  Ports,
  "store" | "patterns" | "defaults" | "clusterStates" | "queues" | "clock" | "limits"
>;

/** The outcome of a command for an unknown cluster. */
export type UnknownClusterOutcome =
  /** An earlier delivery wrote the record, and its commands were sent. */
  | { readonly kind: "resumed" }
  /** The command is sent again later. */
  | { readonly kind: "postponed" }
  | Stored;

/**
 * Handles a command for a cluster that is not configured here.
 *
 * A configuration change reaches each function at a different time, so Lookout postpones the
 * command after a recent sync. Lookout untracks the workloads of a removed cluster.
 *
 * @returns undefined for a cluster that was never synced, as after an import.
 */
export async function untrackOrPostpone(
  command: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord | undefined,
  ports: UnknownClusterPorts,
): Promise<UnknownClusterOutcome | undefined> {
  const step = stepOf(command, ports);
  if (record?.cause === step.cause) {
    await sendNextCommands(record, ports);
    return { kind: "resumed" };
  }
  switch (await presenceOf(command.workload.cluster, ports)) {
    case "synced-lately":
      await postpone(command, record, ports);
      return { kind: "postponed" };
    case "removed": {
      const left = record && untrack(record, step, "cluster-removed");
      if (left !== undefined && !(await commit(left, ports))) return { kind: "stale" };
      // Unsubscribes after the write, because an extra subscription is harmless, but a missing
      // subscription misses pushes.
      await unsubscribe(command.workload, ports);
      return left && { kind: "stored", version: left.version };
    }
    case "never-synced":
      return undefined;
  }
}

/**
 * Handles a command like {@link untrackOrPostpone}. For a cluster that was never synced, an overdue
 * record waits.
 */
export async function untrackOrWait(
  command: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord | undefined,
  ports: UnknownClusterPorts,
): Promise<UnknownClusterOutcome> {
  const left = await untrackOrPostpone(command, record, ports);
  if (left !== undefined) return left;
  const waiting = record && waitForCluster(record, notConfigured, stepOf(command, ports));
  return waiting === undefined ? { kind: "postponed" } : storeVersion(waiting, ports);
}

/** Returns whether a cluster is no longer configured, and its last sync is minutes old. */
export async function isRemoved(
  cluster: string,
  ports: Pick<Ports, "clusters" | "clusterStates" | "clock">,
): Promise<boolean> {
  return !ports.clusters.names().includes(cluster) && (await presenceOf(cluster, ports)) === "removed";
}

/** The age after which a sync is old. After this time, every function has the new configuration. */
const syncIsOldAfter = minutes(5);

async function presenceOf(
  cluster: string,
  { clusterStates, clock }: Pick<Ports, "clusterStates" | "clock">,
): Promise<"synced-lately" | "removed" | "never-synced"> {
  const { problem, answeredAt, lastSyncAt } = (await clusterStates.read(cluster)) ?? {};
  const lastSyncTriedAt = problem?.at ?? answeredAt ?? lastSyncAt;
  if (lastSyncTriedAt === undefined) return "never-synced";
  return clock.now() > plus(lastSyncTriedAt, syncIsOldAfter) ? "removed" : "synced-lately";
}

/** The delay after which this function probably has the new configuration. */
const knownSoon = seconds(30);

/**
 * Queues a command again. An overdue command is not queued, because the reaper sends it every
 * minute.
 */
async function postpone(
  command: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord | undefined,
  { queues, clock }: UnknownClusterPorts,
): Promise<void> {
  const open = record === undefined ? [] : openCommands(record);
  const isOverdue = open.some(
    ({ command: one, dueAt }) => dueAt <= clock.now() && identityOf(one) === identityOf(command),
  );
  if (!isOverdue) await queues.send([{ command, delay: knownSoon }]);
}
