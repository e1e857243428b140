import { obstaclePause, longestWait, waitsForRegistry } from "./record.ts";
import { type DurationMs, durationMs, earliest, type EpochMs, plus, seconds, since } from "./time.ts";
import type { ActiveUpdate, Limits, PendingUpdate, WorkloadRecord } from "./update.ts";
import type { StateReference, Work } from "./work.ts";

/** A piece of work that a state calls for, and how long to keep it back. */
export interface NextWork {
  readonly work: Work;
  readonly delay: DurationMs;
}

/**
 * Answers what the state of a record calls for: whoever writes a version sends this, and whoever finds it unsent sends it again.
 *
 * At most one piece of work for the active update, one for the pending one, and one look at the registry. Empty: nothing is open.
 */
export function nextWork(record: WorkloadRecord, now: EpochMs, limits: Limits): readonly NextWork[] {
  const reference: StateReference = { workload: record.workload, uid: record.uid, seq: record.seq, version: record.version };
  return [
    ...(record.active === undefined ? [] : [activeWork(record.active, reference, now, limits)]),
    ...(record.pending === undefined || record.active !== undefined ? [] : [pendingWork(record, record.pending, reference, now)]),
    ...(needsElection(record) ? [electionWork(record)] : []),
  ];
}

/** How long the next look at a rollout is kept back: a fifth of the time it has taken so far, from half a second to half a minute. */
export function lookAgainAfter(from: EpochMs, now: EpochMs): DurationMs {
  return durationMs(Math.min(30_000, Math.max(500, Math.round(since(from, now) / 5))));
}

function activeWork(active: ActiveUpdate, reference: StateReference, now: EpochMs, limits: Limits): NextWork {
  const check = (delay: DurationMs): NextWork => ({ work: { command: "CheckRollout", ...reference }, delay });
  if (active.status === "released" || (active.status === "rolling-out" && active.patchedAt === undefined))
    return { work: { command: "RollOut", ...reference }, delay: durationMs(0) };
  if (active.status === "rolling-back") return check(active.backAt === undefined ? durationMs(0) : lookAgainAfter(active.backAt, now));
  if (active.standingStill !== undefined) return check(seconds(30));
  if (active.running !== undefined) return check(until(plus(active.running.seenAt, limits.settle), now));
  return check(lookAgainAfter(active.patchedAt ?? now, now));
}

function pendingWork(record: WorkloadRecord, pending: PendingUpdate, reference: StateReference, now: EpochMs): NextWork {
  if (pending.waits.some(({ reason }) => reason === "settings-changed")) return electionWork(record);
  const wake = { command: "Wake", ...reference } as const;
  if (pending.waits.some(({ reason }) => reason === "rollout-in-progress")) return { work: wake, delay: durationMs(0) };
  const opens = pending.waits.flatMap((wait) => (wait.until === undefined ? [] : [wait.until]));
  const at = earliest([...opens, plus(now, longestWait)]) ?? now;
  return { work: wake, delay: until(at, now) };
}

function needsElection(record: WorkloadRecord): boolean {
  return record.tracked && (waitsForRegistry(record) || record.observed.containers.some(({ baseline }) => baseline === undefined));
}

function electionWork(record: WorkloadRecord): NextWork {
  const id = `${record.uid}:${String(record.version)}`;
  const because = waitsForRegistry(record) ? "registry asked again" : "changed";
  return {
    work: { command: "EvaluateWorkload", id, workload: record.workload, because },
    delay: waitsForRegistry(record) ? obstaclePause : durationMs(0),
  };
}

function until(at: EpochMs, now: EpochMs): DurationMs {
  return durationMs(Math.min(longestWait, Math.max(0, at - now)));
}
