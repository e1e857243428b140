import { setImmediate, setTimeout } from "node:timers/promises";
import { openShares, type Shares } from "#app/shared/shares";
import type { BudgetEntry } from "#domain/shares/budget";

/** Returns the shares of this process, with the budgets of `lookout.yaml`. */
export function sharesOfProcess(budgets: readonly BudgetEntry[]): Shares {
  return openShares({
    budgets,
    monotonicMs: () => performance.now(),
    pause: (ms) => (ms === 0 ? setImmediate() : setTimeout(ms)),
  });
}
