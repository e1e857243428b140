import { openCommands } from "#domain/update/next-commands";
import { untrack, waitForCluster } from "#domain/update/observe";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import { type EvaluateWorkload, identityOf, type VersionedCommand } from "#domain/update/commands";
import { notConfigured } from "./gate-facts.ts";
import type { Ports } from "./ports.ts";
import { commit, sendNextCommands, type Stored, stepOf, storeVersion } from "./records.ts";
import { unsubscribe } from "./subscriptions.ts";

type LeavingPorts = Pick<Ports, "store" | "patterns" | "clusterStates" | "queues" | "clock" | "limits">;

/** What became of work on a cluster that is not known here. */
export type Left =
  /** What an earlier delivery of it wrote is followed. */
  | { readonly kind: "completed" }
  /** It comes again. */
  | { readonly kind: "put-off" }
  | Stored;

/**
 * Leaves work on a cluster that is not known here. Functions learn of a cluster one after the other: where somebody looked at it just now, the
 * work comes again a little later. Where it was taken away the workload takes no part any more, so that nothing is overdue, no slot is kept,
 * and no push is followed.
 *
 * @returns undefined for one that was never looked at, as after an import of its records: it may come yet.
 */
export async function leave(
  work: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord | undefined,
  ports: LeavingPorts,
): Promise<Left | undefined> {
  const step = stepOf(work, ports);
  if (record?.cause === step.cause) {
    await sendNextCommands(record, ports);
    return { kind: "completed" };
  }
  switch (await whereaboutsOf(work.workload.cluster, ports)) {
    case "known-elsewhere":
      await putOff(work, record, ports);
      return { kind: "put-off" };
    case "taken-away": {
      const left = record && untrack(record, step, "cluster-removed");
      if (left !== undefined && !(await commit(left, ports))) return { kind: "stale" };
      // After the write: one subscription too many is harmless, one too few misses pushes.
      await unsubscribe(work.workload, ports);
      return left && { kind: "moved", version: left.version };
    }
    case "yet-to-come":
      return undefined;
  }
}

/** Leaves work like {@link leave}; what is overdue waits longer and longer for a cluster that may come yet. */
export async function leaveOrWait(
  work: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord | undefined,
  ports: LeavingPorts,
): Promise<Left> {
  const left = await leave(work, record, ports);
  if (left !== undefined) return left;
  const waiting = record && waitForCluster(record, notConfigured, stepOf(work, ports));
  return waiting === undefined ? { kind: "put-off" } : storeVersion(waiting, ports);
}

/** Says whether a cluster is configured no longer, and nobody has looked at it for minutes. */
export async function isTakenAway(
  cluster: string,
  ports: Pick<Ports, "clusters" | "clusterStates" | "clock">,
): Promise<boolean> {
  return !ports.clusters.names().includes(cluster) && (await whereaboutsOf(cluster, ports)) === "taken-away";
}

/** A cluster is looked at every minute, and by then every function knows of it. */
const lookIsOldAfter = minutes(5);

async function whereaboutsOf(
  cluster: string,
  { clusterStates, clock }: Pick<Ports, "clusterStates" | "clock">,
): Promise<"known-elsewhere" | "taken-away" | "yet-to-come"> {
  const { problem, answeredAt, lastSyncAt } = (await clusterStates.read(cluster)) ?? {};
  const lookedAt = problem?.at ?? answeredAt ?? lastSyncAt;
  if (lookedAt === undefined) return "yet-to-come";
  return clock.now() > plus(lookedAt, lookIsOldAfter) ? "taken-away" : "known-elsewhere";
}

/** By then this function may have been replaced by one that knows the cluster, or know it by itself. */
const knownSoon = seconds(30);

/** What is overdue the reaper sends each minute: more of it would only multiply. */
async function putOff(
  work: EvaluateWorkload | VersionedCommand,
  record: WorkloadRecord | undefined,
  { queues, clock }: LeavingPorts,
): Promise<void> {
  const open = record === undefined ? [] : openCommands(record);
  const isOverdue = open.some(({ work: one, dueAt }) => dueAt <= clock.now() && identityOf(one) === identityOf(work));
  if (!isOverdue) await queues.send([{ work, delay: knownSoon }]);
}
