import { type Budget, type BudgetEntry, budgetOf } from "#domain/shares/budget";
import { refusalOfMemory } from "#domain/shares/memory-share";
import { addUse, msUntilBelow, type RecentUse, useOf } from "#domain/shares/recent-use";
import { TransientError } from "#ports/errors";
import type { OverBudget, Spending } from "#ports/spending";

/** The parts of the shares of a process. */
export interface SharesOptions {
  /** The entries of `budgets` in `lookout.yaml`. */
  readonly budgets: readonly BudgetEntry[];
  /** A clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Resolves after the process has had time for other work, at least the given time. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** The memory for answers of registries. Default: {@link usualPoolBytes}. */
  readonly poolBytes?: number;
}

/** The shares of namespaces in one process. */
export interface Shares {
  /** Begins a run. Its memory is free again after `end`. */
  begin(signal: AbortSignal): { readonly spending: Spending; readonly end: () => void };
  /** Replaces the budgets. What namespaces have used so far counts. */
  setBudgets(budgets: readonly BudgetEntry[]): void;
}

const mebibyte = 1024 * 1024;

/** Two of the longest listings fit, and the whole process stays below 400 MB. */
export const usualPoolBytes = 64 * mebibyte;

/** The longest pause between two long works. */
const longestPauseMs = 500;

/** Work that waits for its turn. */
interface WaitingWork {
  readonly payers: readonly string[];
  readonly signal: AbortSignal;
  readonly run: (payer: string | undefined) => void;
  readonly cancel: () => void;
}

/**
 * Returns the shares of namespaces in the memory and the time of this process.
 *
 * Nothing limits a namespace while others need nothing, except its own budget.
 */
