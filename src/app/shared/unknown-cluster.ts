import { openCommands } from "#domain/update/next-commands";
import { untrack, waitForCluster } from "#domain/update/observe";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import { type EvaluateWorkload, identityOf, type VersionedCommand } from "#domain/update/commands";
import { notConfigured } from "./gate-facts.ts";
import type { Ports } from "./ports.ts";
import { commit, sendNextCommands, type Stored, stepOf, storeVersion } from "./records.ts";
import { unsubscribe } from "./subscriptions.ts";

type UnknownClusterPorts = Pick<Ports, "store" | "patterns" | "clusterStates" | "queues" | "clock" | "limits">;

/** What became of work on a cluster that is not known here. */
export type UnknownClusterOutcome =
  /** What an earlier delivery of it wrote is followed. */
  | { readonly kind: "completed" }
  /** It comes again. */
  | { readonly kind: "postponed" }
  | Stored;

/**
 * Leaves work on a cluster that is not known here. Functions learn of a cluster one after the other: where somebody looked at it just now, the
 * work comes again a little later. Where it was taken away the workload takes no part any more, so that nothing is overdue, no slot is kept,
 * and no push is followed.
 *
 * @returns undefined for one that was never looked at, as after an import of its records: it may come yet.
 */
export async function untrackOrPostpone(
  command: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord | undefined,
  ports: UnknownClusterPorts,
): Promise<UnknownClusterOutcome | undefined> {
  const step = stepOf(command, ports);
  if (record?.cause === step.cause) {
    await sendNextCommands(record, ports);
    return { kind: "completed" };
  }
  switch (await presenceOf(command.workload.cluster, ports)) {
    case "synced-lately":
      await postpone(command, record, ports);
      return { kind: "postponed" };
    case "removed": {
      const left = record && untrack(record, step, "cluster-removed");
      if (left !== undefined && !(await commit(left, ports))) return { kind: "stale" };
      // After the write: one subscription too many is harmless, one too few misses pushes.
      await unsubscribe(command.workload, ports);
      return left && { kind: "moved", version: left.version };
    }
    case "never-synced":
      return undefined;
  }
}

/** Leaves work like {@link untrackOrPostpone}; what is overdue waits longer and longer for a cluster that may come yet. */
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

/** Says whether a cluster is configured no longer, and nobody has looked at it for minutes. */
export async function isRemoved(
  cluster: string,
  ports: Pick<Ports, "clusters" | "clusterStates" | "clock">,
): Promise<boolean> {
  return !ports.clusters.names().includes(cluster) && (await presenceOf(cluster, ports)) === "removed";
}

/** A cluster is looked at every minute, and by then every function knows of it. */
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

/** By then this function may have been replaced by one that knows the cluster, or know it by itself. */
const knownSoon = seconds(30);

/** What is overdue the reaper sends each minute: more of it would only multiply. */
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
