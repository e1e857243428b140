import { selectionStillHolds } from "./re-evaluation.ts";
import { blockRemoved, blockRemovedBeside, blockRemovedUpdate } from "./manual-change.ts";
import { appliedAgain, landedOn, whyAppliedAgain, withRestored } from "./applied-again.ts";
import { holdAfter, observedFrom, wasReverted } from "./observed-changes.ts";
import { isAway, type Reason } from "../../shared/reasons.ts";
import { advance, endingOf, inOrder, type Step } from "../state/changes.ts";
import {
  type ActiveUpdate,
  type EndedUpdate,
  openCoreOf,
  overtaken,
  type PendingUpdate,
  type RejectedUpdate,
  type UnpatchedUpdate,
  type WorkloadRecord,
} from "../state/workload.ts";
import { withoutDigests } from "../../workload/repository-digest.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import type { ImageChange } from "../../workload/patch.ts";
import type { ApplierNames, RestoredDigest } from "../../workload/appliers.ts";
import type { ContainerState } from "../../workload/observed.ts";
import type { EpochMs } from "../../shared/time.ts";
import { imageOf, type LiveWorkload } from "../../workload/workload.ts";

/** Holds an update again because a gate closed or the cluster is unreachable. */
export function backToHeld(
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  waits: readonly WaitReason[],
  step: Step,
): WorkloadRecord {
  if (record.pending !== undefined) return joinNewer(record, active, record.pending, waits, step);
  const { clusterFailures = 0, ...core } = openCoreOf(active);
  const failures = waits.some(({ reason }) => isAway(reason)) ? { clusterFailures: clusterFailures + 1 } : {};
  const { seq, changes } = active;
  return advance(record, step, { active: undefined, pending: { ...core, ...failures, status: "held", waits } }, [
    { seq, what: "held", reasons: waits, changes },
  ]);
}

/**
 * Supersedes an update with a newer update. The newer update also gets the earlier update's pause
 * and its changes of other containers. The gates of the newer update are asked immediately.
 */
