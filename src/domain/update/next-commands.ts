import { correlationOf } from "./correlation.ts";
import { isAway, retryOf } from "../shared/reasons.ts";
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
} from "../shared/time.ts";
import type { ActiveUpdate, PendingUpdate, RollingOutUpdate, WorkloadRecord } from "./states.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import type { CheckRollout, StateReference, Wake, Command } from "./commands.ts";

/** A piece of work that a state calls for. */
export interface OpenCommand {
  readonly command: Command;
  /** When it is to be done; may be past. */
  readonly at: EpochMs;
  /** When it is sent again, if nothing came of it. */
  readonly dueAt: EpochMs;
}

/** The longest that a record with open work may stay without someone looking at it. */
export const longestWait = hours(6);

/** How long after its time a piece of work is sent again. */
const patience = minutes(1);

/** The same for a patch that may have been sent: longer than it may be under way, which is counted from the version that says so. */
const patchPatience = minutes(2);

/** How soon a fact that an update waits for is read again. */
const recheckPause = seconds(2);

/** How long a registry that could not be asked, or had no answer, is left alone. */
const registryPause = minutes(1);

/** How long a cluster that did not answer a look is left alone before the next. */
const clusterPause = seconds(30);

/** The longest pause that doubling comes to. */
const longestPause = hours(1);

/** Answers how long something is left alone that came to nothing so many times in a row. */
export function pauseAfter(failedEvaluations: number, first = minutes(1)): DurationMs {
  return durationMs(Math.min(longestPause, first * 2 ** failedEvaluations));
}

/** How often a workload is looked at that stands still of its own. */
const waitingPause = seconds(30);

/**
 * Answers what the state of a record calls for: whoever writes a version sends this, and whoever finds it undone sends it again.
 *
 * At most one piece of work for the active update, one for a pending one that is free to go, and one question to the registries. Empty:
 * nothing is open.
 */
export function openCommands(record: WorkloadRecord): readonly OpenCommand[] {
  const { active, pending, changedAt } = record;
  const reference = referenceTo(record, active ?? pending);
  if (active !== undefined)
    return [paused(activeCommand(active, reference, changedAt), record.pause?.until), ...selection(record)];
  const asks = selection(record);
  // What was selected before the settings changed goes nowhere until they are asked anew.
  if (pending === undefined || record.needsEvaluation === true) return asks;
  return [pendingCommand(pending, reference, changedAt), ...asks];
}

/**
 * Answers what is to be sent when a version was just stored: what its state calls for, and who waits for a fact looks at it once more
 * soon. Whoever changed that fact in between did not see this one wait.
 */
export function nextCommands(record: WorkloadRecord): readonly OpenCommand[] {
  const waits = record.pending?.waits ?? [];
  if (!waits.some(isForOthers)) return openCommands(record);
  const soon = plus(record.changedAt, recheckPause);
  return openCommands(record).map((open) =>
    open.command.command === "Wake" ? { ...open, at: epochMs(Math.min(open.at, soon)) } : open,
  );
}

/** The pause after a failed try has a timer of its own. */
function isForOthers({ reason, until }: ClosedGate): boolean {
  return retryOf(reason) === "wake" || (isAway(reason) && until === undefined);
}

/**
 * Makes an extra look at the gates of a held update, because a fact that it may wait for has changed.
 *
 * @param hint - who wakes it, and when: the same for the same waking told again, and no other.
 */
export function wakeNow(record: WorkloadRecord, hint: string): Wake {
  return { command: "Wake", ...referenceTo(record, record.pending), hint };
}

/** Makes an extra look at an update that is on its way, because the cluster moved; `hint` as in {@link wakeNow}. */
export function checkNow(record: WorkloadRecord, hint: string): CheckRollout {
  return { command: "CheckRollout", ...referenceTo(record, record.active), hint };
}

function referenceTo(
  { workload, uid, seq, version }: WorkloadRecord,
  update: Pick<PendingUpdate, "correlationId"> = {},
): StateReference {
  return { workload, uid, seq, version, ...correlationOf(update) };
}

