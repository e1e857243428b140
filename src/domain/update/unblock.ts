import { advance, type Step } from "./record.ts";
import type { WorkloadRecord } from "./states.ts";

/** Ends the hold of a workload and unblocks its digests; undefined: it has neither. */
export function unblock(record: WorkloadRecord, by: string, step: Step): WorkloadRecord | undefined {
  // The user can't know of the digest that is being rolled back now, so it stays blocked.
  const kept = record.blocked.filter(
    ({ seq }) => record.active?.status === "rolling-back" && seq === record.active.seq,
  );
  const unblocked = record.blocked.filter((digest) => !kept.includes(digest));
  if (record.hold === undefined && unblocked.length === 0) return undefined;
  const images = unblocked.map(({ repository, tag }) => `${repository}:${tag}`);
  const detail = [record.hold === undefined ? undefined : "hold", ...images]
    .filter((part) => part !== undefined)
    .join(", ");
  const transitions = [{ seq: 0, what: "unblocked", reasons: [], changes: [], detail: `${detail}; by ${by}` }] as const;
  return advance(
    record,
    step,
    { hold: undefined, blocked: kept, ...(record.tracked ? { needsEvaluation: true } : {}) },
    transitions,
  );
}
