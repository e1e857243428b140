import { freeSlots, nextForSlots, waitsForSlotSince } from "#domain/update/effects/budget";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Installation } from "#test/model/world/installation";
import type { Witness } from "#test/model/history/witness";

/**
 * Checks the slots and the waiting list against the records. Each slot has one holder, and the
 * limit holds.
 */
export function checkBudget(installation: Installation): void {
  for (const name of installation.clusterNames) checkBudgetOf(name, installation);
}

function checkBudgetOf(name: string, { stored, ports, witness }: Installation): void {
  const records = [...stored.records().values()].filter(({ workload }) => workload.cluster === name);
  const limit = ports.rules.limits.maxConcurrentRollouts;
  const active = records.flatMap(({ workload, active: update }) =>
    update?.slot === undefined ? [] : [{ key: workloadKey(workload), slot: update.slot }],
  );
  const slots = new Set(active.map(({ slot }) => slot));
  if (slots.size > limit || slots.size < active.length)
    witness.complain("S5", `slots of a budget of ${limit} are held by ${JSON.stringify(active)}`);
  const [held, owned] = [textOf(stored.slots(name)), textOf(active)];
  if (held !== owned) witness.complain("L3", `the slots are held by ${held}, and on their way are ${owned}`);
  const waits = records.flatMap((record) => {
    const since = waitsForSlotSince(record);
    return since === undefined ? [] : [`${String(since).padStart(15, "0")}#${workloadKey(record.workload)}`];
  });
  const listed = stored.slotQueue(name).toSorted().join(", ");
  if (listed !== waits.sort().join(", "))
    witness.complain("L6", `listed as waiting for a slot are [${listed}], and there wait [${waits.join(", ")}]`);
}

/**
 * Checks that an active update has a slot. A waiting rollout gives its slot back, and gets no new
 * slot.
 */
export function checkHasSlot(
  before: WorkloadRecord | undefined,
  { workload, active }: WorkloadRecord,
  witness: Witness,
): void {
  if (active === undefined || active.slot !== undefined) return;
  // A requested rollback needs no slot.
  if (active.requested?.as === "rollback") return;
  if (active.status === "rolling-out" && active.progress.kind === "waiting") return;
  const was = before?.active?.seq === active.seq ? before.active : undefined;
  if (was === undefined || was.slot !== undefined)
    witness.complain("S5", `update ${active.seq} of ${workload.name} is ${active.status} without a slot`);
}

/** Returns a free slot of a cluster; undefined without a free slot. */
export function freeSlot(name: string, { stored, ports }: Pick<Installation, "stored" | "ports">): number | undefined {
  return freeSlots(stored.slots(name), ports.rules.limits.maxConcurrentRollouts)[0];
}

/** Returns whether a workload waits only for a slot although a slot is free. */
export function slotIsIdle(installation: Pick<Installation, "stored" | "ports" | "clusterNames">): boolean {
  return installation.clusterNames.some((name) => slotIsIdleIn(name, installation));
}

function slotIsIdleIn(name: string, installation: Pick<Installation, "stored" | "ports">): boolean {
  const { stored, ports } = installation;
  const waiting = [...stored.records()].flatMap(([key, record]) =>
    record.workload.cluster !== name || waitsForSlotSince(record) === undefined ? [] : [key],
  );
  const holders = stored.slots(name).map(({ slot, key }) => ({ slot, workload: key }));
  const next = nextForSlots(waiting, holders, ports.rules.limits.maxConcurrentRollouts);
  return next.length > 0 && freeSlot(name, installation) !== undefined;
}

function textOf(holders: readonly { readonly slot?: number | undefined; readonly key: string }[]): string {
  return JSON.stringify(holders.map(({ slot, key }) => `${String(slot)} ${key}`).sort());
}
