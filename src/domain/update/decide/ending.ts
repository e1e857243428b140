import { selectionStillHolds } from "./re-evaluation.ts";
import { remembering } from "./unreleased.ts";
import { blockedBy, blockRemoved, blockRemovedBeside, blockRemovedUpdate, keepNewest } from "./manual-change.ts";
import { isNumberTaken, isRolledBack, labelledSeq } from "./unknown-update.ts";
import { appliedAgain, landedOn, whyAppliedAgain, withRestored } from "./applied-again.ts";
import { findBlocked } from "./desired-image.ts";
import { isReplacedByRequest, keptAfter } from "./kept-image.ts";
import { holdAfter, observedFrom, wasReverted } from "./observed-changes.ts";
import { isAway, type Reason } from "../../shared/reasons.ts";
import { type Decision, endingOf, inOrder, type StateChanges, withChanges } from "../state/changes.ts";
import {
  type ActiveUpdate,
  type EndedUpdate,
  openCoreOf,
  overtaken,
  type PendingUpdate,
  type RejectedUpdate,
  type RollingOutUpdate,
  type UnpatchedUpdate,
  type WorkloadRecord,
} from "../state/workload.ts";
import { withoutDigests } from "../../workload/repository-digest.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import { findSkip } from "../../workload/control.ts";
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
  now: EpochMs,
): Decision {
  if (record.pending !== undefined) return joinNewer(record, active, record.pending, waits, now);
  const { clusterFailures = 0, ...core } = openCoreOf(active);
  const failures = waits.some(({ reason }) => isAway(reason)) ? { clusterFailures: clusterFailures + 1 } : {};
  const { seq, changes } = active;
  const isObserved = waits.some(({ reason }) => reason === "observe");
  const observed = isObserved ? ({ observed: true } as const) : {};
  return {
    changes: {
      ...remembering(record, isObserved ? changes : []),
      active: undefined,
      pending: { ...core, ...failures, status: "held", waits, ...observed },
    },
    transitions: [{ seq, what: "held", reasons: waits, changes }],
  };
}

/**
 * Ends an update that people no longer want since its release: they requested a version, rolled back, or skip its tag.
 * Returns undefined if it is still wanted.
 */
export function endUnwanted(record: WorkloadRecord, active: UnpatchedUpdate, now: EpochMs): Decision | undefined {
  const reason = whyUnwanted(record, active, now);
  if (reason === undefined) return undefined;
  if (record.pending !== undefined) return joinNewer(record, active, record.pending, [], now);
  const ended = overtaken(active, "superseded", { reason }, now);
  return { changes: { active: undefined, last: ended, needsEvaluation: true }, transitions: [endingOf(ended)] };
}

function whyUnwanted(
  record: WorkloadRecord,
  { seq, changes, requested }: UnpatchedUpdate,
  now: EpochMs,
): Reason | undefined {
  if (changes.some((change) => findBlocked(change, record.blocked) !== undefined)) return "digest-blocked";
  if (changes.some((change) => isReplacedByRequest(change, seq, record))) return "version-requested";
  const isSkipped = (change: ImageChange): boolean => findSkip(change, record.skips, now) !== undefined;
  return requested === undefined && changes.some(isSkipped) ? "tag-skipped" : undefined;
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
  now: EpochMs,
): Decision {
  const why = { reason: "superseded-by-a-newer-push", detail: `update ${newer.seq}` } as const;
  const ended = overtaken(active, "superseded", why, now);
  // A requested update has only the requested changes, because it may pass gates that others may not.
  const others = newer.requested === undefined ? changesBeside(active, newer) : [];
  const pauses = waits.filter(({ until }) => until !== undefined);
  const pending = {
    ...newer,
    changes: inOrder(record, [...others, ...newer.changes]),
    waits: [...pauses, ...newer.waits],
  };
  return { changes: { active: undefined, pending, last: ended }, transitions: [endingOf(ended)] };
}

/**
 * Ends the active update and observes the object. The changes of a pending update then start from
 * the images of this object.
 *
 * Digests that a user removed from other containers are blocked.
 *
 * @param also - the changes that the decision makes before the end.
 */
export function end(
  before: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  ended: EndedUpdate,
  now: EpochMs,
  also: StateChanges = {},
): Decision {
  const record = withChanges(before, also);
  const observed = observedAfter(record, ended, live, now);
  const pending = record.pending === undefined ? undefined : rebase(record.pending, observed);
  return {
    changes: {
      ...also,
      active: undefined,
      last: ended,
      observed,
      blocked: blockRemovedBeside(record, active, live, now),
      pending,
      kept: keptAfter(record, ended),
      ...(ended.status === "succeeded"
        ? {
            landed: ended,
            restored: withoutDigests(record.restored, ended.changes),
            limited: withoutDigests(record.limited, ended.changes),
            unreleased: withoutDigests(record.unreleased, ended.changes),
          }
        : {}),
      ...(ended.status === "succeeded" && selectionStillHolds(record, active, observed)
        ? {}
        : { needsEvaluation: true }),
    },
    transitions: [endingOf(ended)],
  };
}

/** Ends the active update because another object has taken the name of its object. */
export function endObjectReplaced(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  now: EpochMs,
): Decision {
  const anew = { landed: undefined, uid: live.uid, observed: observedFrom(live, undefined, undefined, now) };
  return end(record, active, live, overtaken(active, "superseded", { reason: "object-recreated" }, now), now, anew);
}

