import { untrack, waitForCluster } from "#domain/observation";
import type { Step } from "#domain/record";
import { minutes, plus, seconds } from "#domain/time";
import type { WorkloadRecord } from "#domain/update";
import type { EvaluateWorkload, VersionedWork } from "#domain/work";
import type { ClusterState } from "#ports/cluster-states";
import { notConfigured } from "./gate-facts.ts";
import type { Ports } from "./ports.ts";
import { commit, sendNextWork, stepOf } from "./records.ts";

type LeavingPorts = Pick<Ports, "store" | "clusterStates" | "queues" | "clock" | "limits">;

/** A cluster is looked at every minute, and by then every function knows of it. */
const lookIsOldAfter = minutes(5);

/** By then this function may have been replaced by one that knows the cluster, or know it by itself. */
const knownSoon = seconds(30);

/**
 * Sends work on a cluster that is not known here once more, a little later, where somebody looked at that cluster just now: functions learn
 * of a cluster one after the other.
 *
 * @returns false where nobody looks at it.
 */
export async function sentLater(
  work: EvaluateWorkload | VersionedWork,
  ports: Pick<LeavingPorts, "clusterStates" | "queues" | "clock">,
): Promise<boolean> {
  const lookedAt = lookedAtOf(await ports.clusterStates.read(work.workload.cluster));
  if (lookedAt === undefined || ports.clock.now() > plus(lookedAt, lookIsOldAfter)) return false;
  await ports.queues.send([{ work, delay: knownSoon }]);
  return true;
}

/** Leaves an update that is on its way in a cluster that is not known here: nothing is decided without it, unless it was taken away. */
export async function leave(
  work: VersionedWork,
  record: WorkloadRecord,
  ports: LeavingPorts,
): Promise<{ readonly kind: "stale" | "look-again" } | { readonly kind: "moved"; readonly version: number }> {
  const step = stepOf(work, ports);
  // What an earlier delivery of this work wrote may not have been followed.
  if (record.cause === step.cause) {
    await sendNextWork(record, ports);
    return { kind: "look-again" };
  }
  if (await sentLater(work, ports)) return { kind: "look-again" };
  const left = await withoutCluster(record, step, ports);
  if (left === undefined) return { kind: "look-again" };
  return (await commit(left, ports)) ? { kind: "moved", version: left.version } : { kind: "stale" };
}

/**
 * Decides what becomes of a record whose cluster nobody looks at; undefined: nothing. Where that was taken away the workload takes no part
 * any more, so that nothing is overdue and no slot is kept. One that was never looked at may come yet, as after an import of its records:
 * what is overdue waits for it.
 */
export async function withoutCluster(
  record: WorkloadRecord,
  step: Step,
  { clusterStates }: Pick<Ports, "clusterStates">,
): Promise<WorkloadRecord | undefined> {
  return lookedAtOf(await clusterStates.read(record.workload.cluster)) === undefined
    ? waitForCluster(record, notConfigured, step)
    : untrack(record, step, "cluster-removed");
}

function lookedAtOf({ problem, lastSyncAt }: Partial<ClusterState> = {}): ClusterState["lastSyncAt"] {
  return problem?.at ?? lastSyncAt;
}
