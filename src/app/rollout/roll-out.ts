import { askGates, closedGates } from "#domain/gates/index";
import { backToHeld, endUnwanted, endWithoutObject } from "#domain/update/decide/ending";
import { gatedPartsOf } from "#domain/update/decide/propose";
import { nextVersion } from "#domain/update/effects/next-version";
import { type ForwardPlan, planForward } from "#domain/update/decide/patch";
import { type EpochMs, plus, seconds } from "#domain/shared/time";
import { isAhead } from "#domain/shared/wrong-clock";
import { overtaken, type UnpatchedUpdate, type WorkloadRecord } from "#domain/update/state/workload";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { WorkloadSettings } from "#domain/settings/settings";
import { identityOf, type RollOut } from "#domain/update/commands";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Cluster, PatchOutcome, WorkloadRead } from "#ports/cluster";
import type { Decision } from "#domain/update/state/changes";
import { type CommandOutcome, decideInCluster, maximumTries } from "../decide.ts";
import { readStopFacts } from "../shared/gate-facts.ts";
import { keptChangingError, waitAfter, readsValidFor, stillStored } from "../shared/patching.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { repeatLater } from "../shared/send-commands.ts";
import { leave, store, type Stored, type Turn } from "../shared/turn.ts";

/** The outcome of a `RollOut`. */
export type RollOutOutcome = CommandOutcome | Stored | { readonly kind: "nothing-released" | "check-again" };

/**
 * Patches the workload of a released update. If the object changes meanwhile, reads and patches it
 * again, at most five times.
 *
 * A closed gate or an unreachable cluster holds the update again, unless a patch may have landed.
 * If the cluster does not answer a patch, a later read shows whether it landed.
 *
 * A run sends a patch only under an intent that is recent, and holds the update only when no patch can
 * land any more. So of two runs of one update, none holds what the other patches.
 */
export async function rollOut(command: RollOut, ports: Ports, signal: AbortSignal): Promise<RollOutOutcome> {
  const rules = { doing: "patched", continues: ({ active }: WorkloadRecord) => isUnpatched(active) };
  return decideInCluster<RollOutOutcome>(command, ports, rules, async (record, cluster) => {
    const { active } = record;
    if (!isUnpatched(active)) return leave({ kind: "nothing-released" });
    const installation = await ports.store.installation();
    const settings = await settingsOf(record, ports);
    const earlierPatch = earlierPatchOf(record, active, ports.clock.now());
    const attempt = { command, record, active, cluster, installation, settings, earlierPatch, signal };
    return patchInRounds(attempt, ports);
  });
}

function isUnpatched(active: WorkloadRecord["active"]): active is UnpatchedUpdate {
  return active?.status === "released" || active?.status === "patching";
}

/** The patch of an earlier run. After an earlier patch, Lookout reads the object before it holds the update. */
type EarlierPatch =
  | "none"
  /** The patch may be sent again under the same intent. */
  | "recent"
  /** The patch may still land, but is not sent again: another run may hold the update soon. */
  | "may-still-land"
  /** This run stores an intent of its own before it patches, or holds the update. */
  | "has-ended";

/** The time for which a patch is sent again. Then 20 s are left for its last call, which lasts 10 s. */
const sentAgainWithin = seconds(55);

/** The time after which a patch can't land any more. */
const patchEndsWithin = seconds(75);

function earlierPatchOf({ changedAt }: WorkloadRecord, { status }: UnpatchedUpdate, now: EpochMs): EarlierPatch {
  if (status !== "patching") return "none";
  // A clock ahead stored the intent, so its age is unknown until the record is stored again.
  if (isAhead(changedAt, now)) return "may-still-land";
  if (now < plus(changedAt, sentAgainWithin)) return "recent";
  return now < plus(changedAt, patchEndsWithin) ? "may-still-land" : "has-ended";
}

