import { askGates, closedGates } from "#domain/gates/index";
import { renewRecord } from "#domain/update/state/changes";
import { endWithoutObject, backToHeld } from "#domain/update/decide/ending";
import { planForward } from "#domain/update/decide/patch";
import { type EpochMs, plus, seconds } from "#domain/shared/time";
import { overtaken, type UnpatchedUpdate, type WorkloadRecord } from "#domain/update/state/workload";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { RollOut } from "#domain/update/commands";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Cluster, WorkloadRead } from "#ports/cluster";
import { allOf } from "../shared/bounded.ts";
import { readStopFacts } from "../shared/gate-facts.ts";
import { showAvailable, type ShowOutcome } from "./show-available.ts";
import { keptChangingError, waitAfter, readsValidFor, stillStored } from "../shared/patching.ts";
import type { Ports } from "../shared/ports.ts";
import {
  loadForCommand,
  maximumTries,
  sendAgain,
  sendNextCommands,
  settingsOf,
  stepOf,
  storeVersion,
} from "../shared/records.ts";
import { type UnknownClusterOutcome, untrackOrWait } from "../shared/unknown-cluster.ts";

type RolloutPorts = Pick<
  Ports,
  | "store"
  | "patterns"
  | "spending"
  | "defaults"
  | "quarantine"
  | "freezes"
  | "sightings"
  | "plannedFreezes"
  | "approvalRules"
  | "nodeRules"
  | "queues"
  | "clock"
  | "limits"
  | "clusters"
  | "clusterStates"
>;

/** The outcome of a `RollOut`. */
export type RollOutOutcome =
  UnknownClusterOutcome | ShowOutcome | { readonly kind: "nothing-released" | "check-again" };

/**
 * Patches the workload of a released update. If the object changes meanwhile, reads and patches it
 * again, at most five times.
 *
 * A closed gate or an unreachable cluster holds the update again, unless a patch may have landed.
 * If the cluster does not answer a patch, a later read shows whether it landed.
 */
export async function rollOut(command: RollOut, ports: RolloutPorts, signal: AbortSignal): Promise<RollOutOutcome> {
  if (command.showsAvailable === true) return showAvailable(command, ports, signal);
  // The object and the record are read in parallel, because the object is nearly always needed.
  const reading = ports.clusters.cluster(command.workload.cluster)?.read(command.workload, signal);
  // A failed read fails only the round that uses the object.
  const [outcome] = await allOf([loadAndPatch(reading, command, ports, signal), reading?.catch(() => undefined)]);
  return outcome;
}

async function loadAndPatch(
  reading: Promise<WorkloadRead> | undefined,
  command: RollOut,
  ports: RolloutPorts,
  signal: AbortSignal,
): Promise<RollOutOutcome> {
  const loaded = await loadForCommand(command, ports);
  if (loaded.kind === "stale") return { kind: "stale" };
  let { record } = loaded;
  const { active } = record;
  if (active?.status !== "released" && active?.status !== "patching") {
    if (loaded.kind === "decide") return { kind: "nothing-released" };
    await sendNextCommands(record, ports);
    return { kind: "resumed" };
  }
  if (loaded.kind === "resume") {
    // Takes over from the delivery that wrote this version. That delivery can no longer patch.
    record = renewRecord(record, active, stepOf(command, ports));
    if ((await ports.store.write(record)).kind !== "written") return { kind: "stale" };
  }
  const cluster = ports.clusters.cluster(record.workload.cluster);
  if (cluster === undefined) return untrackOrWait(command, record, ports);
  const installation = await ports.store.installation();
  const settings = await settingsOf(record, ports);
  const earlierPatch = earlierPatchOf(record, active, ports.clock.now());
  const attempt = { command, record, active, cluster, installation, settings, earlierPatch, signal };
  return patchInRounds(attempt, reading, ports);
}

/**
 * The state of an earlier delivery's patch. After an earlier patch, Lookout reads the object before
 * it holds the update.
 */
type EarlierPatch = "none" | "may-still-land" | "has-ended";

/**
 * The time after which an earlier patch has ended. A run lasts at most 60 s, and its last call
 * lasts at most 10 s.
 */
const patchEndsWithin = seconds(75);

function earlierPatchOf({ changedAt }: WorkloadRecord, { status }: UnpatchedUpdate, now: EpochMs): EarlierPatch {
  if (status !== "patching") return "none";
  return now < plus(changedAt, patchEndsWithin) ? "may-still-land" : "has-ended";
}

interface Attempt {
  readonly command: RollOut;
  readonly record: WorkloadRecord;
  readonly active: UnpatchedUpdate;
  readonly cluster: Cluster;
  readonly installation: string;
  readonly settings: WorkloadSettings;
  readonly earlierPatch: EarlierPatch;
  /** The wait after a 5xx, if the last patch of this run got this answer. */
  readonly failedPatch?: WaitReason;
  readonly signal: AbortSignal;
}

