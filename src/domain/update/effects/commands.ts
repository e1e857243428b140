import { correlationOf } from "../state/correlation.ts";
import { isAway, isOfTier, type Reason, retryOf } from "../../shared/reasons.ts";
import {
  type DurationMs,
  durationMs,
  earliest,
  type EpochMs,
  epochMs,
  hours,
  minutes,
  plus,
  seconds,
  since,
} from "../../shared/time.ts";
import {
  type ActiveUpdate,
  bakeOf,
  type PatchedUpdate,
  type PendingUpdate,
  type RollingOutUpdate,
  type Transition,
  type WorkloadRecord,
} from "../state/workload.ts";
import { placeOf } from "../../shared/jitter.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import type { CheckRollout, StateReference, Wake, Command } from "../commands.ts";

/** A command that the state of a record needs. */
export interface OpenCommand {
  readonly command: Command;
  /** The instant at which the command runs. This instant may be in the past. */
  readonly at: EpochMs;
  /** The instant at which the reaper sends the command again, unless the record changed. */
  readonly dueAt: EpochMs;
}

/** The longest time between two checks of an open update. */
export const longestWait = hours(6);

/** The time after which a command is overdue. */
const patience = minutes(1);

/**
 * The time after which a command is overdue if its patch may have been sent. A patch takes less
 * time.
 */
const patchPatience = minutes(2);

/** The pause before Lookout reads again the fact that an update waits for. */
const recheckPause = seconds(2);

/** The pause after a registry gave no answer. */
const registryPause = minutes(1);

/** The period over which workloads that wait for the same registry are spread. */
const registrySpread = seconds(5);

/** The first pause after a cluster gave no answer. */
const clusterPause = seconds(30);

/** The longest pause after doubling. */
const longestPause = hours(1);

/** Returns the pause after a number of failed evaluations in a row. */
export function pauseAfter(failedEvaluations: number, first = minutes(1)): DurationMs {
  return durationMs(Math.min(longestPause, first * 2 ** failedEvaluations));
}

/**
 * The longest time between two looks at the member of a tier that an update waits for. Its change wakes the
 * update; a cluster that answers again does not.
 */
const tierPause = minutes(15);

/** The time between two looks at a cluster that can't prove what its members run. */
const unreadPause = minutes(2);

function tierPauseOf(reason: Reason): DurationMs {
  if (reason === "tier-unread") return unreadPause;
  return isOfTier(reason) ? tierPause : longestWait;
}

/** The interval of the checks of a waiting rollout. */
const waitingPause = seconds(30);

/**
 * Returns the commands that the state of a record needs.
 *
 * There is at most one command for the active update, or without an active update one for the
 * pending update. A wait for a check and a waiting evaluation add one more command each.
 */
export function openCommands(record: WorkloadRecord): readonly OpenCommand[] {
  const { active, pending, changedAt } = record;
  const reference = referenceTo(record, active ?? pending);
  if (active !== undefined)
    return [
      paused(activeCommand(active, reference, changedAt), record.retry?.pause?.until),
      ...askCommands(bakeWaits(active), reference, changedAt),
      ...evaluationCommands(record),
    ];
  const evaluations = evaluationCommands(record);
  // A pending update waits for the evaluation after a change of settings.
  if (pending === undefined || record.needsEvaluation === true) return evaluations;
  // A vote was stored with this version, so the gates are asked immediately.
  const at = record.effects.vote === undefined ? wakesAt(pending, changedAt) : changedAt;
  const asks = pausesAfterFailure(pending) ? [] : askCommands(pending.waits, reference, changedAt);
  return [{ command: { name: "Wake", ...reference }, at, dueAt: plus(at, patience) }, ...asks, ...evaluations];
}

