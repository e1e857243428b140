import type { ApprovalRules } from "../approval/approvers.ts";
import { type Asker, mayLiftRejections } from "../approval/asker.ts";
import { advance, type Step } from "./record.ts";
import { isRejection, type WorkloadRecord } from "./states.ts";

/**
 * Ends the hold of a workload and unblocks its digests. Returns undefined if there is no hold and
 * no digest to unblock.
 *
 * Rejected digests stay blocked, unless the sender may decide about the workload.
 */
export function unblock(
  record: WorkloadRecord,
  asker: Asker,
  rules: ApprovalRules,
  step: Step,
): WorkloadRecord | undefined {
  const mayLift = mayLiftRejections(record.workload, asker, rules);
  // The user can't know the digest that is being rolled back now, so this digest stays blocked.
  const kept = record.blocked.filter(
    (one) =>
      (record.active?.status === "rolling-back" && one.seq === record.active.seq) || (isRejection(one) && !mayLift),
  );
  const unblocked = record.blocked.filter((digest) => !kept.includes(digest));
  const { restored = [], limited = [] } = record;
  const held = [...unblocked, ...restored, ...limited];
  if (record.hold === undefined && held.length === 0) return undefined;
  const images = held.map(({ imageName, tag }) => `${imageName}:${tag}`);
  const detail = [record.hold === undefined ? undefined : "hold", ...images]
    .filter((part) => part !== undefined)
    .join(", ");
  const told = `${detail}; by ${asker.by}`;
  const transitions = [{ seq: 0, what: "unblocked", reasons: [], changes: [], detail: told }] as const;
  return advance(
    record,
    step,
    {
      hold: undefined,
      blocked: kept,
      restored: undefined,
      limited: undefined,
      ...(record.tracked ? { needsEvaluation: true } : {}),
    },
    transitions,
  );
}
