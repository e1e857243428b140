import { checkedSince, nextCheckAt } from "#domain/update/effects/commands";
import { endWithoutObject } from "#domain/update/decide/ending";
import type { Reason } from "#domain/shared/reasons";
import { renewRecord } from "#domain/update/state/changes";
import { planBack } from "#domain/update/decide/patch";
import { type DurationMs, plus, seconds, since } from "#domain/shared/time";
import {
  type FailedUpdate,
  type OvertakenUpdate,
  failed,
  overtaken,
  type PatchedUpdate,
  type RollingBackUpdate,
  type UnpatchedUpdate,
  type WorkloadRecord,
} from "#domain/update/state/workload";
import { type CheckInputs, judgeRollback, judgeRollout } from "#domain/update/decide/verify";
import type { CheckRollout } from "#domain/update/commands";
import type { WorkloadName } from "#domain/workload/workload";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import { keptChangingError, readsValidFor, stillStored } from "../shared/patching.ts";
import type { Ports } from "../shared/ports.ts";
import {
  commit,
  loadForCommand,
  maximumTries,
  sendAgain,
  sendNextCommands,
  settingsOf,
  type Stored,
  stepOf,
  storeVersion,
} from "../shared/records.ts";
import { type UnknownClusterOutcome, untrackOrWait } from "../shared/unknown-cluster.ts";

type VerifyPorts = Pick<
  Ports,
  "store" | "patterns" | "spending" | "defaults" | "queues" | "clock" | "limits" | "clusters" | "clusterStates"
>;

/** The outcome of a `CheckRollout`. */
export type CheckOutcome = UnknownClusterOutcome | { readonly kind: "nothing-to-check" | "check-again" };

/**
 * Checks the pods of a patched update, and rolls a failed update back.
 *
 * If the cluster gives no answer, Lookout sends the check again. An extra check runs only once,
 * unless the cluster was unreachable before.
 */
export async function checkRollout(
  command: CheckRollout,
  ports: VerifyPorts,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const loaded = await loadForCommand(command, ports);
  if (loaded.kind === "stale") return { kind: "stale" };
  const { record } = loaded;
  const { active } = record;
  // A rollback needs no renewed record: its patch has guards, so a second patch fails.
  const rollsBack = active?.status === "rolling-back" && active.rollback.kind === "patching";
  if (loaded.kind === "resume" && !rollsBack) {
    await sendNextCommands(record, ports);
    return { kind: "resumed" };
  }
  if (active === undefined) return { kind: "nothing-to-check" };
  if (active.status === "released" || active.status === "patching") return sendRollOut(command, record, active, ports);
  const cluster = ports.clusters.cluster(record.workload.cluster);
  if (cluster === undefined) return untrackOrWait(command, record, ports);
  const outcome = await check(command, record, active, cluster, ports, signal);
  if (outcome.kind !== "retry") return outcome;
  if (isRepeated(command, record)) await sendAgain(command, record, outcome.pause, ports);
  return { kind: "check-again" };
}

/**
 * Ends the pause of an update that has waited for its cluster since before its patch. The new
 * version of the record calls for `RollOut` immediately.
 */
async function sendRollOut(
  command: CheckRollout,
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  ports: VerifyPorts,
): Promise<CheckOutcome> {
  if (!waitedForCluster(record)) return { kind: "nothing-to-check" };
  if (ports.clusters.cluster(record.workload.cluster) === undefined) return untrackOrWait(command, record, ports);
  await commit(renewRecord(record, active, stepOf(command, ports)), ports);
  return { kind: "check-again" };
}

/**
 * Returns whether a check is repeated. An extra check is repeated only if the cluster was
 * unreachable.
 */
function isRepeated({ requestedBy }: CheckRollout, record: WorkloadRecord): boolean {
  return requestedBy === undefined || waitedForCluster(record);
}

function waitedForCluster({ pause }: WorkloadRecord): boolean {
  return pause?.reason === "cluster-unreachable";
}

type Checked = Stored | { readonly kind: "retry"; readonly pause: DurationMs };

/** The pause after a cluster gave no answer, or after a patch with an unknown outcome. */
const awayPause = seconds(15);

function retryAfter(pause: DurationMs): Checked {
  return { kind: "retry", pause };
}

