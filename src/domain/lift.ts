import { advance, type Step } from "./record.ts";
import type { WorkloadRecord } from "./update.ts";

/**
 * Decides what lifting changes: the hold after a person's rollback is gone, and refused digests may be tried again.
 *
 * @returns undefined when there is nothing to lift.
 */
export function lift(record: WorkloadRecord, by: string, step: Step): WorkloadRecord | undefined {
  if (record.hold === undefined && record.refusals.length === 0) return undefined;
  const refused = record.refusals.map(({ repository, tag }) => `${repository}:${tag}`);
  const detail = [record.hold === undefined ? undefined : "hold", ...refused]
    .filter((part) => part !== undefined)
    .join(", ");
  const happened = [{ seq: 0, what: "lifted", reasons: [], changes: [], detail: `${detail}; by ${by}` }] as const;
  return advance(record, step, { hold: undefined, refusals: [], ...(record.tracked ? { toAsk: true } : {}) }, happened);
}