interface Attempt {
  readonly command: RollOut;
  /** The loaded version, or the version that this run stored before its patch. */
  readonly record: WorkloadRecord;
  readonly active: UnpatchedUpdate;
  readonly cluster: Cluster;
  readonly installation: string;
  readonly settings: WorkloadSettings;
  readonly earlierPatch: EarlierPatch;
  /** True if this run stored the version of `record`. */
  readonly isPrepared?: true;
  readonly signal: AbortSignal;
}

/** The end of a run, or the attempt of its next round. */
type Round = Turn<RollOutOutcome> | { readonly kind: "read-again"; readonly attempt: Attempt };

/** Reads and patches the object. If the object changed in between, another round reads it again. */
async function patchInRounds(first: Attempt, ports: Ports): Promise<Turn<RollOutOutcome>> {
  let attempt = first;
  for (let round = 0; round < maximumTries; round += 1) {
    const read = await attempt.cluster.read(attempt.record.workload, attempt.signal);
    const outcome = await (read.kind === "found" ? patchOnce(attempt, read.live, ports) : unread(attempt, read, ports));
    if (outcome.kind !== "read-again") return outcome;
    attempt = outcome.attempt;
  }
  throw keptChangingError(first.record);
}

/** Ends a run whose object is gone, or whose cluster does not answer. */
async function unread(
  attempt: Attempt,
  read: Exclude<WorkloadRead, { readonly kind: "found" }>,
  ports: Ports,
): Promise<Turn<RollOutOutcome>> {
  const { record, active, earlierPatch } = attempt;
  const now = ports.clock.now();
  if (read.kind === "gone")
    return store(record, endWithoutObject(overtaken(active, "superseded", { reason: "workload-gone" }, now)), now);
  return earlierPatch === "none"
    ? hold(attempt, [waitAfter(read, record, now)], ports)
    : patchAgainLater(attempt, ports);
}

/**
 * Stores the intent, checks that it is still stored, asks the gates, patches, and reads the result.
 */
async function patchOnce(before: Attempt, live: LiveWorkload, ports: Ports): Promise<Round> {
  const { record: loaded, cluster, signal } = before;
  const readAt = ports.clock.now();
  const plan = planForward({ ...before, live, now: readAt });
  if (plan.kind !== "patch") return withoutPatch(before, plan, readAt, ports);

  const isPrepared = before.isPrepared === true;
  const earlierPatch = earlierPatchOf(loaded, before.active, readAt);
  if (earlierPatch === "may-still-land" && !isPrepared) return patchAgainLater(before, ports);
  // The run that stored this version may still hold the update, so an interrupted run takes over.
  const sendsAgain = earlierPatch === "recent" && loaded.version === before.command.version;
  const attempt = plan.isStored && (isPrepared || sendsAgain) ? before : await prepare(before, plan.intent, ports);
  if (attempt === undefined) return leave({ kind: "stale" });
  const { record } = attempt;
  const checkedAt = ports.clock.now();
  if (!(await stillStored(record, ports))) return leave({ kind: "stale" });
  const unwanted = endUnwanted(record, attempt.active, checkedAt);
  if (unwanted !== undefined) return storeHeld(attempt, unwanted, checkedAt, ports);
  // Lookout reads the gates after the record, so that every gate that closed before the intent was
  // stored stops the patch.
  const closed = await closedNow(attempt, ports);
  if (closed.length > 0) return hold(attempt, closed, ports);

  const sent = await cluster.patch({ ...plan.patch, sendBy: plus(checkedAt, readsValidFor) }, signal);
  return afterPatch(attempt, sent, ports);
}

/** Ends a run whose plan needs no patch, or allows none. */
function withoutPatch(
  attempt: Attempt,
  plan: Exclude<ForwardPlan, { readonly kind: "patch" }>,
  now: EpochMs,
  ports: Ports,
): Turn<RollOutOutcome> | Promise<Turn<RollOutOutcome>> {
  const { record } = attempt;
  switch (plan.kind) {
    case "decided":
      return store(record, plan.decision, now);
    case "settings-changed":
      return storeHeld(attempt, plan.decision, now, ports);
    case "other-repository":
      return hold(attempt, [waitAfter(plan, record, now)], ports);
  }
}

