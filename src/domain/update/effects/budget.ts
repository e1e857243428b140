import { placeOf } from "../../shared/jitter.ts";
import type { EpochMs } from "../../shared/time.ts";
import { withoutUndefined } from "../../shared/without-undefined.ts";
import type { BudgetChange, WorkloadRecord } from "../state/workload.ts";

interface Holder {
  readonly active?: WorkloadRecord["active"] | undefined;
  readonly pending?: WorkloadRecord["pending"] | undefined;
}

/** Returns how a new version changes the budget, or undefined without a change. */
export function budgetChange(before: Holder, after: Holder): BudgetChange | undefined {
  const slot = exchange(before.active?.slot, after.active?.slot);
  const wait = exchange(waitsForSlotSince(before), waitsForSlotSince(after));
  const change = { takes: slot.gets, frees: slot.gives, joins: wait.gets, leaves: wait.gives };
  const present = withoutUndefined<BudgetChange>(change);
  return Object.keys(present).length === 0 ? undefined : present;
}

/** Returns what a version gives and gets; empty if it keeps what it has. */
function exchange<Held>(
  gives: Held | undefined,
  gets: Held | undefined,
): { readonly gives?: Held | undefined; readonly gets?: Held | undefined } {
  return gives === gets ? {} : { gives, gets };
}

/**
 * Returns the instant since when an update waits only for a slot. Returns undefined if the update
 * waits for other reasons too, or for no slot.
 */
export function waitsForSlotSince({ pending }: Holder): EpochMs | undefined {
  if (pending?.waits.every(({ reason }) => reason === "cluster-budget") !== true) return undefined;
  return pending.queuedAt ?? pending.selectedAt;
}

/**
 * Returns the free slots below the limit; empty while the number of taken slots is at the limit.
 */
export function freeSlots(taken: readonly { readonly slot: number }[], limit: number): readonly number[] {
  const used = new Set(taken.map(({ slot }) => slot));
  const free = Array.from({ length: limit }, (_, slot) => slot).filter((slot) => !used.has(slot));
  return free.slice(0, Math.max(0, limit - taken.length));
}

/** A taken slot, with the key of the workload that has it. */
interface Taken {
  readonly slot: number;
  readonly workload: string;
}

/**
 * Returns the free slots that a workload of a namespace may take.
 *
 * A namespace with a slot leaves some slots to other namespaces, because its users decide how long
 * its rollouts take.
 */
export function slotsFor(namespace: string, taken: readonly Taken[], limit: number): readonly number[] {
  return openTo(namespace, freeSlots(taken, limit), slotsHeldBy(namespace, taken) > 0, limit);
}

function openTo(namespace: string, free: readonly number[], hasOne: boolean, limit: number): readonly number[] {
  const open = free.filter((slot) => !isLeftToOthers(slot, namespace, limit));
  return open.length > 0 || hasOne ? open : free;
}

/** Returns the number of slots that the workloads of a namespace have. */
export function slotsHeldBy(namespace: string, taken: readonly Taken[]): number {
  return taken.filter(({ workload }) => namespaceOf(workload) === namespace).length;
}

/**
 * Returns the waiting workloads that may get a slot now. A namespace with fewer slots comes first, so that many updates
 * that were released at once delay no other namespace. Otherwise their order decides. A namespace at its limit does not
 * block others.
 */
export function nextForSlots(waiting: readonly string[], taken: readonly Taken[], limit: number): readonly string[] {
  const free = new Set(freeSlots(taken, limit));
  const next: string[] = [];
  for (const { workload, slotsBefore } of inTurnsOfNamespaces(waiting, taken)) {
    if (free.size === 0) break;
    const [slot] = openTo(namespaceOf(workload), [...free], slotsBefore > 0, limit);
    if (slot === undefined) continue;
    free.delete(slot);
    next.push(workload);
  }
  return next;
}

/** Sorts waiting workloads by the number of slots that their namespaces have before them. */
function inTurnsOfNamespaces(waiting: readonly string[], taken: readonly Taken[]) {
  const held = new Map<string, number>();
  const counted = [...taken.map(({ workload }) => workload), ...waiting].map((workload) => {
    const slotsBefore = held.get(namespaceOf(workload)) ?? 0;
    held.set(namespaceOf(workload), slotsBefore + 1);
    return { workload, slotsBefore };
  });
  return counted.slice(taken.length).sort((one, other) => one.slotsBefore - other.slotsBefore);
}

/**
 * The largest number of slots that a namespace leaves to other namespaces. Below this limit, a
 * namespace leaves a fifth of the slots, but at least one slot if the cluster has two or more.
 */
const mostLeft = 5;

function slotsLeft(limit: number): number {
  return Math.min(mostLeft, Math.max(limit > 1 ? 1 : 0, Math.floor(limit / 5)));
}

/**
 * Returns whether a slot is left to other namespaces. The namespace's name decides, so that all
 * functions agree.
 */
function isLeftToOthers(slot: number, namespace: string, limit: number): boolean {
  const begin = Math.floor(placeOf(namespace) * limit);
  return (slot - begin + limit) % limit < slotsLeft(limit);
}

/** Returns the namespace in a workload's key. */
function namespaceOf(key: string): string {
  return key.split("/")[1] ?? "";
}
