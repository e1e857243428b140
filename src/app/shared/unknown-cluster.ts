import { openCommands } from "#domain/update/effects/commands";
import { untrack } from "#domain/update/decide/observe";
import { waitForCluster } from "#domain/update/decide/retry";
import { epochMs, type EpochMs, minutes, plus, seconds } from "#domain/shared/time";
import { atMostNow, isFarAhead } from "#domain/shared/wrong-clock";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type EvaluateWorkload, identityOf, type VersionedCommand } from "#domain/update/commands";
import type { ClusterState } from "#ports/cluster-states";
import { notConfigured } from "./gate-facts.ts";
import type { Ports } from "./ports.ts";
import { unsubscribe } from "./subscriptions.ts";
import { leave, resume, store, type Stored, storeThen, type Turn } from "./turn.ts";

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
 * command after a recent sync. Lookout untracks the workloads of a removed cluster. For a cluster
 * that was never synced, as after an import, an overdue record waits.
 *
 * @param neverSynced - decides instead for a cluster that was never synced.
 */
export async function withoutCluster<Outcome = never>(
  command: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord,
  ports: Ports,
  neverSynced?: (record: WorkloadRecord) => Promise<Turn<Outcome>>,
): Promise<Turn<Outcome | UnknownClusterOutcome>> {
  if (record.cause === identityOf(command)) return resume({ kind: "resumed" });
  const now = ports.clock.now();
  switch (await presenceOf(command.workload.cluster, ports)) {
    case "synced-lately":
      await postpone(command, record, ports);
      return leave({ kind: "postponed" });
    case "removed": {
      // Unsubscribes after the write, because an extra subscription is harmless, but a missing
      // subscription misses pushes.
      const left = untrack(record, now, "cluster-removed");
      if (left !== undefined)
        return storeThen(record, left, now, async ({ version }) => {
          await unsubscribe(command.workload, ports);
          return { kind: "stored", version };
        });
      await unsubscribe(command.workload, ports);
      return leave({ kind: "postponed" });
    }
    case "never-synced": {
      if (neverSynced !== undefined) return neverSynced(record);
      const waiting = waitForCluster(record, notConfigured, now);
      return waiting === undefined ? leave({ kind: "postponed" }) : store(record, waiting, now);
    }
  }
}

/**
 * Returns whether a cluster was synced before and is no longer configured. `removed`: its last sync
 * is minutes old, so its workloads end.
 */
export async function absenceOf(cluster: string, ports: Ports): Promise<"removed" | "synced-lately" | undefined> {
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
export async function removedClusters({ clusters, clusterStates, clock }: Ports): Promise<readonly RemovedCluster[]> {
  const names = new Set(clusters.names());
  const now = clock.now();
  return (await clusterStates.list())
    .filter(({ name }) => !names.has(name))
    .map((state) => ({
      name: state.name,
      endsAt: plus(atMostNow(lastSyncTriedAt(state) ?? epochMs(0), now), syncIsOldAfter),
    }));
}

/** The age after which a sync is old. After this time, every function has the new configuration. */
const syncIsOldAfter = minutes(5);

async function presenceOf(
  cluster: string,
  { clusterStates, clock }: Ports,
): Promise<"synced-lately" | "removed" | "never-synced"> {
  const state = (await clusterStates.read(cluster)) ?? { name: cluster };
  const triedAt = lastSyncTriedAt(state);
  if (triedAt === undefined) return "never-synced";
  const now = clock.now();
  if (isFarAhead(triedAt, now)) {
    // A clock ahead stored the state. From now on, it is as old as it seems.
    const { problem: _, answeredAt: __, ...rest } = state;
    await clusterStates.write({ ...rest, lastSyncAt: now });
    return "synced-lately";
  }
  return now > plus(triedAt, syncIsOldAfter) ? "removed" : "synced-lately";
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
  record: WorkloadRecord,
  { queues, clock }: Ports,
): Promise<void> {
  const isOverdue = openCommands(record).some(
    ({ command: one, dueAt }) => dueAt <= clock.now() && identityOf(one) === identityOf(command),
  );
  if (!isOverdue) await queues.send([{ command, delay: knownSoon }]);
}
