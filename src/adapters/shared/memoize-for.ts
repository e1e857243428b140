/** The lifetimes of cached answers. */
export interface MemoizeOptions<Value> {
  /** The time for which an answer is reused, in milliseconds. */
  readonly keptMs: (value: Value) => number;
  /**
   * The time for which a caller that requests a fresh answer gets the last answer, in milliseconds.
   */
  readonly freshMs: number;
  /** A clock that never goes back. */
  readonly monotonicMs: () => number;
}

/**
 * Returns a function that caches the answer of `ask`. Concurrent callers share one call.
 *
 * `afresh` discards an answer that is older than `freshMs`. Errors are not cached.
 */
export function memoizeFor<Value>(
  ask: () => Promise<Value>,
  { keptMs, freshMs, monotonicMs }: MemoizeOptions<Value>,
): (afresh: boolean) => Promise<Value> {
  let last: { readonly value: Value; readonly at: number } | undefined;
  let pending: Promise<Value> | undefined;
  const askNow = async (): Promise<Value> => {
    const value = await ask();
    last = { value, at: monotonicMs() };
    return value;
  };
  return async (afresh) => {
    if (pending === undefined && last !== undefined) {
      const validMs = afresh ? Math.min(freshMs, keptMs(last.value)) : keptMs(last.value);
      if (monotonicMs() - last.at < validMs) return last.value;
    }
    pending ??= askNow().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