/** Reads and patches the object. If the object changed in between, another round reads it again. */
async function patchInRounds(
  first: Attempt,
  reading: Promise<WorkloadRead> | undefined,
  ports: RolloutPorts,
): Promise<RollOutOutcome> {
  let attempt = first;
  // After a 5xx, one more round reads the object. That round ends the run.
  for (let round = 0; round < maximumTries || attempt.failedPatch !== undefined; round += 1) {
    const { command, record, active, cluster, signal } = attempt;
    const read = await ((round === 0 ? reading : undefined) ?? cluster.read(record.workload, signal));
    const step = stepOf(command, ports);
    if (read.kind === "gone") {
      const ended = overtaken(active, "superseded", { reason: "workload-gone" }, step.now);
      return storeVersion(endWithoutObject(record, ended, step), ports);
    }
    if (read.kind !== "found")
      return attempt.earlierPatch === "none" && attempt.failedPatch === undefined
        ? storeHeldOrRetry(attempt, [waitAfter(read, record, step)], ports)
        : retry(attempt, ports);
    const outcome = await patchOnce(attempt, read.live, ports);
    if (outcome.kind !== "read-again") return outcome;
    attempt = outcome.attempt;
  }
  throw keptChangingError(first.record);
}

type RoundOutcome = RollOutOutcome | { readonly kind: "read-again"; readonly attempt: Attempt };

/**
 * Stores the intent, checks that it is still stored, asks the gates, patches, and reads the result.
 */
async function patchOnce(before: Attempt, live: LiveWorkload, ports: RolloutPorts): Promise<RoundOutcome> {
  const { command, cluster, installation, settings, signal } = before;
  const { record: loaded, active } = before;
  const step = stepOf(command, ports);
  const plan = planForward({ record: loaded, active, live, installation, settings, step });
  if (plan.kind === "store") return storeVersion(plan.record, ports);
  // The object shows that the failed patch did not land.
  if (before.failedPatch !== undefined) return storeHeldOrRetry(before, [before.failedPatch], ports);
  if (plan.kind === "other-repository") return storeHeldOrRetry(before, [waitAfter(plan, loaded, step)], ports);

  const { intent } = plan;
  // No command is sent, because this run patches. The reaper resumes an interrupted run.
  if (intent !== undefined && (await ports.store.write(intent)).kind !== "written") return { kind: "stale" };
  const attempt = intent === undefined ? before : { ...before, record: intent, active: intent.active };
  const { record } = attempt;
  const readAt = ports.clock.now();
  if (!(await stillStored(record, ports))) return { kind: "stale" };
  // Lookout reads the gates after the record, so that every gate that closed before the intent was
  // stored stops the patch.
  const closed = await closedNow(attempt, ports);
  if (closed.length > 0) return storeHeldOrRetry(attempt, closed, ports);

  const sent = await cluster.patch({ ...plan.patch, sendBy: plus(readAt, readsValidFor) }, signal);
  switch (sent.kind) {
    case "written": {
      // Decides again from the patched object: the patch landed, or the object is read again.
      const inputs = { record, active: attempt.active, live: sent.live, installation, settings };
      const after = planForward({ ...inputs, step: stepOf(command, ports) });
      return after.kind === "store" ? storeVersion(after.record, ports) : { kind: "read-again", attempt };
    }
    case "read-again":
    case "gone":
      return { kind: "read-again", attempt };
    case "unknown":
      return retry(attempt, ports);
    case "failed":
      return {
        kind: "read-again",
        attempt: { ...attempt, failedPatch: waitAfter(sent, record, stepOf(command, ports)) },
      };
    case "unreachable":
    case "denied":
    case "denied-by-admission":
    case "invalid":
      return storeHeldOrRetry(attempt, [waitAfter(sent, record, stepOf(command, ports))], ports);
  }
}

/** Asks the gates once more, just before the patch. */
async function closedNow(
  { record, active: { seq, changes, approval }, settings }: Attempt,
  ports: RolloutPorts,
): Promise<readonly WaitReason[]> {
  const facts = await readStopFacts(record, settings, changes, ports);
  return closedGates(askGates({ now: ports.clock.now(), record, settings, seq, changes, approval, facts }));
}

/** Holds the update, unless the patch of an earlier delivery may still land. */
async function storeHeldOrRetry(
  attempt: Attempt,
  waits: readonly WaitReason[],
  ports: RolloutPorts,
): Promise<RollOutOutcome> {
  const { command, record, active, earlierPatch } = attempt;
  if (earlierPatch === "may-still-land") return retry(attempt, ports);
  return storeVersion(backToHeld(record, active, waits, stepOf(command, ports)), ports);
}

/** The pause before the object is read after a patch with an unknown outcome. */
const unknownPause = seconds(15);

async function retry({ command, record }: Attempt, ports: RolloutPorts): Promise<RollOutOutcome> {
  await sendAgain(command, record, unknownPause, ports);
  return { kind: "check-again" };
}
