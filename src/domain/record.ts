import { earliest, type EpochMs, hours, minutes, plus } from "./time.ts";
import type { ActiveUpdate, EndedUpdate, Ending, Happening, PendingUpdate, WorkloadRecord } from "./update.ts";
import type { Reason } from "./reasons.ts";

/** Who writes a version of a record, and when. */
export interface Step {
  /** Identity of the message or request. */
  readonly cause: string;
  readonly now: EpochMs;
}

/** The parts of a record that a move may change; undefined takes a part away, a missing one stays. */
export type Moves = {
  readonly [Part in "pending" | "active" | "last" | "hold" | "observed" | "refusals" | "obstacles" | "seq" | "uid" | "tracked"]?:
    | WorkloadRecord[Part]
    | undefined;
};

/**
 * Makes the next version of a record: the moves applied, `version` raised by one, `dueAt` set to what is open now.
 *
 * @param happened - what this version makes true: one entry per update at most, and one of number 0 for the workload.
 */
export function advance(record: WorkloadRecord, step: Step, moves: Moves, happened: readonly Happening[]): WorkloadRecord {
  const { dueAt: _previous, ...rest } = record;
  const next = dropUndefined({
    ...rest,
    ...moves,
    version: record.version + 1,
    cause: step.cause,
    changedAt: step.now,
    happened,
  });
  const dueAt = dueOf(next);
  return dueAt === undefined ? next : { ...next, dueAt };
}

/**
 * Makes one version of two that follow each other and of which neither is stored: what the second says holds, and both have happened.
 */
export function squash(first: WorkloadRecord | undefined, second: WorkloadRecord | undefined): WorkloadRecord | undefined {
  if (first === undefined || second === undefined) return second ?? first;
  const workload = [...first.happened, ...second.happened].filter(({ seq }) => seq === 0);
  const [of0] = workload;
  const updates = [...first.happened.filter(({ seq }) => seq !== 0 && second.happened.every((later) => later.seq !== seq)), ...second.happened];
  const merged = of0 === undefined ? [] : [{ ...of0, reasons: workload.flatMap(({ reasons }) => reasons) }];
  return { ...second, version: first.version, happened: [...merged, ...updates.filter(({ seq }) => seq !== 0)] };
}

/** The longest that a record with open work may stay without someone looking at it. */
export const longestWait = hours(6);

/** How long after the work of a state was sent it is sent again, if nothing came of it. */
const patience = minutes(1);

/** How long a registry or a repository that could not be asked is left alone. */
export const obstaclePause = minutes(1);

const retryable: ReadonlySet<Reason> = new Set<Reason>(["registry-unreachable", "registry-denied", "tag-not-found", "repository-not-found"]);

/** Says whether a container could not be elected for because of the registry: asking again later may help. */
export function waitsForRegistry(record: WorkloadRecord): boolean {
  return record.tracked && record.obstacles.some(({ reason }) => retryable.has(reason));
}

function dueOf(record: WorkloadRecord): EpochMs | undefined {
  const { changedAt, active, pending } = record;
  const due = active !== undefined ? dueOfActive(active, changedAt) : pending === undefined ? undefined : dueOfPending(pending, changedAt);
  const asked = waitsForRegistry(record) ? plus(changedAt, obstaclePause) : undefined;
  return earliest([due, asked].filter((instant) => instant !== undefined));
}

function dueOfActive(active: ActiveUpdate, changedAt: EpochMs): EpochMs {
  if (active.standingStill !== undefined) return plus(changedAt, longestWait);
  if (active.running !== undefined || active.deadlineAt === undefined) return plus(changedAt, patience);
  return plus(active.deadlineAt, patience);
}

function dueOfPending(pending: PendingUpdate, changedAt: EpochMs): EpochMs {
  const opens = pending.waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
  return earliest([...opens, plus(changedAt, longestWait)]) ?? changedAt;
}

/** Makes the ended form of an update, for people to see. */
export function endUpdate(
  update: PendingUpdate | ActiveUpdate,
  status: Ending,
  now: EpochMs,
  why: { readonly reason?: Reason; readonly detail?: string } = {},
): EndedUpdate {
  const active = update.status === "held" ? undefined : update;
  return {
    seq: update.seq,
    changes: update.changes,
    detectedAt: update.detectedAt,
    source: update.source,
    electedAt: update.electedAt,
    status,
    endedAt: now,
    ...why,
    ...(active?.patchedAt === undefined ? {} : { patchedAt: active.patchedAt }),
    ...(active?.running === undefined ? {} : { runningSince: active.running.since }),
    ...(active?.restart === undefined ? {} : { restart: active.restart }),
  };
}

/** Makes the entry that says what an ended update came to. */
export function endingOf(ended: EndedUpdate): Happening {
  const { reason, detail } = ended;
  return {
    seq: ended.seq,
    what: ended.status,
    reasons: reason === undefined ? [] : [{ reason, ...(detail === undefined ? {} : { detail }) }],
    ...(detail === undefined ? {} : { detail }),
    changes: ended.changes,
  };
}

function dropUndefined(record: { readonly [Key in keyof WorkloadRecord]: WorkloadRecord[Key] | undefined }): WorkloadRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as unknown as WorkloadRecord;
}