export function openShares({ monotonicMs, pause, poolBytes = usualPoolBytes, ...options }: SharesOptions): Shares {
  let { budgets } = options;
  const held = new Map<string, number>();
  const cpuMs: RecentUse = new Map();
  const requests: RecentUse = new Map();
  const waiting = new Set<WaitingWork>();
  const budgetsOf = new Map<string, Budget>();
  let isWorking = false;

  const budget = (payer: string): Budget => {
    if (budgets.length === 0) return {};
    const known = budgetsOf.get(payer) ?? budgetOf(payer, budgets);
    budgetsOf.set(payer, known);
    return known;
  };

  const leastOf = (payers: readonly string[], use: (payer: string) => number): string | undefined => {
    let least: { readonly payer: string; readonly used: number } | undefined;
    for (const payer of payers) {
      const used = use(payer);
      if (least === undefined || used < least.used) least = { payer, used };
    }
    return least?.payer;
  };

  const cpuOf = (payer: string): number => useOf(cpuMs, payer, monotonicMs());

  /** Runs the waiting works, each time the work of the payer that has used least. */
  const workAll = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    for (;;) {
      await pause(0);
      const next = nextOf(waiting, (payers) => {
        const payer = leastOf(payers, cpuOf);
        return { payer, used: payer === undefined ? 0 : cpuOf(payer) };
      });
      if (next === undefined) break;
      waiting.delete(next.work);
      if (next.work.signal.aborted) {
        next.work.cancel();
        continue;
      }
      const beganMs = monotonicMs();
      next.work.run(next.payer);
      const tookMs = monotonicMs() - beganMs;
      if (next.payer !== undefined) addUse(cpuMs, next.payer, tookMs, monotonicMs());
      if (tookMs >= 1) await pause(Math.min(longestPauseMs, tookMs));
    }
    isWorking = false;
  };

  const hold = (payer: string, bytes: number): void => {
    const now = (held.get(payer) ?? 0) + bytes;
    if (now > 0) held.set(payer, now);
    else held.delete(payer);
  };

  const refusedRequest = (payer: string): OverBudget | undefined => {
    const { requestsPerMinute, cpuSecondsPerMinute } = budget(payer);
    const now = monotonicMs();
    if (requestsPerMinute !== undefined) {
      const belowAfterMs = msUntilBelow(requests, payer, requestsPerMinute, now);
      const retryAfterMs = Math.max(belowAfterMs, Math.ceil(60_000 / requestsPerMinute));
      if (belowAfterMs > 0)
        return { detail: `${payer} has sent its ${requestsPerMinute} requests per minute`, retryAfterMs };
    }
    if (cpuSecondsPerMinute === undefined) return undefined;
    const retryAfterMs = msUntilBelow(cpuMs, payer, cpuSecondsPerMinute * 1_000, now);
    if (retryAfterMs === 0) return undefined;
    return { detail: `${payer} has used its ${cpuSecondsPerMinute} s of CPU time per minute`, retryAfterMs };
  };

  const refusedMemory = (payer: string, bytes: number): OverBudget | undefined => {
    const { memoryMiB } = budget(payer);
    const own = memoryMiB === undefined ? undefined : memoryMiB * mebibyte;
    const refusal = refusalOfMemory(held, payer, bytes, poolBytes, own);
    if (refusal === undefined) return undefined;
    const holds = `${payer} holds ${inMiB(held.get(payer) ?? 0)} MiB of tags and manifests and needs ${inMiB(bytes)} more`;
    const most = inMiB(refusal.shareBytes);
    if (own !== undefined && refusal.shareBytes === own) return { detail: `${holds}, and its memoryMiB is ${most}` };
    const others = refusal.holders === 1 ? "" : ` while ${refusal.holders} namespaces need memory`;
    return { detail: `${holds}, and its share is ${most} MiB${others}` };
  };

  return {
    setBudgets(replaced) {
      budgets = replaced;
      budgetsOf.clear();
    },
    begin(signal) {
      const things = new Map<string, { readonly payer: string; readonly bytes: number }>();
      let isEnded = false;
      const spendingOf = (payers: readonly string[]): Spending => ({
        payers,
        paidBy: spendingOf,
        turn: (work) =>
          new Promise((resolve, reject) => {
            const cancel = (): void => {
              reject(new TransientError("the run was cancelled before its turn", { cause: signal.reason }));
            };
            waiting.add({
              payers,
              signal,
              cancel,
              run() {
                try {
                  resolve(work());
                } catch (error) {
                  reject(error instanceof Error ? error : new Error("long work failed", { cause: error }));
                }
              },
            });
            void workAll();
          }),
        hold(thing, bytes) {
          const before = things.get(thing);
          const payer = before?.payer ?? leastOf(payers, (one) => held.get(one) ?? 0);
          if (payer === undefined || isEnded) return undefined;
          const more = bytes - (before?.bytes ?? 0);
          const refusal = refusedMemory(payer, more);
          if (refusal !== undefined) return refusal;
          hold(payer, more);
          if (bytes > 0) things.set(thing, { payer, bytes });
          else things.delete(thing);
          return undefined;
        },
        overBudget() {
          if (budgets.length === 0) return undefined;
          const refusals = payers.map(refusedRequest);
          return refusals.every((refusal) => refusal !== undefined) ? refusals[0] : undefined;
        },
        countRequest() {
          if (budgets.length === 0) return;
          const able = payers.filter((one) => refusedRequest(one) === undefined);
          const payer = leastOf(able, (one) => useOf(requests, one, monotonicMs()));
          if (payer !== undefined) addUse(requests, payer, 1, monotonicMs());
        },
      });
      return {
        spending: spendingOf([]),
        end() {
          for (const { payer, bytes } of things.values()) hold(payer, -bytes);
          things.clear();
          isEnded = true;
        },
      };
    },
  };
}

/** Returns the first work whose payer has used least, with its payer. */
function nextOf(
  waiting: ReadonlySet<WaitingWork>,
  useOfPayers: (payers: readonly string[]) => { readonly payer: string | undefined; readonly used: number },
): { readonly work: WaitingWork; readonly payer: string | undefined } | undefined {
  let next: { readonly work: WaitingWork; readonly payer: string | undefined; readonly used: number } | undefined;
  for (const work of waiting) {
    const { payer, used } = useOfPayers(work.payers);
    if (next === undefined || used < next.used) next = { work, payer, used };
  }
  return next;
}

function inMiB(bytes: number): string {
  return (bytes / mebibyte).toFixed(1);
}
