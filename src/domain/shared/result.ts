/**
 * A value, or a problem.
 *
 * Callers narrow on `ok` and return early; there is deliberately no chaining.
 */
export type Result<Value, Problem> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: Problem };

/** Returns a successful result. */
export const ok = <Value>(value: Value): Result<Value, never> => ({ ok: true, value });

/** Returns a failed result. */
export const problem = <Problem>(problem: Problem): Result<never, Problem> => ({
  ok: false,
  problem,
});
