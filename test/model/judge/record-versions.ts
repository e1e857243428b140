import { declaredVersionsSetting } from "#domain/definitions/declared-settings";
import { deepEqual } from "#domain/shared/deep-equal";
import { approvalWait } from "#domain/update/effects/approval-index";
import { factsOf } from "#domain/update/effects/facts";
import { openCommands } from "#domain/update/effects/commands";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Complain } from "./complain.ts";

/**
 * Returns the broken promises of a new record version, with its transitions.
 *
 * @param factIds - the ids of all facts so far. The function adds the ids of this version.
 */
export function brokenBy(
  before: WorkloadRecord | undefined,
  next: WorkloadRecord,
  factIds: Set<string>,
): readonly string[] {
  const open = next.active !== undefined || next.pending !== undefined;
  const ids = factsOf(next).map(({ id }) => id);
  const promises: Readonly<Record<string, boolean>> = {
    "the version rises by one": next.version === (before?.version ?? 0) + 1,
    "the number of the newest update never falls": next.seq >= (before?.seq ?? 0),
    "the version has a transition, another place among tiers, another digest of a base image, another label, or other definitions":
      next.transitions.length > 0 || !deepEqual(untoldOf(before), untoldOf(next)),
    "a held update has a reason": next.pending?.waits.length !== 0,
    "an open update has a next command": !open || openCommands(next).length > 0,
    "a record with a next command is due": (next.effects.dueAt !== undefined) === openCommands(next).length > 0,
    "the pending update is newer than the active update": (next.pending?.seq ?? Infinity) > (next.active?.seq ?? 0),
    "no update has a higher number than the newest": [next.active, next.pending, next.last].every(
      (some) => (some?.seq ?? 0) <= next.seq,
    ),
    "the index of waiting approvals follows the record": next.effects.approvalWait === approvalWait(before ?? {}, next),
    "status never goes backwards": before === undefined || !wentBackwards(before, next),
    "no fact is published twice": new Set(ids).size === ids.length && ids.every((id) => !factIds.has(id)),
  };
  for (const id of ids) factIds.add(id);
  return Object.entries(promises)
    .filter(([, kept]) => !kept)
    .map(([promise]) => `not so: ${promise}: ${JSON.stringify(next.transitions)}`);
}

/** Returns the parts of a record that change without a transition. */
function untoldOf(record: WorkloadRecord | undefined): unknown {
  const { annotations, labels } = record?.observed ?? {};
  return [record?.member, record?.baseImages, labels, annotations?.[`lookout.dev/${declaredVersionsSetting}`]];
}

const stages = { released: 1, patching: 2, "rolling-out": 3, "rolling-back": 4 } as const;

function stageOf(record: WorkloadRecord, seq: number): number | undefined {
  if (record.pending?.seq === seq) return 0;
  if (record.last?.seq === seq) return 5;
  if (record.active?.seq !== seq) return undefined;
  return stages[record.active.status];
}

/** Returns whether a status went backwards. Only an unsent update may become held again. */
function wentBackwards(from: WorkloadRecord, to: WorkloadRecord): boolean {
  return [from.active?.seq, from.pending?.seq, from.last?.seq].some((seq) => {
    const [was, is] = [stageOf(from, seq ?? -1), stageOf(to, seq ?? -1)];
    if (was === undefined || is === undefined || is >= was) return false;
    return !(is === 0 && (was === 1 || was === 2));
  });
}

/** Checks that an active update ends or is held again before another update is released. */
export function checkOneActive(before: WorkloadRecord | undefined, after: WorkloadRecord, complain: Complain): void {
  const was = before?.active;
  if (was === undefined || after.active === undefined || after.active.seq === was.seq) return;
  if (!after.transitions.some(({ seq }) => seq === was.seq))
    complain("S5", `update ${was.seq} was still ${was.status} when update ${after.active.seq} was released`);
}