async function check(
  command: CheckRollout,
  record: WorkloadRecord,
  active: PatchedUpdate,
  cluster: Cluster,
  ports: VerifyPorts,
  signal: AbortSignal,
): Promise<Checked> {
  if (active.status === "rolling-back" && active.rollback.kind === "patching")
    return rollBack(command, record, active, cluster, ports, signal);
  const step = stepOf(command, ports);
  const read = await readPods(active, checkedSince(active), record.workload, cluster, signal);
  if (read.kind === "gone") {
    const ended = overtaken(active, "superseded", { reason: "workload-gone" }, step.now);
    return storeVersion(endWithoutObject(record, ended, step), ports);
  }
  if (read.kind !== "read") return retryAfter(awayPause);
  const inputs = { ...read.pods, settings: await settingsOf(record, ports), limits: ports.limits };
  let verdict =
    active.status === "rolling-back"
      ? judgeRollback(record, active, inputs, step)
      : judgeRollout(record, active, inputs, step);
  if (verdict.kind === "free-failed-pods") {
    const freed = await cluster.deleteFailedPods(record.workload, verdict.images, signal);
    verdict = freed.kind === "denied" ? verdict.denied : { kind: "check-again" };
  }
  return verdict.kind === "store"
    ? storeVersion(verdict.record, ports)
    : retryAfter(since(step.now, nextCheckAt(active, step.now)));
}

type PodsRead =
  | { readonly kind: "read"; readonly pods: Pick<CheckInputs, "health" | "running"> }
  | { readonly kind: "gone" }
  | ClusterRefusal;

/** Reads the health of an update, and the digests of the pods of a restart after all pods run. */
async function readPods(
  { status, changes }: PatchedUpdate,
  since: number,
  workload: WorkloadName,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<PodsRead> {
  const health = await cluster.health(workload, since, signal);
  if (health.kind === "gone" || health.kind === "unreachable" || health.kind === "denied") return health;
  const isRestart = status === "rolling-out" && changes.some(({ apply }) => apply === "restart");
  if (!isRestart || health.kind !== "healthy") return { kind: "read", pods: { health } };
  const read = await cluster.runningImages(health.live, signal);
  return read.kind === "running" ? { kind: "read", pods: { health, running: read.images } } : read;
}

/**
 * Patches the previous images, and reads the result.
 *
 * No gate holds a rollback. If the object changed since the read, the object is read again, up to
 * five times.
 */
async function rollBack(
  command: CheckRollout,
  record: WorkloadRecord,
  active: RollingBackUpdate,
  cluster: Cluster,
  ports: VerifyPorts,
  signal: AbortSignal,
): Promise<Checked> {
  const step = stepOf(command, ports);
  const installation = await ports.store.installation();
  const settings = await settingsOf(record, ports);
  const storeEnded = (ended: FailedUpdate | OvertakenUpdate): Promise<Checked> =>
    storeVersion(endWithoutObject(record, ended, step), ports);
  // The cluster would reject the same patch again.
  const fail = (reason: Reason, detail: string): Promise<Checked> =>
    storeEnded(failed(active, "rollback-failed", { reason, detail }, step.now));

  for (let round = 0; round < maximumTries; round += 1) {
    const read = await cluster.read(record.workload, signal);
    if (read.kind === "gone") return storeEnded(overtaken(active, "superseded", { reason: "workload-gone" }, step.now));
    if (read.kind !== "found") return retryAfter(awayPause);

    const inputs = { record, active, installation, settings };
    const plan = planBack({ ...inputs, live: read.live, step: stepOf(command, ports) });
    if (plan.kind === "store") return storeVersion(plan.record, ports);
    if (plan.kind === "other-repository") return fail("other-repository", plan.detail);

    const readAt = ports.clock.now();
    if (!(await stillStored(record, ports))) return { kind: "stale" };

    const sent = await cluster.patch({ ...plan.patch, sendBy: plus(readAt, readsValidFor) }, signal);
    switch (sent.kind) {
      case "written": {
        const after = planBack({ ...inputs, live: sent.live, step: stepOf(command, ports) });
        if (after.kind === "store") return storeVersion(after.record, ports);
        break;
      }
      case "read-again":
      case "gone":
        break;
      case "unknown":
      case "failed":
      case "unreachable":
      case "denied":
        return retryAfter(awayPause);
      case "denied-by-admission":
        return fail("denied-by-admission", sent.detail);
      case "invalid":
        return fail("patch-invalid", sent.detail);
    }
  }
  throw keptChangingError(record);
}
