import type { ClosedGate, WorkloadRecord } from "#domain/update";
import type { Step } from "#domain/record";
import type { PatchPlan } from "#domain/rollout";
import { durationMs, minutes, plus, seconds } from "#domain/time";
import { type LiveWorkload, workloadKey } from "#domain/workload";
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
  /** What a read of the object calls for; "look-again" where what another run may have sent could still land. */
  plan(record: WorkloadRecord, live: LiveWorkload): Promise<PatchPlan | { readonly kind: "look-again" }>;
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
  /**
   * The version to store before a patch is sent for an intent that another run stored: that one can neither send nor stop it any more.
   * Undefined: it may.
   */
  takenOver(record: WorkloadRecord): WorkloadRecord | undefined;
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
  let [record, own] = [first, false];
  for (let round = 0; round < maximumTries; round += 1) {
    const read = await ((round === 0 ? patching.reading : undefined) ??
      patching.cluster.read(record.workload, patching.signal));
    const outcome = await patchOnce({ record, own }, read, patching, ports);
    if (outcome.kind !== "again") return outcome;
    ({ record, own } = outcome);
  }
  throw new TransientError(`${workloadKey(first.workload)} kept changing while it was patched`);
}

/** How long what was read right before a patch lets it be sent: a function that is frozen in between reads again. */
const readingsHold = seconds(10);

/** A version that says what is to be sent, and whether this run stored it. */
interface Intent {
  readonly record: WorkloadRecord;
  readonly own: boolean;
}

type RoundOutcome = PatchingOutcome | ({ readonly kind: "again" } & Intent);

async function patchOnce(
  intent: Intent,
  read: WorkloadRead,
  patching: Patching,
  ports: PatchingPorts,
): Promise<RoundOutcome> {
  const { record } = intent;
  if (read.kind === "unreachable" || read.kind === "denied")
    return store(record, patching.stopped(record, [pauseOf(read, record, patching.step)], false), ports);
  if (read.kind === "gone") return store(record, patching.stopped(record, [], false), ports);
  const plan = await patching.plan(record, read.live);
  return plan.kind === "write" ? sendOnce(intent, plan, patching, ports) : settle(record, plan, ports);
}

async function sendOnce(
  { record, own }: Intent,
  { patch, intent = record }: Extract<PatchPlan, { readonly kind: "write" }>,
  patching: Patching,
  ports: PatchingPorts,
): Promise<RoundOutcome> {
  const isNew = intent !== record;
  if (isNew && !(await isWritten(intent, ports))) return { kind: "stale" };
  const readAt = ports.clock.now();
  if (!(await stillStored(intent, ports))) return { kind: "stale" };
  // Not beside that read but after it: what closed a gate before the update was seen to stand must be seen too.
  const closed = await patching.closedNow(intent);
  if (closed.length > 0) return store(intent, patching.stopped(intent, closed, true), ports);
  const taken = own || isNew ? undefined : patching.takenOver(record);
  if (taken !== undefined) return (await isWritten(taken, ports)) ? again(taken) : { kind: "stale" };
  const outcome = await patching.cluster.patch({ ...patch, sendBy: plus(readAt, readingsHold) }, patching.signal);
  return afterPatch(outcome, intent, patching, ports);
}

async function settle(
  record: WorkloadRecord,
  plan: { readonly kind: "look-again" } | Extract<PatchPlan, { readonly kind: "settled" }>,
  ports: PatchingPorts,
): Promise<RoundOutcome> {
  return store(record, plan.kind === "settled" ? plan.record : undefined, ports);
}

async function isWritten(record: WorkloadRecord, { store: records }: PatchingPorts): Promise<boolean> {
  return (await records.write(record)).kind === "written";
}

function again(record: WorkloadRecord): RoundOutcome {
  return { kind: "again", record, own: true };
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
      return plan.kind === "write" ? again(record) : settle(record, plan, ports);
    }
    case "read-again":
    case "gone":
      return again(record);
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
} as const;

function pauseOf(
  refusal: { readonly kind: keyof typeof pauses; readonly detail: string },
  { active }: WorkloadRecord,
  step: Step,
): ClosedGate {
  const { reason, pause, most } = pauses[refusal.kind];
  const doubled = durationMs(Math.min(most, pause * 2 ** (active?.refusedTries ?? 0)));
  return { reason, until: plus(step.now, doubled), detail: refusal.detail };
}