/** Returns the command that asks the checks which an update waits for, when the first answer is out of date. */
function askCommands(
  waits: readonly WaitReason[],
  reference: StateReference,
  changedAt: EpochMs,
): readonly OpenCommand[] {
  const at = earliest(waits.filter((wait) => waitsForCheck(wait, changedAt)).map(({ until }) => until ?? changedAt));
  return at === undefined ? [] : [{ command: { name: "AskChecks", ...reference }, at, dueAt: plus(at, patience) }];
}

function bakeWaits(active: ActiveUpdate): readonly WaitReason[] {
  const bake = bakeOf(active);
  return bake === undefined ? [] : [bake.wait];
}

/** Returns whether a wait ends after its check is asked. A wait that a person passed has ended already. */
function waitsForCheck({ reason, until }: WaitReason, changedAt: EpochMs): boolean {
  return retryOf(reason) === "check" && (until === undefined || until > changedAt);
}

/**
 * Returns the commands to send after a version was stored.
 *
 * An update that waits for a fact is checked again shortly, because the fact may have changed
 * before the wait was stored.
 */
export function nextCommands(record: WorkloadRecord): readonly OpenCommand[] {
  const next = [...openCommands(record), ...showCommands(record)];
  const { pending } = record;
  if (pending === undefined || pausesAfterFailure(pending) || !pending.waits.some(mayEndBeforeStored)) return next;
  const soon = plus(record.changedAt, recheckPause);
  return next.map((open) => (open.command.name === "Wake" ? { ...open, at: epochMs(Math.min(open.at, soon)) } : open));
}

/**
 * Returns the command that writes the annotation of the available update, if the annotation may be
 * outdated. The reaper does not repeat this command.
 */
function showCommands(record: WorkloadRecord): readonly OpenCommand[] {
  if (!record.tracked || !record.transitions.some((transition) => changesAvailable(record, transition))) return [];
  const command = { name: "ShowAvailable", ...referenceTo(record, record.pending) } as const;
  return [{ command, at: record.changedAt, dueAt: plus(record.changedAt, patience) }];
}

/**
 * Returns whether a transition may outdate the annotation of the available update. The patch of the
 * update removes the annotation, but a later write may have added it again.
 */
function changesAvailable({ active, last }: WorkloadRecord, { seq, what, approval }: Transition): boolean {
  if (approval?.some((change) => change.what === "requested") === true) return true;
  const update = [active, last].find((one) => one?.seq === seq);
  return update?.approval !== undefined && (what === "rejected" || what === "superseded" || what === "patched");
}

/** Returns whether the cause of a wait may have ended before the wait was stored. */
function mayEndBeforeStored({ reason, until }: WaitReason): boolean {
  const retry = retryOf(reason);
  return retry === "wake" || retry === "nodes" || (isAway(reason) && until === undefined);
}

/**
 * Returns an extra check of the gates of a held update, because a fact changed.
 *
 * @param requestedBy - a text that identifies the request, so that a repeated request sends no
 *   second command.
 */
export function extraWake(record: WorkloadRecord, requestedBy: string): Wake {
  return { name: "Wake", ...referenceTo(record, record.pending), requestedBy };
}

/**
 * Returns an extra check of an active update, because the cluster changed; `requestedBy` as in
 * {@link extraWake}.
 */
export function extraCheck(record: WorkloadRecord, requestedBy: string): CheckRollout {
  return { name: "CheckRollout", ...referenceTo(record, record.active), requestedBy };
}

function referenceTo(
  { workload, uid, seq, version }: WorkloadRecord,
  update: Pick<PendingUpdate, "correlationId"> = {},
): StateReference {
  return { workload, uid, seq, version, ...correlationOf(update) };
}

/**
 * Returns when the reaper sends the first command of a record again, or undefined if no command is
 * open.
 */
export function dueOf(record: WorkloadRecord): EpochMs | undefined {
  return earliest(openCommands(record).map(({ dueAt }) => dueAt));
}

/** The longest pause between checks. A fault of pods fails an update at most so late. */
const checkPause = seconds(15);

