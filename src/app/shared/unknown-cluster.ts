import { openCommands } from "#domain/update/effects/commands";
import { untrack, waitForCluster } from "#domain/update/decide/observe";
import { epochMs, type EpochMs, minutes, plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type EvaluateWorkload, identityOf, type VersionedCommand } from "#domain/update/commands";
import type { ClusterState } from "#ports/cluster-states";
import { notConfigured } from "./gate-facts.ts";
import type { Ports } from "./ports.ts";
import { commit, sendNextCommands, type Stored, stepOf, storeVersion } from "./records.ts";
import { unsubscribe } from "./subscriptions.ts";

type UnknownClusterPorts = Pick<
  Ports,
  "store" | "patterns" | "spending" | "defaults" | "clusterStates" | "queues" | "clock" | "limits"
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

/**
 * Returns whether a cluster was synced before and is no longer configured. `removed`: its last sync
 * is minutes old, so its workloads end.
 */
export async function absenceOf(
  cluster: string,
  ports: Pick<Ports, "clusters" | "clusterStates" | "clock">,
): Promise<"removed" | "synced-lately" | undefined> {
  if (ports.clusters.names().includes(cluster)) return undefined;
  const presence = await presenceOf(cluster, ports);
  return presence === "never-synced" ? undefined : presence;
}

/** A cluster that was synced before and is no longer configured. */
export interface RemovedCluster {
  readonly name: string;
  /** The instant at which its workloads end, unless the cluster is configured again. */
  readonly endsAt: EpochMs;
}

/** Lists the clusters that were synced before and are no longer configured. */
export async function removedClusters({
  clusters,
  clusterStates,
}: Pick<Ports, "clusters" | "clusterStates">): Promise<readonly RemovedCluster[]> {
  const names = new Set(clusters.names());
  return (await clusterStates.list())
    .filter(({ name }) => !names.has(name))
    .map((state) => ({ name: state.name, endsAt: plus(lastSyncTriedAt(state) ?? epochMs(0), syncIsOldAfter) }));
}

/** The age after which a sync is old. After this time, every function has the new configuration. */
const syncIsOldAfter = minutes(5);

async function presenceOf(
  cluster: string,
  { clusterStates, clock }: Pick<Ports, "clusterStates" | "clock">,
): Promise<"synced-lately" | "removed" | "never-synced"> {
  const triedAt = lastSyncTriedAt((await clusterStates.read(cluster)) ?? {});
  if (triedAt === undefined) return "never-synced";
  return clock.now() > plus(triedAt, syncIsOldAfter) ? "removed" : "synced-lately";
}

function lastSyncTriedAt({
  problem,
  answeredAt,
  lastSyncAt,
}: Pick<ClusterState, "problem" | "answeredAt" | "lastSyncAt">): EpochMs | undefined {
  return problem?.at ?? answeredAt ?? lastSyncAt;
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
