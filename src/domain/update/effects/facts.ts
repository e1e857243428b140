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
  "base-image-moved": "BaseImageMoved",
  "evidence-imported": "EvidenceImported",
  succeeded: "RolloutSucceeded",
  "rolled-back": "RolledBack",
  "rollback-failed": "RollbackFailed",
  failed: "RolloutFailed",
  reverted: "RevertedByUser",
  superseded: "UpdateSuperseded",
} as const satisfies Readonly<Record<Transition["what"], FactName>>;

/** The version of a record that made a transition, with what the record says of its update. */
export interface FactOrigin extends Pick<Fact, "workload" | "uid" | "version" | "at"> {
  /** Where the update came from. */
  readonly update: Pick<Transition, "detectedAt" | "source" | "correlationId">;
  readonly channels: readonly string[];
}

/**
 * Returns the facts of one version of a record, in the order of its transitions.
 *
 * A version always gives the same facts with the same ids, so receivers can drop repeats.
 */
export function factsOf(record: WorkloadRecord): readonly Fact[] {
  const { workload, uid, version, changedAt: at } = record;
  const channels = namedChannels(record.observed.annotations);
  return record.transitions.flatMap((transition) =>
    factsOfTransition({ workload, uid, version, at, channels, update: originOf(record, transition) }, transition),
  );
}

/** Returns the fact of a transition, then the facts about its approval. */
export function factsOfTransition(origin: FactOrigin, transition: Transition): readonly Fact[] {
  return [
    factOf(origin, transition),
    ...(transition.approval ?? []).map((change) => approvalFact(origin, transition, change)),
  ];
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

function approvalFact(origin: FactOrigin, transition: Transition, { what, people }: ApprovalChange): Fact {
  // An approval changes although the update waits for the same reasons.
  const { detail, selected, again, ...about } = transition;
  const named = people.length === 0 ? {} : { detail: people.join(", ") };
  return factOf(origin, { ...about, ...named }, approvalNameOf[what]);
}

/** Returns the fact of a transition, without those about its approval. */
export function factOf(origin: FactOrigin, transition: Transition, name = factNameOf(transition)): Fact {
  const { workload, uid, version, at, update, channels } = origin;
  const { seq, changes, reasons, baseImages, selected, detail, again } = transition;
  return {
    ...{ name, id: [uid, seq, version, name].join("/"), workload, uid, seq, version, at, changes, reasons },
    ...(update.detectedAt === undefined ? {} : { detectedAt: update.detectedAt }),
    ...(update.source === undefined ? {} : { source: update.source }),
    ...correlationOf(update),
    ...(baseImages === undefined ? {} : { baseImages }),
    ...(selected === true ? { selected: true } : {}),
    ...(detail === undefined ? {} : { detail }),
    ...(again === true ? { again: true } : {}),
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
