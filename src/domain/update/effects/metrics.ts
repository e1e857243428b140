import { originOf } from "./facts.ts";
import { type EpochMs, since } from "../../shared/time.ts";
import {
  type ActiveUpdate,
  type PendingUpdate,
  type RollingOutUpdate,
  runningOf,
  type Transition,
  type WorkloadRecord,
} from "../state/workload.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import { workloadKey } from "../../workload/workload.ts";

/**
 * The metrics of Lookout, with CloudWatch's unit.
 *
 * `Milliseconds` measure finished spans, `Seconds` measure the age of open states, and `Count`
 * counts events.
 */
export const metrics = {
  /** The time from the push, by the sender's clock, to the selection of an update. */
  PushToSelectedMs: "Milliseconds",
  /** The time from the opening of an update's last gate to its patch. */
  ReleasedToPatchedMs: "Milliseconds",
  /** The time from the patch until all pods run. */
  PatchedToRunningMs: "Milliseconds",
  /** The time from the push until all pods run, without the time at the gates. */
  PushToRunningMs: "Milliseconds",
  /** The time that an update has waited at its gates, measured at each check and at the release. */
  HeldSeconds: "Seconds",
  /** Updates that begin to be held, or are held for new reasons. */
  UpdatesHeld: "Count",
  UpdatesSucceeded: "Count",
  /** Updates that failed and were not rolled back. */
  UpdatesFailed: "Count",
  /** Updates that failed and were rolled back. */
  UpdatesRolledBack: "Count",
  UpdatesSuperseded: "Count",
  /** Overdue updates that the reaper found, each minute. */
  UpdatesOverdue: "Count",
  /** Pushes to repositories with subscribers, also those that a sweep found. */
  PushesReceived: "Count",
  /** Sweeps that found a missed push. */
  EventsMissed: "Count",
  /** Pushes whose registry has another digest for the tag, or no such tag. */
  PushesDisputed: "Count",
  /** Sweeps without an answer from the registry, and pauses of requests to the registry. */
  RegistryRefusals: "Count",
  /** The time for which syncs of a cluster have failed, measured at each failed sync. */
  ClusterUnreachableSeconds: "Seconds",
  /** The age of a cluster's last sync, measured each minute while a sync is late. */
  InventoryAgeSeconds: "Seconds",
  /** Workloads whose pods run different digests of one tag, at each complete list of a cluster. */
  WorkloadsDrifting: "Count",
  /** Notifications that no receiver accepted. */
  WebhooksRejected: "Count",
  /** Deliveries of messages that failed, and that are repeated. */
  MessagesFailed: "Count",
  /** Messages that failed five times, or can't be parsed. */
  MessagesDeadLettered: "Count",
  /** Stored items that can't be read. A function counts an item once a minute, and at most 100 items. */
  RecordsUnreadable: "Count",
  /** Messages that no function tries again, for example because a record can't be read. */
  MessagesKept: "Count",
  /** Messages that a channel took. */
  ChannelTold: "Count",
  /** Sendings to a channel that failed. Most are tried again. */
  ChannelFailed: "Count",
  /** Facts that no channel told, because they were too old or a person has to act. */
  ChannelUntold: "Count",
  /** The number of the first tier with members that have not run the newest image of their group; 0 if none has. */
  TierCurrent: "Count",
  /** Members of a group that ran its newest image. */
  TierMembersAtLatest: "Count",
  /** Members of a group that count, and have not run its newest image. */
  TierMembersToUpdate: "Count",
  /** Members of a group whose updates are suspended. */
  TierMembersSuspended: "Count",
  /** The time since the first member of a group ran its newest image; 0 when no member is left. */
  TierUpgradingSeconds: "Seconds",
  /** Sweeps that the schedule started. The metric proves that the schedule runs. */
  SweepsStarted: "Count",
} as const satisfies Readonly<Record<string, "Milliseconds" | "Seconds" | "Count">>;

/** One of {@link metrics}. */
export type MetricName = keyof typeof metrics;

/**
 * The metrics of tiers, measured for a group when one of its members changes. Each is a state, which a new value
 * replaces.
 */
export const tierMetrics = [
  "TierCurrent",
  "TierMembersAtLatest",
  "TierMembersToUpdate",
  "TierMembersSuspended",
  "TierUpgradingSeconds",
] as const satisfies readonly MetricName[];

/** One value of a metric, and its subject. */
export interface Measurement {
  readonly name: MetricName;
  readonly value: number;
  /** Further fields of the log line. These fields are no dimensions. */
  readonly about: Readonly<Record<string, string>>;
}

/**
 * Returns the measurements of one version of a record, in the order of its transitions; often
 * empty.
 *
 * A change that is delivered twice counts twice. A workload that restarts while it settles is
 * measured again.
 */
