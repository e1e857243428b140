import { originOf } from "./facts.ts";
import { type EpochMs, since } from "../shared/time.ts";
import {
  type ActiveUpdate,
  type PendingUpdate,
  type RollingOutUpdate,
  runningOf,
  type Transition,
  type WorkloadRecord,
} from "./states.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import { workloadKey } from "../workload/workload.ts";

/**
 * What Lookout measures of itself, by name, with CloudWatch's unit.
 *
 * `Milliseconds` are spans that are over, `Seconds` ages of what is still open, `Count` are things that happened.
 */
export const metrics = {
  /** From the push, as its sender dates it, to the selection of an update. */
  PushToSelectedMs: "Milliseconds",
  /** From the opening of an update's last gate to its patch. */
  ReleasedToPatchedMs: "Milliseconds",
  /** From the patch until all pods run. */
  PatchedToRunningMs: "Milliseconds",
  /** From the push until all pods run, less what the update waited at its gates. */
  PushToRunningMs: "Milliseconds",
  /** How long an update waits at its gates already: each time that it is looked at, every six hours at the least, and when it is released. */
  HeldSeconds: "Seconds",
  /** Updates that a gate keeps back, or other gates than before. */
  UpdatesHeld: "Count",
  UpdatesSucceeded: "Count",
  /** Updates that do not run, and nothing that runs was put back. */
  UpdatesFailed: "Count",
  /** Updates that did not run, and what ran before was put back. */
  UpdatesRolledBack: "Count",
  UpdatesSuperseded: "Count",
  /** Open updates that the reaper found in nobody's hands: each minute in which it finds any. */
  UpdatesOverdue: "Count",
  /** Pushes to repositories that a workload is subscribed to, those that a sweep tells of among them. */
  PushesReceived: "Count",
  /** Sweeps of a repository that found what nobody had told of. */
  EventsMissed: "Count",
  /** Sweeps of a repository that its registry did not answer, or denied. */
  RegistryRefusals: "Count",
  /** How long looks at a cluster fail already, at each that does. */
  ClusterUnreachableSeconds: "Seconds",
  /** How long ago a cluster was last looked at: each minute, once a look is late. */
  InventoryAgeSeconds: "Seconds",
  /** Notifications that no receiver took. */
  WebhooksRejected: "Count",
  /** Messages that failed five times, or that no retry can help. */
  MessagesDeadLettered: "Count",
  /** Sweeps that the schedule began: the heartbeat. */
  SweepsStarted: "Count",
} as const satisfies Readonly<Record<string, "Milliseconds" | "Seconds" | "Count">>;

/** One of {@link metrics}. */
export type MetricName = keyof typeof metrics;

/** One value of a metric, and what it is about: the workload, the repository, the reason. */
export interface Measurement {
  readonly name: MetricName;
  readonly value: number;
  /** For the log beside the value; none of it makes a series of its own. */
  readonly about: Readonly<Record<string, string>>;
}

/**
 * Derives what one version of a record measures, in the order of what happened in it; mostly nothing.
 *
 * The same version always measures the same. Whoever tells a version twice counts it twice: changes are handed on at least once, and a
 * count has no identity to know it by. A workload that restarts while it settles is measured again when it runs again.
 */
export function measurementsOf(record: WorkloadRecord): readonly Measurement[] {
  return record.transitions.flatMap((transition) => {
    const { source } = originOf(record, transition);
    const about = { ...aboutOf(record, transition.seq, source), ...aboutReasons(transition.reasons) };
    return [...selectionOf(record, transition), ...valuesOf(record, transition)].map((value) => ({ ...value, about }));
  });
}

/** Measures how long the held update of a record waits already, and for what; empty when none is held. */
export function heldMeasurements(record: WorkloadRecord, now: EpochMs): readonly Measurement[] {
  const { pending } = record;
  if (pending === undefined) return [];
  const { name, value } = heldFor(pending, now);
  return [{ name, value, about: { ...aboutOf(record, pending.seq, pending.source), ...aboutReasons(pending.waits) } }];
}

/** Answers the whole and broken seconds from one instant to another, never less than none: clocks differ. */
export function secondsBetween(from: EpochMs, to: EpochMs): number {
  return Math.max(0, since(from, to)) / 1_000;
}

/** A measurement without what is the same for all of one transition. */
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
    case "unblocked":
    case "reverted":
    case "blocked":
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

/** Each reason once, sorted: the same wait always reads the same. */
function aboutReasons(gates: readonly ClosedGate[]): Readonly<Record<string, string>> {
  return gates.length === 0 ? {} : { reasons: [...new Set(gates.map(({ reason }) => reason))].toSorted().join(" ") };
}

function aboutOf(
  { workload }: WorkloadRecord,
  seq: number,
  source: string | undefined,
): Readonly<Record<string, string>> {
  return { workload: workloadKey(workload), update: String(seq), ...(source === undefined ? {} : { source }) };
}