/** Decides by the answer of the cluster to a patch. */
async function afterPatch(attempt: Attempt, sent: PatchOutcome, ports: Ports): Promise<Round> {
  const { record } = attempt;
  const now = ports.clock.now();
  switch (sent.kind) {
    case "written": {
      // Decides again from the patched object: the patch landed, or the object is read again.
      const after = planForward({ ...attempt, live: sent.live, now });
      return after.kind === "decided" ? store(record, after.decision, now) : { kind: "read-again", attempt };
    }
    case "read-again":
    case "gone":
      return { kind: "read-again", attempt };
    case "unknown":
      return patchAgainLater(attempt, ports);
    case "failed":
      return afterFailure(attempt, waitAfter(sent, record, now), ports);
    case "unreachable":
    case "denied":
    case "denied-by-admission":
    case "invalid":
      return hold(attempt, [waitAfter(sent, record, now)], ports);
  }
}

/**
 * Stores the version of this run. Returns undefined if another run stored one first. No command is
 * sent, because this run patches. The reaper resumes an interrupted run.
 */
async function prepare(
  attempt: Attempt,
  intent: Extract<ForwardPlan, { readonly kind: "patch" }>["intent"],
  ports: Ports,
): Promise<Attempt | undefined> {
  const step = { cause: identityOf(attempt.command), now: ports.clock.now(), tiers: ports.rules.tiers };
  const record = nextVersion(attempt.record, intent, step);
  const written = await ports.store.write(record);
  return written.kind === "written"
    ? { ...attempt, record, active: intent.changes.active, isPrepared: true }
    : undefined;
}

/**
 * Reads the object after a 5xx, because the patch may have landed. If it did not, the update is held
 * for this answer.
 */
async function afterFailure(attempt: Attempt, wait: WaitReason, ports: Ports): Promise<Turn<RollOutOutcome>> {
  const { record, cluster, signal } = attempt;
  const read = await cluster.read(record.workload, signal);
  if (read.kind === "gone") return unread(attempt, read, ports);
  if (read.kind !== "found") return patchAgainLater(attempt, ports);
  const now = ports.clock.now();
  const plan = planForward({ ...attempt, live: read.live, now });
  return plan.kind === "patch" ? hold(attempt, [wait], ports) : withoutPatch(attempt, plan, now, ports);
}

/** Asks the gates once more, just before the patch. */
async function closedNow({ record, active, settings }: Attempt, ports: Ports): Promise<readonly WaitReason[]> {
  const facts = await readStopFacts(record, settings, active.changes, ports);
  return closedGates(askGates({ now: ports.clock.now(), record, settings, ...gatedPartsOf(active), facts }));
}

/** Holds the update for these reasons, unless the patch of an earlier run may land. */
async function hold(attempt: Attempt, waits: readonly WaitReason[], ports: Ports): Promise<Turn<RollOutOutcome>> {
  const now = ports.clock.now();
  return storeHeld(attempt, backToHeld(attempt.record, attempt.active, waits, now), now, ports);
}

/** Stores a decision that holds the update, unless the patch of an earlier run may land. */
async function storeHeld(
  attempt: Attempt,
  decision: Decision,
  now: EpochMs,
  ports: Ports,
): Promise<Turn<RollOutOutcome>> {
  const { record, earlierPatch } = attempt;
  if (earlierPatch === "recent" || earlierPatch === "may-still-land") return patchAgainLater(attempt, ports);
  return store(record, decision, now);
}

/** The pause before the object is read after a patch with an unknown outcome. */
const unknownPause = seconds(15);

/**
 * Looks again after a pause whether the patch landed.
 *
 * If another run stored the record's version, this run sends its own command again, and not the
 * command of that version: the other run may still hold the update.
 */
async function patchAgainLater({ command, record, isPrepared }: Attempt, ports: Ports): Promise<Turn<RollOutOutcome>> {
  if (isPrepared === true || record.version === command.version)
    return repeatLater(command, record, unknownPause, { kind: "check-again" }, ports);
  await ports.queues.send([{ command, delay: unknownPause }]);
  return leave({ kind: "check-again" });
}
