import type { WorkloadRecord } from "#domain/update/states";
import type { ClosedGate } from "#domain/gates/closed-gate";
import type { Step } from "#domain/update/record";
import type { PatchPlan } from "#domain/update/rollout";
import { durationMs, minutes, plus, seconds } from "#domain/shared/time";
import { type LiveWorkload, workloadKey } from "#domain/workload/workload";
import type { Cluster, PatchOutcome, WorkloadRead } from "#ports/cluster";
import { TransientError } from "#ports/errors";
import type { Ports } from "./ports.ts";
import { commit, maximumTries } from "./records.ts";

type PatchingPorts = Pick<Ports, "store" | "queues" | "clock" | "limits">;

/** How a round of patching is decided: everything that differs between the way forward and the way back. */
export interface Patching {
  readonly cluster: Cluster;
  /** A read of the object that is under way already: the first round takes it for its own. */
  readonly reading?: Promise<WorkloadRead> | undefined;
  readonly step: Step;
  /** What a read of the object calls for. */
  plan(record: WorkloadRecord, live: LiveWorkload): Promise<PatchPlan>;
  /**
   * Reads once more, strongly, what may stop the patch: the gates. Empty: go on.
   *
   * Called after the intent is stored, so that whoever closes a gate before finds it closed here.
   */
  closedNow(record: WorkloadRecord): Promise<readonly ClosedGate[]>;
  /**
   * What becomes of the record when the patch must not or can't be sent. Undefined: stay, and look again later.
   *
   * @param waits - why; empty: the object is gone.
   * @param asked - whether the object was read first, and did not show the update.
   */
  stopped(record: WorkloadRecord, waits: readonly ClosedGate[], asked: boolean): WorkloadRecord | undefined;
  readonly signal: AbortSignal;
}

/** What became of a patch. */
export type PatchingOutcome =
  | { readonly kind: "moved"; readonly record: WorkloadRecord }
  /** Someone else wrote the record: acknowledge. */
  | { readonly kind: "stale" }
  /** It may have reached the cluster, or it can't be told: look again later. */
  | { readonly kind: "look-again"; readonly record: WorkloadRecord };

/**
 * Brings one patch to the cluster: read the object, store the intent, make sure that it still stands, send, read again.
 *
 * The patch is derived from one read and guarded by it; the record is read strongly after that read and before the patch. A guard that
 * fails starts another round, at most five.
 *
 * @throws TransientError when the object kept changing.
 */
export async function patchByRounds(
  first: WorkloadRecord,
  patching: Patching,
  ports: PatchingPorts,
): Promise<PatchingOutcome> {
  let record = first;
  for (let round = 0; round < maximumTries; round += 1) {
    const read = await ((round === 0 ? patching.reading : undefined) ??
      patching.cluster.read(record.workload, patching.signal));
    const outcome = await patchOnce(record, read, patching, ports);
    if (outcome.kind !== "again") return outcome;
    record = outcome.record;
  }
  throw new TransientError(`${workloadKey(first.workload)} kept changing while it was patched`);
}

/** How long what was read right before a patch lets it be sent: a function that is frozen in between reads again. */
const readingsHold = seconds(10);

type RoundOutcome = PatchingOutcome | { readonly kind: "again"; readonly record: WorkloadRecord };

async function patchOnce(
  record: WorkloadRecord,
  read: WorkloadRead,
  patching: Patching,
  ports: PatchingPorts,
): Promise<RoundOutcome> {
  const { cluster, signal } = patching;
  const stop = (from: WorkloadRecord, waits: readonly ClosedGate[], asked = false): Promise<RoundOutcome> =>
    store(from, patching.stopped(from, waits, asked), ports);
  if (read.kind === "unreachable" || read.kind === "denied")
    return stop(record, [pauseOf(read, record, patching.step)]);
  if (read.kind === "gone") return stop(record, []);
  const plan = await patching.plan(record, read.live);
  if (plan.kind === "settled") return store(record, plan.record, ports);
  if (plan.kind === "other-repository") return stop(record, [pauseOf(plan, record, patching.step)], true);
  if (plan.intent !== undefined && (await ports.store.write(plan.intent)).kind !== "written") return { kind: "stale" };
  const intended = plan.intent ?? record;
  const readAt = ports.clock.now();
  if (!(await stillStored(intended, ports))) return { kind: "stale" };
  // Not beside that read but after it: what closed a gate before the update was seen to stand must be seen too.
  const closed = await patching.closedNow(intended);
  if (closed.length > 0) return stop(intended, closed, true);
  const outcome = await cluster.patch({ ...plan.patch, sendBy: plus(readAt, readingsHold) }, signal);
  return afterPatch(outcome, intended, patching, ports);
}

async function afterPatch(
  outcome: PatchOutcome,
  record: WorkloadRecord,
  patching: Patching,
  ports: PatchingPorts,
): Promise<RoundOutcome> {
  switch (outcome.kind) {
    case "written": {
      const plan = await patching.plan(record, outcome.live);
      return plan.kind === "settled" ? store(record, plan.record, ports) : { kind: "again", record };
    }
    case "read-again":
    case "gone":
      return { kind: "again", record };
    case "unknown":
      return { kind: "look-again", record };
    case "unreachable":
    case "denied":
    case "denied-by-admission":
    case "invalid":
      return store(record, patching.stopped(record, [pauseOf(outcome, record, patching.step)], true), ports);
  }
}

async function store(
  record: WorkloadRecord,
  next: WorkloadRecord | undefined,
  ports: PatchingPorts,
): Promise<RoundOutcome> {
  if (next === undefined) return { kind: "look-again", record };
  return (await commit(next, ports)) ? { kind: "moved", record: next } : { kind: "stale" };
}

async function stillStored(record: WorkloadRecord, { store: records }: PatchingPorts): Promise<boolean> {
  const stored = await records.read(workloadKey(record.workload));
  return stored?.version === record.version && stored.cause === record.cause;
}

const pauses = {
  unreachable: { reason: "cluster-unreachable", pause: seconds(30), most: minutes(5) },
  denied: { reason: "cluster-denied", pause: minutes(1), most: minutes(5) },
  "denied-by-admission": { reason: "denied-by-admission", pause: minutes(60), most: minutes(60) },
  invalid: { reason: "patch-invalid", pause: minutes(60), most: minutes(60) },
  "other-repository": { reason: "other-repository", pause: minutes(60), most: minutes(60) },
} as const;

function pauseOf(
  refusal: { readonly kind: keyof typeof pauses; readonly detail: string },
  { active }: WorkloadRecord,
  step: Step,
): ClosedGate {
  const { reason, pause, most } = pauses[refusal.kind];
  const doubled = durationMs(Math.min(most, pause * 2 ** (active?.clusterFailures ?? 0)));
  return { reason, until: plus(step.now, doubled), detail: refusal.detail };
}
