import { type Step, stepsOf } from "../history/steps.ts";
import { endings, type Transition } from "../update/state/workload.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import type { EpochMs } from "../shared/time.ts";
import { factOf, type FactOrigin } from "../update/effects/facts.ts";
import { correlationOf } from "../update/state/correlation.ts";
import type { ImageChange } from "../workload/patch.ts";
import { parseWorkloadKey, type WorkloadName } from "../workload/workload.ts";
import { type Outcome, outcomeOf, type Severity, severities, severityOf } from "./words.ts";

/** A decision about a workload, as the ledger has it. */
export interface DecisionRow {
  /** The key of the workload. */
  readonly workload: string;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  readonly at: EpochMs;
  readonly correlationId?: string;
  readonly transition: Transition;
}

/** How one update stands, with the steps that led there. */
export interface UpdateStory {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly seq: number;
  readonly outcome: Outcome;
  /** The severity of the newest step that tells of a change. */
  readonly severity: Severity;
  readonly changes: readonly ImageChange[];
  /** Why the update waits, or why it ended. Empty if nothing is wrong. */
  readonly reasons: readonly WaitReason[];
  readonly steps: readonly Step[];
  /** The instant of the newest step. */
  readonly at: EpochMs;
  /** Where Lookout learned of the image, and when. Absent if the rows don't tell. */
  readonly found?: { readonly source: string; readonly at: EpochMs };
  readonly isEnded: boolean;
}

/** How all updates of a message stand: one update, or those of one push. */
export interface Story {
  /** The updates to show, those with problems first. */
  readonly updates: readonly UpdateStory[];
  /** The number of all updates, by outcome. */
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  readonly total: number;
  /** The severity of the worst update. */
  readonly severity: Severity;
  readonly isEnded: boolean;
}

/** The largest number of updates that a message shows by name. */
export const mostNamed = 10;

/**
 * Returns how an update stands, from rows of its workload's ledger. Returns undefined if the rows tell
 * nothing of the update.
 */
export function updateStory(rows: readonly DecisionRow[], { seq }: Pick<DecisionRow, "seq">): UpdateStory | undefined {
  const own = rows.filter((row) => row.seq === seq).toSorted((one, other) => one.version - other.version);
  const last = own.at(-1);
  const parsed = last && parseWorkloadKey(last.workload);
  if (last === undefined || parsed?.ok !== true) return undefined;
  const { value: workload } = parsed;
  const found = foundIn(own);
  const origin = found && { source: found.source, detectedAt: found.at };
  const facts = own.map((row) => ({ ...factOf(originOfRow(row, workload), row.transition), ...origin }));
  // A decision that only repeats the last one says nothing about the outcome.
  const lastFact = facts.findLast((fact) => outcomeOf(fact) !== "none") ?? facts.at(-1);
  if (lastFact === undefined) return undefined;
  const changes = facts.findLast((fact) => fact.changes.length > 0)?.changes ?? [];
  const outcome = outcomeOf(lastFact);
  return {
    workload,
    uid: last.uid,
    seq,
    outcome,
    severity: isAsked({ outcome, reasons: lastFact.reasons }) ? "action" : severityOf(lastFact),
    changes,
    reasons: lastFact.reasons,
    steps: withoutRepeats(facts.flatMap(stepsOf)),
    at: last.at,
    ...(found === undefined ? {} : { found }),
    isEnded: own.some(({ transition }) => endings.some((ending) => ending === transition.what)),
  };
}

function foundIn(rows: readonly DecisionRow[]): UpdateStory["found"] {
  for (const { transition } of rows) {
    const { source, detectedAt: at } = transition;
    if (source !== undefined && at !== undefined) return { source, at };
  }
  return undefined;
}

/** Returns whether a person is asked to approve an update. */
export function isAsked({ outcome, reasons }: Pick<UpdateStory, "outcome" | "reasons">): boolean {
  return outcome === "waiting" && reasons.some(({ reason }) => reason === "needs-approval");
}

/**
 * Returns what the facts of a ledger's row tell of besides its transition. `channels` are those that the
 * annotations name now, because the row does not have those of then.
 */
export function originOfRow(
  { uid, version, at, correlationId, transition }: DecisionRow,
  workload: WorkloadName,
  channels: readonly string[] = [],
): FactOrigin {
  return { workload, uid, version, at, channels, update: { ...transition, ...correlationOf({ correlationId }) } };
}

/** Returns the story of several updates. `total` and `counts` count all of them, also those not given. */
export function storyOf(
  updates: readonly UpdateStory[],
  counts: Readonly<Partial<Record<Outcome, number>>> = countsOf(updates),
): Story {
  const rank = (update: UpdateStory) => severities.indexOf(update.severity);
  const shown = updates.toSorted((one, other) => rank(other) - rank(one)).slice(0, mostNamed);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const [worst] = shown;
  const open = (counts.waiting ?? 0) + (counts["in-progress"] ?? 0) + (counts.none ?? 0);
  return {
    updates: shown,
    counts,
    total,
    severity: worst?.severity ?? "info",
    isEnded: open === 0 && shown.every((update) => update.isEnded),
  };
}

/** Counts updates by their outcomes. */
export function countsOf(updates: readonly Pick<UpdateStory, "outcome">[]): Readonly<Partial<Record<Outcome, number>>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of updates) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Leaves out a step that says the same as the one before it. */
function withoutRepeats(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ word, text }, index) => {
    const before = steps[index - 1];
    return before?.word !== word || before.text !== text;
  });
}

/** The trouble of a workload: what its last update led to, as long as nothing made it good. */
export interface Trouble {
  readonly severity: Extract<Severity, "error" | "critical">;
  readonly update: UpdateStory;
}

/**
 * Returns the trouble that rows of a workload's ledger show, or undefined if it has none.
 *
 * An update that failed is trouble until another one succeeds, a person ends its hold, or the
 * workload is no longer tracked. A failure that a rollback may still mend is no trouble yet.
 */
export function troubleOf(rows: readonly DecisionRow[]): Trouble | undefined {
  const newestFirst = rows.toSorted((one, other) => other.version - one.version || other.seq - one.seq);
  const last = newestFirst.find(({ transition: { what } }) => what in failures || recoveries.has(what));
  const severity = last && (failures as Partial<Record<string, Trouble["severity"]>>)[last.transition.what];
  const update = last && severity && updateStory(rows, last);
  return update === undefined || severity === undefined ? undefined : { severity, update };
}

/** The ways in which an update leaves trouble, and how bad it is. */
const failures = { "rollback-failed": "critical", failed: "error", "rolled-back": "error" } as const;

/** What makes the trouble of a workload good. */
const recoveries: ReadonlySet<Transition["what"]> = new Set([
  "succeeded",
  "unblocked",
  "digests-unblocked",
  "untracked",
]);
