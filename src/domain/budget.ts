import type { EpochMs } from "./time.ts";
import type { BudgetMove, WorkloadRecord } from "./update.ts";

interface Holder {
  readonly active?: WorkloadRecord["active"] | undefined;
  readonly pending?: WorkloadRecord["pending"] | undefined;
}

/** Answers what becoming the second version does to the budget; undefined: nothing. */
export function budgetMove(before: Holder, after: Holder): BudgetMove | undefined {
  const [had, has] = [before.active?.slot, after.active?.slot];
  const [waited, waits] = [waitsForSlotSince(before), waitsForSlotSince(after)];
  const move: BudgetMove = {
    ...(had === has || has === undefined ? {} : { takes: has }),
    ...(had === has || had === undefined ? {} : { frees: had }),
    ...(waited === waits || waits === undefined ? {} : { joins: waits }),
    ...(waited === waits || waited === undefined ? {} : { leaves: waited }),
  };
  return Object.keys(move).length === 0 ? undefined : move;
}

/** Makes one move of two that follow each other; what the first took or joined and the second gave back is as if it had not been. */
export function bothMoves(first: BudgetMove | undefined, second: BudgetMove | undefined): BudgetMove | undefined {
  if (first === undefined || second === undefined) return second ?? first;
  const { takes, frees, joins, leaves } = { ...first, ...second };
  return {
    ...(takes === undefined || takes === first.frees ? {} : { takes }),
    ...(frees === undefined || frees === second.takes ? {} : { frees }),
    ...(joins === undefined || joins === second.leaves ? {} : { joins }),
    ...(leaves === undefined || leaves === second.joins ? {} : { leaves }),
  };
}

/** Since when an update waits for a slot and for nothing else; only such a one can use a slot that is handed to it. */
function waitsForSlotSince({ pending }: Holder): EpochMs | undefined {
  const only = pending?.waits.every(({ reason }) => reason === "cluster-budget");
  return only === true ? pending?.electedAt : undefined;
}

/** Answers the numbers of the slots that may be taken now: those below the limit that nobody holds, while fewer than the limit are held. */
export function freeSlots(taken: readonly { readonly slot: number }[], limit: number): readonly number[] {
  const free = Array.from({ length: limit }, (_, slot) => slot).filter((slot) =>
    taken.every((holder) => holder.slot !== slot),
  );
  return free.slice(0, Math.max(0, limit - taken.length));
}
