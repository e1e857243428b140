import type { UnblockView } from "#contracts/api/workloads";
import type { Asker } from "#domain/approval/asker";
import { isRejection, type WorkloadRecord } from "#domain/update/states";
import { unblock } from "#domain/update/unblock";
import type { Ports } from "../shared/ports.ts";
import { changedByOthersError, commit, maximumTries } from "../shared/records.ts";

type UnblockPorts = Pick<Ports, "store" | "queues" | "clock" | "limits" | "approvalRules">;

/**
 * Ends the hold of a workload, unblocks its digests, and evaluates its policies again.
 *
 * @returns undefined for a workload that is not tracked.
 */
export async function unblockWorkload(
  key: string,
  asker: Asker,
  ports: UnblockPorts,
): Promise<UnblockView | undefined> {
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const record = await ports.store.read(key);
    if (record?.tracked !== true) return undefined;
    const step = { cause: `Unblock:${record.version}`, now: ports.clock.now() };
    const next = unblock(record, asker, ports.approvalRules, step);
    const { blocked } = next ?? record;
    const view = {
      workload: key,
      hold: record.hold !== undefined,
      blocked: heldDigests(record) - heldDigests(next ?? record),
      rejected: blocked.filter(isRejection).length,
    };
    if (next === undefined || (await commit(next, ports))) return view;
  }
  throw changedByOthersError(key, "unblocked");
}

function heldDigests({ blocked, restored = [], limited = [] }: WorkloadRecord): number {
  return blocked.length + restored.length + limited.length;
}