export function measurementsOf(record: WorkloadRecord): readonly Measurement[] {
  return record.transitions.flatMap((transition) => {
    const { source } = originOf(record, transition);
    const about = { ...aboutOf(record, transition.seq, source), ...aboutReasons(transition.reasons) };
    return [...selectionOf(record, transition), ...valuesOf(record, transition)].map((value) => ({ ...value, about }));
  });
}

/**
 * Measures the time that the held update of a record has waited. Returns an empty list if no update
 * is held.
 */
export function heldMeasurements(record: WorkloadRecord, now: EpochMs): readonly Measurement[] {
  const { pending } = record;
  if (pending === undefined) return [];
  const { name, value } = heldFor(pending, now);
  return [{ name, value, about: { ...aboutOf(record, pending.seq, pending.source), ...aboutReasons(pending.waits) } }];
}

/** Returns the seconds between two instants, with fractions; 0 when the clocks disagree. */
export function secondsBetween(from: EpochMs, to: EpochMs): number {
  return Math.max(0, since(from, to)) / 1_000;
}

/** A measurement without its subject. */
type Value = Omit<Measurement, "about">;

function selectionOf(record: WorkloadRecord, { seq, selected }: Transition): readonly Value[] {
  if (selected !== true) return [];
  const update = [record.active, record.pending].find((open) => open?.seq === seq);
  if (update === undefined) return [];
  const { detectedAt, selectedAt } = update;
  return [{ name: "PushToSelectedMs", value: span(detectedAt, selectedAt) }];
}

const endings = {
  succeeded: "UpdatesSucceeded",
  failed: "UpdatesFailed",
  "rollback-failed": "UpdatesFailed",
  "rolled-back": "UpdatesRolledBack",
  superseded: "UpdatesSuperseded",
} as const satisfies Readonly<Partial<Record<Transition["what"], MetricName>>>;

function valuesOf(record: WorkloadRecord, { what, selected }: Transition): readonly Value[] {
  const { active, pending, changedAt } = record;
  switch (what) {
    case "held":
      return [{ name: "UpdatesHeld", value: 1 }, ...(selected === true ? [] : heldIf(pending, changedAt))];
    case "still-waiting":
      return heldIf(pending, changedAt);
    case "released":
      return selected === true ? [] : heldIf(active, changedAt);
    case "patched":
      return active?.status === "rolling-out" ? patchedOf(active) : [];
    case "running":
      return active?.status === "rolling-out" ? runOf(active) : [];
    case "succeeded":
    case "failed":
    case "rollback-failed":
    case "rolled-back":
    case "superseded":
      return [{ name: endings[what], value: 1 }];
    case "tracked":
    case "observed":
    case "untracked":
    case "waiting":
    case "patching":
    case "failing":
    case "rolling-back":
    case "approved":
    case "unblocked":
    case "digests-unblocked":
    case "suspended":
    case "resumed":
    case "version-kept":
    case "tag-skipped":
    case "base-image-moved":
    case "evidence-imported":
    case "rejected":
    case "reverted":
      return [];
  }
}

function heldIf(update: PendingUpdate | ActiveUpdate | undefined, now: EpochMs): readonly Value[] {
  return update === undefined ? [] : [heldFor(update, now)];
}

function heldFor({ selectedAt }: PendingUpdate | ActiveUpdate, now: EpochMs): Value {
  return { name: "HeldSeconds", value: secondsBetween(selectedAt, now) };
}

function patchedOf({ releasedAt, patchedAt }: RollingOutUpdate): readonly Value[] {
  return [{ name: "ReleasedToPatchedMs", value: span(releasedAt, patchedAt) }];
}

function runOf({ detectedAt, selectedAt, releasedAt, patchedAt, progress }: RollingOutUpdate): readonly Value[] {
  const running = runningOf(progress);
  if (running === undefined) return [];
  return [
    { name: "PatchedToRunningMs", value: span(patchedAt, running.since) },
    { name: "PushToRunningMs", value: span(detectedAt, selectedAt) + span(releasedAt, running.since) },
  ];
}

function span(from: EpochMs, to: EpochMs): number {
  return Math.max(0, since(from, to));
}

/** Returns each reason once, sorted, so that the same wait has the same text. */
function aboutReasons(gates: readonly WaitReason[]): Readonly<Record<string, string>> {
  return gates.length === 0 ? {} : { reasons: [...new Set(gates.map(({ reason }) => reason))].toSorted().join(" ") };
}

function aboutOf(
  { workload }: WorkloadRecord,
  seq: number,
  source: string | undefined,
): Readonly<Record<string, string>> {
  return { workload: workloadKey(workload), update: String(seq), ...(source === undefined ? {} : { source }) };
}
