import { advance, type Step } from "./record.ts";
import type { WorkloadRecord } from "./states.ts";

/**
 * Decides what lifting changes: the hold after a person's rollback is gone, and refused digests may be tried again.
 *
 * @returns undefined when there is nothing to lift.
 */
export function lift(record: WorkloadRecord, by: string, step: Step): WorkloadRecord | undefined {
  // What is being rolled back at this moment did not run: that refusal is not the one that a person read about.
  const kept = record.refusals.filter(
    ({ seq }) => record.active?.status === "rolling-back" && seq === record.active.seq,
  );
  const lifted = record.refusals.filter((refusal) => !kept.includes(refusal));
  if (record.hold === undefined && lifted.length === 0) return undefined;
  const refused = lifted.map(({ repository, tag }) => `${repository}:${tag}`);
  const detail = [record.hold === undefined ? undefined : "hold", ...refused]
    .filter((part) => part !== undefined)
    .join(", ");
  const transitions = [{ seq: 0, what: "unblocked", reasons: [], changes: [], detail: `${detail}; by ${by}` }] as const;
  return advance(
    record,
    step,
    { hold: undefined, refusals: kept, ...(record.tracked ? { needsEvaluation: true } : {}) },
    transitions,
  );
}
