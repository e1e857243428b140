import { namedChannels } from "../../annotations/notices.ts";
import { correlationOf } from "../state/correlation.ts";
import type { Fact, FactName } from "../events.ts";
import type { ApprovalChange, Transition, WorkloadRecord } from "../state/workload.ts";

const nameOf = {
  tracked: "WorkloadTracked",
  observed: "WorkloadChanged",
  untracked: "WorkloadUntracked",
  held: "UpdateHeld",
  "still-waiting": "UpdateHeld",
  waiting: "RolloutWaiting",
  released: "UpdateReleased",
  patching: "RolloutPrepared",
  patched: "RolloutStarted",
  running: "WorkloadRunning",
  failing: "RolloutFailed",
  "rolling-back": "RollbackStarted",
  approved: "ApprovalGiven",
  rejected: "ApprovalRejected",
  unblocked: "HoldEnded",
  "digests-unblocked": "DigestsUnblocked",
  suspended: "WorkloadSuspended",
  resumed: "WorkloadResumed",
  "version-kept": "VersionKept",
  "tag-skipped": "TagSkipped",
  "evidence-imported": "EvidenceImported",
  succeeded: "RolloutSucceeded",
  "rolled-back": "RolledBack",
  "rollback-failed": "RollbackFailed",
  failed: "RolloutFailed",
  reverted: "RevertedByUser",
  superseded: "UpdateSuperseded",
} as const satisfies Readonly<Record<Transition["what"], FactName>>;

/**
 * Returns the facts of one version of a record, in the order of its transitions.
 *
 * A version always gives the same facts with the same ids, so receivers can drop repeats.
 */
export function factsOf(record: WorkloadRecord): readonly Fact[] {
  return record.transitions.flatMap((transition) => [
    factOf(record, transition),
    ...(transition.approval ?? []).map((change) => approvalFact(record, transition, change)),
  ]);
}

/** Returns the name of the fact about a transition. */
export function factNameOf({ what }: Pick<Transition, "what">): FactName {
  return nameOf[what];
}

const approvalNameOf = {
  requested: "ApprovalRequested",
  given: "ApprovalGiven",
  expired: "ApprovalExpired",
  voided: "ApprovalVoided",
} as const satisfies Readonly<Record<ApprovalChange["what"], FactName>>;

function approvalFact(record: WorkloadRecord, transition: Transition, { what, people }: ApprovalChange): Fact {
  const { detail, selected, ...about } = transition;
  const named = people.length === 0 ? {} : { detail: people.join(", ") };
  return factOf(record, { ...about, ...named }, approvalNameOf[what]);
}

function factOf(record: WorkloadRecord, transition: Transition, name = factNameOf(transition)): Fact {
  const update = originOf(record, transition);
  const channels = namedChannels(record.observed.annotations);
  return {
    name,
    id: [record.uid, transition.seq, record.version, name].join("/"),
    workload: record.workload,
    uid: record.uid,
    seq: transition.seq,
    version: record.version,
    at: record.changedAt,
    changes: transition.changes,
    reasons: transition.reasons,
    ...(update.detectedAt === undefined ? {} : { detectedAt: update.detectedAt }),
    ...(update.source === undefined ? {} : { source: update.source }),
    ...correlationOf(update),
    ...(transition.selected === true ? { selected: true } : {}),
    ...(transition.detail === undefined ? {} : { detail: transition.detail }),
    ...(transition.again === true ? { again: true } : {}),
    ...(channels.length === 0 ? {} : { channels }),
  };
}

/** Returns the time, source and push of an update's detection. */
export function originOf(
  { active, pending, last }: WorkloadRecord,
  transition: Transition,
): Pick<Transition, "detectedAt" | "source" | "correlationId"> {
  return [active, pending, last].find((update) => update?.seq === transition.seq) ?? transition;
}
