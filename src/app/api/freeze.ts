import type { FreezeRequest, FreezesView } from "#contracts/api/freezes";
import {
  covers,
  type Freeze,
  freezesAt,
  type FreezeScope,
  freezeScopeText,
  type HoldingFreeze,
  nextHolding,
  type PlannedFreeze,
} from "#domain/gates/freeze";
import { wakeNow } from "#domain/update/next-commands";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { Reason } from "#domain/shared/reasons";
import type { WorkloadRecord } from "#domain/update/states";
import { workloadKey } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";

type FreezePorts = Pick<Ports, "freezes" | "plannedFreezes" | "store" | "clusters" | "queues" | "clock">;

/**
 * Lists the freezes that hold something now, those that are planned for later, and what slipped through: patches under the former that may
 * still be on their way.
 */
export async function listFreezes(ports: FreezePorts): Promise<FreezesView> {
  const now = ports.clock.now();
  const freezes = await holdingFreezes(ports, now);
  const records = freezes.length === 0 ? [] : await allRecords(ports);
  const inFlight = records.filter(
    (record) => mayBeOnItsWay(record) && freezes.some(({ scope }) => covers(scope, record.workload)),
  );
  const holding = new Set(freezes.map((freeze) => ("planned" in freeze ? freeze.planned : undefined)));
  return {
    at: toIso(now),
    freezes: freezes.map(freezeView),
    planned: ports.plannedFreezes.filter(({ name }) => !holding.has(name)).map((freeze) => plannedView(freeze, now)),
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

/** What came of lifting: `none`, there was no freeze and nobody waits for it; `planned`, it is one of `lookout.yaml`, and holds on. */
export type Unfrozen =
  | { readonly kind: "lifted"; readonly view: FreezesView }
  | { readonly kind: "none" }
  | { readonly kind: "planned"; readonly name: string };

/** One that was planned when it was met may be planned no more. */
const ofFreezes: ReadonlySet<Reason> = new Set(["frozen", "planned-freeze"]);

/** Lifts the freeze of exactly this scope, then wakes whom it held. */
export async function unfreeze(scope: FreezeScope, ports: FreezePorts): Promise<Unfrozen> {
  const lifted = await ports.freezes.lift(scope);
  const planned = lifted ? undefined : await plannedFor(scope, ports);
  if (planned !== undefined) return { kind: "planned", name: planned };
  const waiting = (await allRecords(ports)).filter(
    ({ workload, pending }) => covers(scope, workload) && pending?.waits.some(({ reason }) => ofFreezes.has(reason)),
  );
  await ports.queues.send(
    waiting.map((record) => ({ command: wakeNow(record, `unfreeze:${freezeScopeText(scope)}:${ports.clock.now()}`) })),
  );
  return lifted || waiting.length > 0 ? { kind: "lifted", view: await listFreezes(ports) } : { kind: "none" };
}

async function holdingFreezes(
  { freezes, plannedFreezes }: FreezePorts,
  now: EpochMs,
): Promise<readonly HoldingFreeze[]> {
  return freezesAt({ freezes: await freezes.list(), plannedFreezes }, now);
}

/** The name of a planned freeze that holds exactly this scope now. */
async function plannedFor(scope: FreezeScope, ports: FreezePorts): Promise<string | undefined> {
  const holding = await holdingFreezes(ports, ports.clock.now());
  const [name] = holding.flatMap((freeze) =>
    "planned" in freeze && freezeScopeText(freeze.scope) === freezeScopeText(scope) ? [freeze.planned] : [],
  );
  return name;
}

/** The intent is stored before the gates are read for the last time: whoever read them open before has it stored. */
function mayBeOnItsWay({ active }: WorkloadRecord): boolean {
  return active?.status === "patching";
}

function freezeView({ scope, by, why, until, ...origin }: HoldingFreeze): FreezesView["freezes"][number] {
  const end = until === undefined ? {} : { until: toIso(until) };
  const from = "planned" in origin ? origin : { at: toIso(origin.at) };
  return { scope: freezeScopeText(scope), by, why, ...from, ...end };
}

function plannedView(freeze: PlannedFreeze, now: EpochMs): FreezesView["planned"][number] {
  const { from, until } = nextHolding(freeze, now) ?? {};
  return {
    ...{ name: freeze.name, scope: freezeScopeText(freeze.scope), why: freeze.why },
    ...(from === undefined ? {} : { from: toIso(from) }),
    ...(until === undefined ? {} : { until: toIso(until) }),
  };
}
