/** How long answers are good for. */
export interface MemoizeOptions<Value> {
  /** How long an answer is given again, in milliseconds. */
  readonly keptMs: (value: Value) => number;
  /** How old an answer has to be before it is asked for afresh, in milliseconds. */
  readonly freshMs: number;
  /** A clock that never goes back. */
  readonly monotonicMs: () => number;
}

/**
 * Answers what `ask` answered last, as long as it is good; all who wait share one asking.
 *
 * Afresh means that the last answer was of no use: it is asked for again, unless it is as fresh as it gets. A failed asking is not kept.
 */
export function memoizeFor<Value>(
  ask: () => Promise<Value>,
  { keptMs, freshMs, monotonicMs }: MemoizeOptions<Value>,
): (afresh: boolean) => Promise<Value> {
  let last: { readonly value: Value; readonly at: number } | undefined;
  let asking: Promise<Value> | undefined;
  const askNow = async (): Promise<Value> => {
    const value = await ask();
    last = { value, at: monotonicMs() };
    return value;
  };
  return async (afresh) => {
    const good = last === undefined ? 0 : afresh ? Math.min(freshMs, keptMs(last.value)) : keptMs(last.value);
    if (asking === undefined && last !== undefined && monotonicMs() - last.at < good) return last.value;
    asking ??= askNow().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}
