import type { FreezeRequest, FreezesView } from "#contracts/api";
import { covers, type Freeze, type FreezeScope, freezeScopeText, freezesOn } from "#domain/freeze";
import { wakeNow } from "#domain/next-work";
import { type EpochMs, toIso } from "#domain/time";
import type { WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import type { Ports } from "./ports.ts";
import { allRecords } from "./records.ts";

type FreezePorts = Pick<Ports, "freezes" | "store" | "clusters" | "queues" | "clock">;

/** Lists the freezes that hold something now, and what slipped through: patches under them that may still be on their way. */
export async function listFreezes(ports: FreezePorts): Promise<FreezesView> {
  const now = ports.clock.now();
  const freezes = (await ports.freezes.list()).filter(({ until }) => until === undefined || until > now);
  const records = freezes.length === 0 ? [] : await allRecords(ports);
  const inFlight = records.filter(
    (record) => mayBeOnItsWay(record) && freezesOn(freezes, record.workload, now).length > 0,
  );
  return {
    at: toIso(now),
    freezes: freezes.map(freezeView),
    inFlight: inFlight.map(({ workload }) => workloadKey(workload)),
  };
}

/**
 * Freezes a scope: no patch is begun there from here on.
 *
 * What read the gates before is named as in flight: it is sent within ten seconds or not at all, and answered ten seconds later at the
 * latest.
 */
export async function freeze(
  { scope, until, ...request }: Pick<FreezeRequest, "by" | "why"> & Pick<Freeze, "scope"> & { until?: EpochMs },
  ports: FreezePorts,
): Promise<FreezesView> {
  const end = until === undefined ? {} : { until };
  await ports.freezes.put({ scope, by: request.by, why: request.why, at: ports.clock.now(), ...end });
  return listFreezes(ports);
}

/** Lifts the freeze of exactly this scope, then wakes whom it held; undefined when there was none, and nobody waits for it. */
export async function unfreeze(scope: FreezeScope, ports: FreezePorts): Promise<FreezesView | undefined> {
  const lifted = await ports.freezes.lift(scope);
  const waiting = (await allRecords(ports)).filter(
    ({ workload, pending }) => covers(scope, workload) && pending?.waits.some(({ reason }) => reason === "frozen"),
  );
  await ports.queues.send(
    waiting.map((record) => ({ work: wakeNow(record, `unfreeze:${freezeScopeText(scope)}:${ports.clock.now()}`) })),
  );
  return lifted || waiting.length > 0 ? listFreezes(ports) : undefined;
}

/** The intent is stored before the gates are read for the last time: whoever read them open before has it stored. */
function mayBeOnItsWay({ active }: WorkloadRecord): boolean {
  return active?.status === "rolling-out" && active.patchedAt === undefined;
}

function freezeView({ scope, by, why, at, until }: Freeze): FreezesView["freezes"][number] {
  const end = until === undefined ? {} : { until: toIso(until) };
  return { scope: freezeScopeText(scope), by, why, at: toIso(at), ...end };
}
