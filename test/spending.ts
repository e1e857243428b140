import type { Spending } from "#ports/spending";

/** A spending that limits nothing, and gives a turn at once. */
export function freeSpending(payers: readonly string[] = []): Spending {
  return {
    payers,
    paidBy: freeSpending,
    turn: (work) => Promise.resolve().then(work),
    hold: () => undefined,
    overBudget: () => undefined,
    countRequest: () => undefined,
  };
}
