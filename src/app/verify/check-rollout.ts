import { observedBy } from "#domain/gates/observe";
import { checkedSince, nextCheckAt } from "#domain/update/effects/commands";
import { endWithoutObject } from "#domain/update/decide/ending";
import type { Reason } from "#domain/shared/reasons";
import { renewal } from "#domain/update/state/changes";
import { planBack } from "#domain/update/decide/patch";
import { type DurationMs, hours, minutes, plus, seconds, since } from "#domain/shared/time";
import {
  type FailedUpdate,
  type OvertakenUpdate,
  failed,
  overtaken,
  type PatchedUpdate,
  type RollingBackUpdate,
  type WorkloadRecord,
} from "#domain/update/state/workload";
import { type CheckInputs, judgeRollback, judgeRollout } from "#domain/update/decide/verify";
import type { CheckRollout } from "#domain/update/commands";
import { deepEqual } from "#domain/shared/deep-equal";
import type { ImageChange } from "#domain/workload/patch";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import { type CommandOutcome, decideInCluster, maximumTries } from "../decide.ts";
import { readBakeChecks } from "../shared/gate-facts.ts";
import { keptChangingError, readsValidFor, stillStored } from "../shared/patching.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { repeatLater } from "../shared/send-commands.ts";
import { leave, store, type Stored, storeThen, type Turn } from "../shared/turn.ts";

/** The outcome of a `CheckRollout`. */
export type CheckOutcome = CommandOutcome | Stored | { readonly kind: "nothing-to-check" | "check-again" };

/**
 * Checks the pods of a patched update, and rolls a failed update back.
 *
 * If the cluster gives no answer, Lookout sends the check again. An extra check runs only once,
 * unless the cluster was unreachable before.
 */
export async function checkRollout(command: CheckRollout, ports: Ports, signal: AbortSignal): Promise<CheckOutcome> {
  // An interrupted rollback goes on without a new version: its patch has guards, so a second patch
  // fails.
  const rules = { doing: "checked", continues: ({ active }: WorkloadRecord) => isUnprovedRollback(active) };
  return decideInCluster<CheckOutcome>(command, ports, rules, async (record, cluster) => {
    const { active } = record;
    switch (active?.status) {
      case undefined:
        return leave({ kind: "nothing-to-check" });
      case "released":
      case "patching":
        // The update has waited for its cluster since before its patch. The new version calls for
        // `RollOut` immediately.
        return waitedForCluster(record)
          ? storeThen(record, renewal(active), ports.clock.now(), () => ({ kind: "check-again" }))
          : leave({ kind: "nothing-to-check" });
      case "rolling-out":
        return check({ command, record, cluster, signal }, active, ports);
      case "rolling-back":
        return isUnprovedRollback(active)
          ? rollBack({ command, record, cluster, signal }, active, ports)
          : check({ command, record, cluster, signal }, active, ports);
    }
  });
}

function isUnprovedRollback(active: WorkloadRecord["active"]): boolean {
  return active?.status === "rolling-back" && active.rollback.kind === "patching";
}

function waitedForCluster({ retry }: WorkloadRecord): boolean {
  return retry?.pause?.reason === "cluster-unreachable";
}

/** One check of a record. */
interface Check {
  readonly command: CheckRollout;
  readonly record: WorkloadRecord;
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
}

/** The pause after a cluster gave no answer, or after a patch with an unknown outcome. */
const awayPause = seconds(15);

/**
 * Sends the check again after a pause. An extra check is repeated only if the cluster was
 * unreachable.
 */
async function checkLater({ command, record }: Check, pause: DurationMs, ports: Ports): Promise<Turn<CheckOutcome>> {
  const outcome = { kind: "check-again" } as const;
  const isRepeated = command.requestedBy === undefined || waitedForCluster(record);
  return isRepeated ? repeatLater(command, record, pause, outcome, ports) : leave(outcome);
}

/** Reads the pods of an update or a rollback, and decides by their health. */
async function check(one: Check, active: PatchedUpdate, ports: Ports): Promise<Turn<CheckOutcome>> {
  const { record, cluster, signal } = one;
  const now = ports.clock.now();
  const read = await readPods(active, record.workload, cluster, signal);
  if (read.kind === "gone") {
    const ended = overtaken(active, "superseded", { reason: "workload-gone" }, now);
    return store(record, endWithoutObject(ended), now);
  }
  if (read.kind !== "read") return checkLater(one, awayPause, ports);
  const observes = observedBy(ports.rules.observe, record.workload) !== undefined;
  const own = await settingsOf(record, ports);
  const settings = { ...own, autoRollback: own.autoRollback && !observes };
  const installation = await ports.store.installation();
  const checks = await readBakeChecks(record, settings, active, ports);
  const inputs = { ...read.pods, installation, settings, limits: ports.rules.limits, checks };
  const verdict =
    active.status === "rolling-back"
      ? judgeRollback(record, active, inputs, now)
      : judgeRollout(record, active, inputs, now);
  // An ordered rollback that Lookout observes fails at its deadline, because no pod is deleted.
  const withoutDeletion =
    active.status === "rolling-back" ? undefined : verdict.kind === "free-failed-pods" ? verdict.denied : undefined;
  const decision =
    verdict.kind === "decided"
      ? verdict.decision
      : observes
        ? withoutDeletion
        : (await cluster.deleteFailedPods(record.workload, verdict.images, signal)).kind === "denied"
          ? verdict.denied
          : undefined;
  return decision === undefined
    ? checkLater(one, since(now, nextCheckAt(active, now)), ports)
    : store(record, decision, now);
}

