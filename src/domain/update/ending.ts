import { isAnswered } from "./re-evaluation.ts";
import { correlationOf } from "./correlation.ts";
import { movedOff, movedOffBeside, movedOffUpdate } from "./manual-change.ts";
import { holdAfter, observedFrom, wasTakenBack } from "./observed-changes.ts";
import { isAway, type Reason } from "../shared/reasons.ts";
import { advance, endingOf, endUpdate, inOrder, type Step } from "./record.ts";
import type { ActiveUpdate, Ending, PendingUpdate, WorkloadRecord } from "./states.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { ContainerState } from "../workload/observed.ts";
import type { EpochMs } from "../shared/time.ts";
import { imageOf, type LiveWorkload } from "../workload/workload.ts";

/** Decides what becomes of a released or unsent update when a gate closed or the cluster is away: it is held again. */
export function holdAgain(
  record: WorkloadRecord,
  active: ActiveUpdate,
  waits: readonly ClosedGate[],
  step: Step,
): WorkloadRecord {
  const { seq, changes, detectedAt, source, selectedAt, timesDeadLettered } = active;
  const clusterFailures = triesAfter(active, waits);
  const desired = {
    seq,
    changes,
    detectedAt,
    source,
    selectedAt,
    ...correlationOf(active),
    ...(timesDeadLettered === undefined ? {} : { timesDeadLettered }),
    ...(clusterFailures === undefined ? {} : { clusterFailures }),
  };
  if (record.pending !== undefined) return joinNewer(record, active, record.pending, waits, step);
  const pending: PendingUpdate = { ...desired, status: "held", waits };
  return advance(record, step, { active: undefined, pending }, [{ seq, what: "held", reasons: waits, changes }]);
}

function triesAfter({ clusterFailures }: ActiveUpdate, waits: readonly ClosedGate[]): number | undefined {
  const refused = waits.some(({ reason }) => isAway(reason));
  return refused ? (clusterFailures ?? 0) + 1 : undefined;
}

/** A newer desired image waits already: it takes over the containers that it does not name itself, and the pause; its gates are asked at once. */
function joinNewer(
  record: WorkloadRecord,
  active: ActiveUpdate,
  newer: PendingUpdate,
  waits: readonly ClosedGate[],
  step: Step,
): WorkloadRecord {
  const ended = endUpdate(active, "superseded", step.now, {
    reason: "superseded-by-a-newer-push",
    detail: `update ${newer.seq}`,
  });
  const others = active.changes.filter(({ name }) => newer.changes.every((change) => change.name !== name));
  const pauses = waits.filter(({ until }) => until !== undefined);
  const pending = {
    ...newer,
    changes: inOrder(record, [...others, ...newer.changes]),
    waits: [...pauses, ...newer.waits],
  };
  return advance(record, step, { active: undefined, pending, last: ended }, [endingOf(ended)]);
}

/**
 * Ends the active update, and takes what the object shows now for what is; a newer desired image is set upon that. What a person moved other
 * containers off meanwhile is not put there again.
 */
export function end(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  status: Ending,
  why: { readonly reason?: Reason; readonly detail?: string },
  step: Step,
): WorkloadRecord {
  const ended = endUpdate(active, status, step.now, why);
  const observed = observedAfter(record, active, live, status, step.now);
  const pending = record.pending === undefined ? undefined : rebase(record.pending, observed);
  return advance(
    record,
    step,
    {
      active: undefined,
      last: ended,
      observed,
      refusals: movedOffBeside(record, active, live, step),
      pending,
      ...(status === "succeeded" ? { landed: ended } : {}),
      ...(status === "succeeded" && isAnswered(record, active, observed) ? {} : { needsEvaluation: true }),
    },
    [endingOf(ended)],
  );
}

/** Ends the active update because another object has its object's name: what that one shows is where Lookout goes on from. */
export function objectReplaced(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const { landed, ...rest } = record;
  const anew = { ...rest, uid: live.uid, observed: observedFrom(live, undefined, undefined, step.now) };
  return end(anew, active, live, "superseded", { reason: "workload-gone" }, step);
}

