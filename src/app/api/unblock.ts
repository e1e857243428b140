import type { UnblockView } from "#contracts/api/workloads";
import { unblock } from "#domain/update/unblock";
import type { Ports } from "../shared/ports.ts";
import { changedByOthers, commit, maximumTries } from "../shared/records.ts";

type UnblockPorts = Pick<Ports, "store" | "queues" | "clock" | "limits">;

/**
 * Ends the hold of a workload, unblocks its digests, and evaluates its policies again. Undefined
 * when it is not tracked.
 */
export async function unblockWorkload(key: string, by: string, ports: UnblockPorts): Promise<UnblockView | undefined> {
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const record = await ports.store.read(key);
    if (record?.tracked !== true) return undefined;
    const next = unblock(record, by, { cause: `Unblock:${record.version}`, now: ports.clock.now() });
    const view = { workload: key, hold: record.hold !== undefined, blocked: record.blocked.length };
    if (next === undefined) return view;
    if (await commit(next, ports)) return view;
  }
  throw changedByOthers(key, "unblocked");
}