/**
 * Returns the pause before the next check: a third of the time since `from`, but at least 1 s and
 * at most 15 s.
 *
 * The cluster reports when pods began to run, so a later check loses no precision.
 *
 * @param most - the longest pause, for a rollout that waits for people.
 */
export function checkAgainAfter(from: EpochMs, now: EpochMs, most = checkPause): DurationMs {
  return durationMs(Math.min(most, Math.max(1_000, Math.round(since(from, now) / 3))));
}

/** Returns the instant of the next check of a rollout: at the end of a grace at the latest. */
export function nextCheckAt(update: PatchedUpdate, now: EpochMs): EpochMs {
  const progress = update.status === "rolling-out" ? update.progress : undefined;
  const most = progress?.kind === "waiting" ? waitingPause : checkPause;
  const usual = plus(now, checkAgainAfter(checkedSince(update), now, most));
  const graceEnd = progress?.kind === "progressing" ? progress.fault?.failsAt : undefined;
  return graceEnd === undefined || graceEnd <= now ? usual : (earliest([usual, graceEnd]) ?? usual);
}

/** Returns the instant since which an update's pods change. */
export function checkedSince(update: PatchedUpdate): EpochMs {
  return update.status === "rolling-back" && update.rollback.kind === "patched" ? update.rollback.at : update.patchedAt;
}

/**
 * Returns when the gates of a pending update are asked again: when the first gate opens, the
 * approval expires or a preferred image is old enough, at most after {@link longestWait}.
 *
 * After a failed command, an instant in the past does not end the pause.
 */
export function wakesAt(pending: PendingUpdate, changedAt: EpochMs): EpochMs {
  const isPaused = pausesAfterFailure(pending);
  // No update is active here, so this wait has ended.
  if (!isPaused && pending.waits.some(({ reason }) => reason === "rollout-in-progress")) return changedAt;
  // `AskChecks` wakes the update after its checks answered.
  const opens = pending.waits.flatMap((wait) =>
    wait.until === undefined || waitsForCheck(wait, changedAt) ? [] : [wait.until],
  );
  // An update with all its approvals does not expire, even if other gates hold it.
  const isAsked = pending.waits.some(({ reason }) => reason === "needs-approval");
  const { until: expires } = pending.approval ?? {};
  const expiry = isAsked && expires !== undefined ? [expires] : [];
  const { reselectAt } = pending;
  const reselection = reselectAt === undefined ? [] : [reselectAt];
  const longest = durationMs(Math.min(longestWait, ...pending.waits.map(({ reason }) => tierPauseOf(reason))));
  const instants = [...opens, ...expiry, ...reselection, plus(changedAt, longest)];
  return earliest(isPaused ? instants.filter((instant) => instant > changedAt) : instants) ?? changedAt;
}

/** Returns whether an update pauses because its own command failed. Its other waits are not asked. */
function pausesAfterFailure({ timesDeadLettered, waits }: PendingUpdate): boolean {
  return timesDeadLettered !== undefined && waits.some(({ reason }) => reason === "internal-error");
}

function paused(open: OpenCommand, until: EpochMs | undefined): OpenCommand {
  return until === undefined ? open : { ...open, at: until, dueAt: plus(until, patience) };
}

function activeCommand(active: ActiveUpdate, reference: StateReference, changedAt: EpochMs): OpenCommand {
  switch (active.status) {
    case "released":
      return rollOutCommand(reference, changedAt, patience);
    case "patching":
      return rollOutCommand(reference, changedAt, patchPatience);
    case "rolling-out":
      return checkOf(active, reference, changedAt);
    case "rolling-back": {
      const { rollback } = active;
      if (rollback.kind === "patching") return checkCommand(reference, changedAt);
      return checkCommand(reference, nextCheckAt(active, changedAt), pastDeadline(rollback.deadlineAt, changedAt));
    }
  }
}