/** Ends the active update when its object is gone or could not be read, so that nothing is known of what it shows. */
export function endWithoutObject(
  record: WorkloadRecord,
  active: ActiveUpdate,
  status: Ending,
  why: { readonly reason: Reason; readonly detail?: string },
  step: Step,
): WorkloadRecord {
  const ended = endUpdate(active, status, step.now, why);
  // What was patched may still stand there: then it is ours, and nobody's move.
  const sent = active.patchedAt === undefined ? {} : { landed: ended };
  return advance(record, step, { active: undefined, last: ended, needsEvaluation: true, ...sent }, [endingOf(ended)]);
}

/** The desired image stays what it was; what it replaces is what is there now. */
function rebase(pending: PendingUpdate, observed: WorkloadRecord["observed"]): PendingUpdate {
  const changes = pending.changes.map((change): ImageChange => {
    const container = observed.containers.find(({ name }) => name === change.name);
    if (container === undefined) return change;
    const { fromDigest, ...rest } = change;
    return {
      ...rest,
      from: container.image,
      ...(container.digest === undefined ? {} : { fromDigest: container.digest }),
    };
  });
  return { ...pending, changes };
}

/**
 * Records that someone put another image in the place of what Lookout had written, or put back: theirs stays, and what they moved off is
 * not put there again.
 */
export function movedAway(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const refusals = active.backAt === undefined ? movedOffUpdate(record, active, live, step) : record.refusals;
  return end({ ...record, refusals }, active, live, "superseded", foreignImage(active, live), step);
}

/**
 * Records that the object was changed before the patch of an update: whoever did it has the last word, and what Lookout had put there
 * before is not put there again. A person's rollback of that holds the workload.
 */
export function changedBefore(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  installation: string,
  step: Step,
): WorkloadRecord {
  const { landed, ...rest } = record;
  const why = foreignImage(active, live);
  if (landed !== undefined && wasTakenBack(landed, live, installation))
    return end({ ...rest, hold: holdAfter(landed.seq, live, step) }, active, live, "superseded", why, step);
  return end(
    { ...record, refusals: movedOff(record, live, installation, step) },
    active,
    live,
    "superseded",
    why,
    step,
  );
}

/** Records that a person took an update back: no update of the workload goes on before the hold is lifted. */
export function takenBack(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const hold = holdAfter(active.seq, live, step);
  const ended = endUpdate(active, "reverted", step.now, { reason: hold.reason, detail: hold.detail });
  const observed = observedFrom(live, undefined, record.observed, step.now);
  const refusals = movedOffBeside(record, active, live, step);
  const moves = { active: undefined, last: ended, hold, observed, refusals, needsEvaluation: true } as const;
  return advance(record, step, moves, [endingOf(ended)]);
}

/** Says what someone put in the place of an update's images, and whether that is just what was wanted. */
export function foreignImage(
  active: ActiveUpdate,
  live: LiveWorkload,
): { readonly reason: Reason; readonly detail: string } {
  const runs = active.changes.every((change) => imageOf(live, change) === change.to);
  const images = active.changes
    .map((change) => `${change.name}: ${imageOf(live, change) ?? "no such container"}`)
    .join(", ");
  return { reason: runs ? "already-runs" : "changed-by-hand", detail: images };
}

/** After our own write the digests are known; after anyone else's they are to be asked for. */
function observedAfter(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  status: Ending,
  at: EpochMs,
): WorkloadRecord["observed"] {
  const observed = observedFrom(live, undefined, record.observed, at);
  if (status !== "succeeded") return observed;
  const containers = observed.containers.map((container): ContainerState => {
    const change = active.changes.find(({ list, name }) => list === container.list && name === container.name);
    if (change === undefined) return container;
    const { seenAt: _, ...ours } = container;
    return { ...ours, digest: change.digest, baseline: change.digest };
  });
  return { ...observed, containers };
}