function joinNewer(
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  newer: PendingUpdate,
  waits: readonly WaitReason[],
  step: Step,
): WorkloadRecord {
  const why = { reason: "superseded-by-a-newer-push", detail: `update ${newer.seq}` } as const;
  const ended = overtaken(active, "superseded", why, step.now);
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
 * Ends the active update and observes the object. The changes of a pending update then start from
 * the images of this object.
 *
 * Digests that a user removed from other containers are blocked.
 */
export function end(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  ended: EndedUpdate,
  step: Step,
): WorkloadRecord {
  const observed = observedAfter(record, ended, live, step.now);
  const pending = record.pending === undefined ? undefined : rebase(record.pending, observed);
  return advance(
    record,
    step,
    {
      active: undefined,
      last: ended,
      observed,
      blocked: blockRemovedBeside(record, active, live, step),
      pending,
      ...(ended.status === "succeeded"
        ? {
            landed: ended,
            restored: withoutDigests(record.restored, ended.changes),
            limited: withoutDigests(record.limited, ended.changes),
          }
        : {}),
      ...(ended.status === "succeeded" && selectionStillHolds(record, active, observed)
        ? {}
        : { needsEvaluation: true }),
    },
    [endingOf(ended)],
  );
}

/** Ends the active update because another object has taken the name of its object. */
export function endObjectReplaced(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const { landed, ...rest } = record;
  const anew = { ...rest, uid: live.uid, observed: observedFrom(live, undefined, undefined, step.now) };
  return end(anew, active, live, overtaken(active, "superseded", { reason: "workload-gone" }, step.now), step);
}

/** Ends the active update, whose object is gone or can't be rolled back. */
export function endWithoutObject(
  record: WorkloadRecord,
  ended: Exclude<EndedUpdate, RejectedUpdate>,
  step: Step,
): WorkloadRecord {
  // The object may still show the patched images, which no user wrote.
  const landed = ended.patchedAt === undefined ? {} : { landed: ended };
  return advance(record, step, { active: undefined, last: ended, needsEvaluation: true, ...landed }, [endingOf(ended)]);
}

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
 * Ends the active update because a user replaced its images.
 *
 * The user's image stays, and the replaced digests are blocked.
 */
export function endReplacedByUser(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const rolledBack = active.status === "rolling-back" && active.rollback.kind === "patched";
  const blocked = rolledBack ? record.blocked : blockRemovedUpdate(record, active, live, step);
  const ended = overtaken(active, "superseded", whyReplaced(active, live), step.now);
  return end({ ...record, blocked }, active, live, ended, step);
}

/** A read of an object that a user changed, and the inputs of a judgement of the change. */
interface ChangedObject {
  readonly live: LiveWorkload;
  readonly installation: string;
  readonly appliers?: ApplierNames | undefined;
}

/**
 * Ends an update before its patch because a user changed the object.
 *
 * The removed digests are blocked. A revert of the previous update holds the workload.
 */
export function endChangedBefore(
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  { live, installation, appliers }: ChangedObject,
  step: Step,
): WorkloadRecord {
  const { landed, ...rest } = record;
  const ended = overtaken(active, "superseded", whyReplaced(active, live), step.now);
  const restored = appliedAgain(record, landedOn(record), live, { isDoubtful: false, appliers }, step);
  if (restored !== undefined)
    return end({ ...rest, restored: withRestored(record, restored) }, active, live, ended, step);
  if (landed !== undefined && wasReverted(landed, live, installation))
    return end({ ...rest, hold: holdAfter(landed.seq, live, step) }, active, live, ended, step);
  return end({ ...record, blocked: blockRemoved(record, live, installation, step) }, active, live, ended, step);
}

/** Ends the active update because a manifest was applied again. Updates to other digests go on. */
export function endAppliedAgain(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  restored: readonly RestoredDigest[],
  step: Step,
): WorkloadRecord {
  const ended = overtaken(active, "superseded", whyAppliedAgain(restored), step.now);
  const changes = {
    active: undefined,
    last: ended,
    landed: undefined,
    restored: withRestored(record, restored),
    observed: observedFrom(live, undefined, record.observed, step.now),
    needsEvaluation: true,
  } as const;
  return advance(record, step, changes, [endingOf(ended)]);
}

/**
 * Ends the active update because a user reverted it, and holds the workload until it is unblocked.
 */
export function endReverted(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const hold = holdAfter(active.seq, live, step);
  const ended = overtaken(active, "reverted", { reason: hold.reason, detail: hold.detail }, step.now);
  const observed = observedFrom(live, undefined, record.observed, step.now);
  const blocked = blockRemovedBeside(record, active, live, step);
  const changes = { active: undefined, last: ended, hold, observed, blocked, needsEvaluation: true } as const;
  return advance(record, step, changes, [endingOf(ended)]);
}

/**
 * Returns the images that replaced the images of an update. The reason is `already-runs` if these
 * are the desired images.
 */
export function whyReplaced(
  active: ActiveUpdate,
  live: LiveWorkload,
): { readonly reason: Reason; readonly detail: string } {
  const runs = active.changes.every((change) => imageOf(live, change) === change.to);
  const images = active.changes
    .map((change) => `${change.name}: ${imageOf(live, change) ?? "no such container"}`)
    .join(", ");
  return { reason: runs ? "already-runs" : "changed-by-hand", detail: images };
}

/** Returns the observed object after an update. Only a successful update proves digests. */
function observedAfter(
  record: WorkloadRecord,
  ended: EndedUpdate,
  live: LiveWorkload,
  at: EpochMs,
): WorkloadRecord["observed"] {
  const observed = observedFrom(live, undefined, record.observed, at);
  if (ended.status !== "succeeded") return observed;
  const containers = observed.containers.map((container): ContainerState => {
    const change = ended.changes.find(({ list, name }) => list === container.list && name === container.name);
    if (change === undefined) return container;
    const { seenAt: _, ...ours } = container;
    return { ...ours, digest: change.digest, baseline: change.digest };
  });
  return { ...observed, containers };
}