type PodsRead =
  | { readonly kind: "read"; readonly pods: Pick<CheckInputs, "health" | "running"> }
  | { readonly kind: "gone" }
  | ClusterRefusal;

/** Reads the health of an update, and the digests of the pods of a restart after all pods run. */
async function readPods(
  active: PatchedUpdate,
  workload: WorkloadName,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<PodsRead> {
  const health = await cluster.health(workload, checkedSince(active), signal);
  if (health.kind === "gone" || health.kind === "unreachable" || health.kind === "denied") return health;
  const isRestart = active.status === "rolling-out" && active.changes.some(({ apply }) => apply === "restart");
  if (!isRestart || health.kind !== "healthy") return { kind: "read", pods: { health } };
  const read = await cluster.runningImages(health.live, signal);
  return read.kind === "running" ? { kind: "read", pods: { health, running: read.images } } : read;
}

/** The rows of the history that Lookout reads to find the patch of an update. */
const rowsRead = 1_000;

/**
 * The time after a failure for which Lookout waits until the history shows the patch of the update. A
 * write of a newer Lookout may stop the table's stream for a day.
 */
const historyMayLag = hours(25);
/** The pause between two looks at the history. */
const historyPause = minutes(1);

/**
 * Returns whether the history shows that this update replaced exactly the images to which it would
 * roll back. A record alone proves nothing.
 */
async function isInHistory(record: WorkloadRecord, active: RollingBackUpdate, { ledger }: Ports): Promise<boolean> {
  const written = (changes: readonly ImageChange[]) =>
    changes.map(({ list, name, from, to }) => [list, name, from, to]);
  const rows = await ledger.read(workloadKey(record.workload), rowsRead);
  return rows.some(
    ({ uid, seq, transition, isImported }) =>
      isImported !== true &&
      uid === record.uid &&
      seq === active.seq &&
      (transition.what === "patching" || transition.what === "patched") &&
      deepEqual(written(transition.changes), written(active.changes)),
  );
}

/** Waits for the history, or ends the update without a rollback. */
function unproved(
  one: Check,
  active: RollingBackUpdate,
  ports: Ports,
): Turn<CheckOutcome> | Promise<Turn<CheckOutcome>> {
  const now = ports.clock.now();
  if (now < plus(active.failure.at, historyMayLag)) return checkLater(one, historyPause, ports);
  const why = { reason: "rollback-unproved", detail: active.failure.detail } as const;
  return store(one.record, endWithoutObject(failed(active, "rollback-failed", why, now)), now);
}

/**
 * Patches the previous images, and reads the result.
 *
 * No gate holds a rollback, but an update that Lookout observes is not rolled back. If the object
 * changed since the read, the object is read again, up to five times.
 */
async function rollBack(one: Check, active: RollingBackUpdate, ports: Ports): Promise<Turn<CheckOutcome>> {
  const { record, cluster, signal } = one;
  const now = ports.clock.now();
  if (!(await isInHistory(record, active, ports))) return unproved(one, active, ports);
  const installation = await ports.store.installation();
  const settings = await settingsOf(record, ports);
  const storeEnded = (ended: FailedUpdate | OvertakenUpdate): Turn<CheckOutcome> =>
    store(record, endWithoutObject(ended), now);
  // The cluster would reject the same patch again.
  const fail = (reason: Reason, detail: string): Turn<CheckOutcome> =>
    storeEnded(failed(active, "rollback-failed", { reason, detail }, now));

  for (let round = 0; round < maximumTries; round += 1) {
    const read = await cluster.read(record.workload, signal);
    if (read.kind === "gone") return storeEnded(overtaken(active, "superseded", { reason: "workload-gone" }, now));
    if (read.kind !== "found") return checkLater(one, awayPause, ports);

    const inputs = { record, active, installation, settings };
    const readAt = ports.clock.now();
    const plan = planBack({ ...inputs, live: read.live, now: readAt });
    if (plan.kind === "decided") return store(record, plan.decision, readAt);
    if (plan.kind === "other-repository") return fail("other-repository", plan.detail);
    const observes = observedBy(ports.rules.observe, record.workload);
    if (observes !== undefined) return fail("observe", `the previous image is not restored: ${observes}`);
    if (!(await stillStored(record, ports))) return leave({ kind: "stale" });

    const sent = await cluster.patch({ ...plan.patch, sendBy: plus(readAt, readsValidFor) }, signal);
    switch (sent.kind) {
      case "written": {
        const patchedAt = ports.clock.now();
        const after = planBack({ ...inputs, live: sent.live, now: patchedAt });
        if (after.kind === "decided") return store(record, after.decision, patchedAt);
        break;
      }
      case "read-again":
      case "gone":
        break;
      case "unknown":
      case "failed":
      case "unreachable":
      case "denied":
        return checkLater(one, awayPause, ports);
      case "denied-by-admission":
        return fail("denied-by-admission", sent.detail);
      case "invalid":
        return fail("patch-invalid", sent.detail);
    }
  }
  throw keptChangingError(record);
}