/** Ends the active update, whose object is gone or can't be rolled back. */
export function endWithoutObject(ended: Exclude<EndedUpdate, RejectedUpdate>): Decision {
  // The object may still show the patched images, which no user wrote.
  const landed = ended.patchedAt === undefined ? {} : { landed: ended };
  return {
    changes: { active: undefined, last: ended, needsEvaluation: true, ...landed },
    transitions: [endingOf(ended)],
  };
}

function changesBeside(active: UnpatchedUpdate, newer: PendingUpdate): readonly ImageChange[] {
  return active.changes.filter(({ name }) => newer.changes.every((change) => change.name !== name));
}

function rebase(pending: PendingUpdate, observed: WorkloadRecord["observed"]): PendingUpdate {
  const changes = pending.changes.map((change): ImageChange => {
    const container = observed.containers.find(({ name }) => name === change.name);
    if (container === undefined) return change;
    const { fromDigest, isFirst, ...rest } = change;
    return {
      ...rest,
      from: container.image,
      ...(container.isUnset && { isFirst: true }),
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
  now: EpochMs,
): Decision {
  const rolledBack = active.status === "rolling-back" && active.rollback.kind === "patched";
  const blocked = rolledBack ? record.blocked : blockRemovedUpdate(record, active, live, now);
  const ended = overtaken(active, "superseded", whyReplaced(active, live), now);
  return end(record, active, live, ended, now, { blocked });
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
  now: EpochMs,
): Decision {
  const replaced = whyReplaced(active, live);
  const isUnknown = replaced.reason !== "already-runs" && isNumberTaken(active, live, installation);
  const why = isUnknown ? { ...replaced, reason: "unknown-update" as const } : replaced;
  const ended = overtaken(active, "superseded", why, now);
  const also = {
    ...afterChange(record, { live, installation, appliers }, now),
    ...unknownTo(record, active, { live, installation }, now),
  };
  return end(record, active, live, ended, now, also);
}

/** Ends the active update because the object shows a patch of Lookout that the record does not know. */
export function endUnknown(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  { live, installation }: ChangedObject,
  now: EpochMs,
): Decision {
  const { detail } = whyReplaced(active, live);
  const ended = overtaken(active, "superseded", { reason: "unknown-update", detail }, now);
  return end(record, active, live, ended, now, unknownTo(record, active, { live, installation }, now));
}

/** Returns what the object's label proves: its number, and the rollback of an update. */
function unknownTo(
  record: WorkloadRecord,
  active: ActiveUpdate,
  { live, installation }: ChangedObject,
  now: EpochMs,
): StateChanges {
  const seq = Math.max(record.seq, labelledSeq(live, installation));
  if (!isRolledBack(active, live, installation)) return { seq };
  const failed = active.changes.map((change) => blockedBy(change, active.seq, "rollout-failed", now));
  return { seq, blocked: keepNewest([...record.blocked, ...failed]) };
}

/** Returns what a user's change of the object leaves in the state: restored digests, a hold, or blocked digests. */
function afterChange(
  record: WorkloadRecord,
  { live, installation, appliers }: ChangedObject,
  now: EpochMs,
): StateChanges {
  const { landed } = record;
  const restored = appliedAgain(record, landedOn(record), live, { isDoubtful: false, appliers }, now);
  if (restored !== undefined) return { landed: undefined, restored: withRestored(record, restored) };
  if (landed !== undefined && wasReverted(landed, live, installation))
    return { landed: undefined, hold: holdAfter(landed.seq, live, now) };
  return { blocked: blockRemoved(record, live, installation, now) };
}

/** Ends the active update because a manifest was applied again. Updates to other digests go on. */
export function endAppliedAgain(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  restored: readonly RestoredDigest[],
  now: EpochMs,
): Decision {
  const ended = overtaken(active, "superseded", whyAppliedAgain(restored), now);
  const changes = {
    active: undefined,
    last: ended,
    landed: undefined,
    restored: withRestored(record, restored),
    observed: observedFrom(live, undefined, record.observed, now),
    needsEvaluation: true,
  } as const;
  return { changes, transitions: [endingOf(ended)] };
}

/**
 * Ends the active update because a user reverted it, and holds the workload until it is unblocked.
 */
export function endReverted(record: WorkloadRecord, active: ActiveUpdate, live: LiveWorkload, now: EpochMs): Decision {
  const hold = holdAfter(active.seq, live, now);
  const ended = overtaken(active, "reverted", { reason: hold.reason, detail: hold.detail }, now);
  const observed = observedFrom(live, undefined, record.observed, now);
  const blocked = blockRemovedBeside(record, active, live, now);
  const changes = { active: undefined, last: ended, hold, observed, blocked, needsEvaluation: true } as const;
  return { changes, transitions: [endingOf(ended)] };
}

/**
 * Returns the images that replaced the images of an update. The reason is `already-runs` if these
 * are the desired images, and `container-gone` if the object lacks a container of the update.
 */
export function whyReplaced(
  active: ActiveUpdate,
  live: LiveWorkload,
): { readonly reason: Reason; readonly detail: string } {
  const runs = active.changes.every((change) => imageOf(live, change) === change.to);
  const isGone = active.changes.some((change) => imageOf(live, change) === undefined);
  const images = active.changes
    .map((change) => `${change.name}: ${imageOf(live, change) ?? "no such container"}`)
    .join(", ");
  return { reason: runs ? "already-runs" : isGone ? "container-gone" : "changed-by-hand", detail: images };
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