/** Answers when someone must have worked on a record again; undefined when nothing is open. */
export function dueOf(record: WorkloadRecord): EpochMs | undefined {
  return earliest(openCommands(record).map(({ dueAt }) => dueAt));
}

/**
 * How long the next look at a rollout is kept back: a third of the time it has taken so far, from a second to half a minute. When the pods
 * began to run is told by the cluster, so that a later look makes nothing later but its own fact.
 */
export function checkAgainAfter(from: EpochMs, now: EpochMs): DurationMs {
  return durationMs(Math.min(30_000, Math.max(1_000, Math.round(since(from, now) / 3))));
}

/** Answers when a pending update is looked at next: when the first of its gates opens by itself, and never later than {@link longestWait}. */
export function wakesAt(pending: PendingUpdate, changedAt: EpochMs): EpochMs {
  if (pending.waits.some(({ reason }) => reason === "rollout-in-progress")) return changedAt;
  const opens = pending.waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
  return earliest([...opens, plus(changedAt, longestWait)]) ?? changedAt;
}

function paused(open: OpenCommand, until: EpochMs | undefined): OpenCommand {
  return until === undefined ? open : { ...open, at: until, dueAt: plus(until, patience) };
}

function activeCommand(active: ActiveUpdate, reference: StateReference, changedAt: EpochMs): OpenCommand {
  switch (active.status) {
    case "released":
      return rollOut(reference, changedAt, patience);
    case "patching":
      return rollOut(reference, changedAt, patchPatience);
    case "rolling-out":
      return checkOf(active, reference, changedAt);
    case "rolling-back": {
      const { rollback } = active;
      if (rollback.kind === "patching") return check(reference, changedAt);
      const next = plus(changedAt, checkAgainAfter(rollback.at, changedAt));
      return check(reference, next, pastDeadline(rollback.deadlineAt, changedAt));
    }
  }
}

function checkOf(
  { patchedAt, progress }: RollingOutUpdate,
  reference: StateReference,
  changedAt: EpochMs,
): OpenCommand {
  switch (progress.kind) {
    case "progressing": {
      const next = plus(changedAt, checkAgainAfter(patchedAt, changedAt));
      return check(reference, next, pastDeadline(progress.deadlineAt, changedAt));
    }
    case "waiting":
      return check(reference, plus(changedAt, waitingPause), plus(changedAt, longestWait));
    case "running":
      return check(reference, progress.running.settlesAt);
  }
}

function rollOut(reference: StateReference, changedAt: EpochMs, waits: DurationMs): OpenCommand {
  return { command: { command: "RollOut", ...reference }, at: changedAt, dueAt: plus(changedAt, waits) };
}

function check(reference: StateReference, at: EpochMs, dueAt = plus(at, patience)): OpenCommand {
  return { command: { command: "CheckRollout", ...reference }, at, dueAt };
}

function pastDeadline(deadlineAt: EpochMs, changedAt: EpochMs): EpochMs {
  return plus(epochMs(Math.max(deadlineAt, changedAt)), patience);
}

function pendingCommand(pending: PendingUpdate, reference: StateReference, changedAt: EpochMs): OpenCommand {
  const at = wakesAt(pending, changedAt);
  return { command: { command: "Wake", ...reference }, at, dueAt: plus(at, patience) };
}

function selection(record: WorkloadRecord): readonly OpenCommand[] {
  const again = record.selectionFailures.some(({ reason }) => {
    const retry = retryOf(reason);
    return retry === "registry" || retry === "registry-outage";
  });
  if (!record.tracked || !(record.needsEvaluation === true || again)) return [];
  const first =
    record.needsEvaluation === true
      ? record.failedEvaluations === undefined
        ? durationMs(0)
        : clusterPause
      : registryPause;
  const at = plus(record.changedAt, pauseAfter(record.failedEvaluations ?? 0, first));
  const id = `${record.uid}:${record.version}`;
  const because = record.needsEvaluation === true ? "changed" : "registry asked again";
  return [
    { command: { command: "EvaluateWorkload", id, workload: record.workload, because }, at, dueAt: plus(at, patience) },
  ];
}