function checkOf(update: RollingOutUpdate, reference: StateReference, changedAt: EpochMs): OpenCommand {
  const { progress } = update;
  switch (progress.kind) {
    case "progressing": {
      const endsAt = progress.fault?.failsAt ?? progress.deadlineAt;
      return checkCommand(reference, nextCheckAt(update, changedAt), pastDeadline(endsAt, changedAt));
    }
    case "waiting":
      return checkCommand(reference, plus(changedAt, waitingPause), plus(changedAt, longestWait));
    case "running":
      if (progress.bake !== undefined) return checkCommand(reference, plus(changedAt, waitingPause));
      return checkCommand(reference, progress.running.settlesAt);
  }
}

function rollOutCommand(reference: StateReference, changedAt: EpochMs, waits: DurationMs): OpenCommand {
  return { command: { name: "RollOut", ...reference }, at: changedAt, dueAt: plus(changedAt, waits) };
}

function checkCommand(reference: StateReference, at: EpochMs, dueAt = plus(at, patience)): OpenCommand {
  return { command: { name: "CheckRollout", ...reference }, at, dueAt };
}

function pastDeadline(deadlineAt: EpochMs, changedAt: EpochMs): EpochMs {
  return plus(epochMs(Math.max(deadlineAt, changedAt)), patience);
}

function evaluationCommands(record: WorkloadRecord): readonly OpenCommand[] {
  const asked = [...record.selectionFailures, ...(record.pending?.waits ?? [])];
  const again = asked.filter(({ reason }) => {
    const retry = retryOf(reason);
    return retry === "registry" || retry === "registry-outage";
  });
  if (!record.tracked) return [];
  if (record.needsEvaluation !== true && again.length === 0) return skipEnd(record);
  const usual = plus(record.changedAt, usualPause(record));
  const at = record.needsEvaluation === true ? usual : (afterRegistryPause(record, again, usual) ?? usual);
  return [evaluationOf(record, record.needsEvaluation === true ? "changed" : "registry retry", at)];
}

/** Returns the evaluation at the end of the first skip that ends by itself. */
function skipEnd(record: WorkloadRecord): readonly OpenCommand[] {
  const first = earliest((record.skips ?? []).flatMap(({ until }) => until ?? []));
  return first === undefined ? [] : [evaluationOf(record, "the end of a skip", first)];
}

function evaluationOf({ uid, version, workload }: WorkloadRecord, source: string, at: EpochMs): OpenCommand {
  const id = `${uid}:${version}`;
  return { command: { name: "EvaluateWorkload", id, workload, source }, at, dueAt: plus(at, patience) };
}

/** Returns the pause before the next evaluation, without the pauses that registries ask for. */
function usualPause({ needsEvaluation, retry }: WorkloadRecord): DurationMs {
  const { failedEvaluations } = retry ?? {};
  if (needsEvaluation !== true) return pauseAfter(failedEvaluations ?? 0, registryPause);
  return failedEvaluations === undefined ? durationMs(0) : pauseAfter(failedEvaluations, clusterPause);
}

/**
 * Returns when a workload asks its registries again after the pauses that they asked for. Returns
 * undefined if a failure has no pause.
 *
 * The first retry follows the pause, even if the pause is short. After failed retries, the usual
 * pause is the minimum.
 */
function afterRegistryPause(
  { uid, changedAt, retry }: WorkloadRecord,
  failures: readonly Pick<WaitReason, "until">[],
  usual: EpochMs,
): EpochMs | undefined {
  const ends = failures.flatMap(({ until }) => until ?? []);
  if (ends.length < failures.length) return undefined;
  // An end after this limit was stored before the clock was set back.
  const last = Math.min(Math.max(...ends), changedAt + longestPause);
  const soonest = retry?.failedEvaluations === undefined ? changedAt : usual;
  return epochMs(Math.round(Math.max(last + placeOf(uid) * registrySpread, soonest)));
}
