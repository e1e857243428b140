import type { EpochMs } from "../shared/time.ts";
import type { BudgetMove, WorkloadRecord } from "./states.ts";

interface Holder {
  readonly active?: WorkloadRecord["active"] | undefined;
  readonly pending?: WorkloadRecord["pending"] | undefined;
}

/** Answers what becoming the second version does to the budget; undefined: nothing. */
export function budgetMove(before: Holder, after: Holder): BudgetMove | undefined {
  const slot = changed({ gives: before.active?.slot, gets: after.active?.slot });
  const wait = changed({ gives: waitsForSlotSince(before), gets: waitsForSlotSince(after) });
  return moveOf(slot, wait);
}

/** Makes one move of two that follow each other: what the first took or joined and the second gave back is as if it had not been. */
export function bothMoves(first: BudgetMove | undefined, second: BudgetMove | undefined): BudgetMove | undefined {
  const slot = joined({ gives: first?.frees, gets: first?.takes }, { gives: second?.frees, gets: second?.takes });
  const wait = joined({ gives: first?.leaves, gets: first?.joins }, { gives: second?.leaves, gets: second?.joins });
  return moveOf(slot, wait);
}

/** A slot, or a place among those who wait, that is exchanged for another. */
interface Exchange<Held> {
  readonly gives?: Held | undefined;
  readonly gets?: Held | undefined;
}

/** Getting back what is given changes nothing. */
function changed<Held>(exchange: Exchange<Held>): Exchange<Held> {
  return exchange.gives === exchange.gets ? {} : exchange;
}

function joined<Held>(first: Exchange<Held>, second: Exchange<Held>): Exchange<Held> {
  const inBetween = second.gives === first.gets;
  return changed({
    gives: first.gives ?? (inBetween ? undefined : second.gives),
    gets: second.gets ?? (inBetween ? undefined : first.gets),
  });
}

function moveOf(slot: Exchange<number>, wait: Exchange<EpochMs>): BudgetMove | undefined {
  const move: BudgetMove = {
    ...(slot.gets === undefined ? {} : { takes: slot.gets }),
    ...(slot.gives === undefined ? {} : { frees: slot.gives }),
    ...(wait.gets === undefined ? {} : { joins: wait.gets }),
    ...(wait.gives === undefined ? {} : { leaves: wait.gives }),
  };
  return Object.keys(move).length === 0 ? undefined : move;
}

/** The record with its update on its way without a slot, which nothing frees when that ends. */
export function withoutSlot(record: WorkloadRecord): WorkloadRecord {
  if (record.active?.slot === undefined) return record;
  const { slot, ...active } = record.active;
  return { ...record, active };
}

/** Since when an update waits for a slot and for nothing else; only such a one can use a slot that is handed to it. */
export function waitsForSlotSince({ pending }: Holder): EpochMs | undefined {
  if (pending?.waits.every(({ reason }) => reason === "cluster-budget") !== true) return undefined;
  return pending.queuedAt ?? pending.selectedAt;
}

/** Answers the numbers of the slots that may be taken now: those below the limit that nobody holds, while fewer than the limit are held. */
export function freeSlots(taken: readonly { readonly slot: number }[], limit: number): readonly number[] {
  const free = Array.from({ length: limit }, (_, slot) => slot).filter((slot) =>
    taken.every((holder) => holder.slot !== slot),
  );
  return free.slice(0, Math.max(0, limit - taken.length));
}
