/**
 * The result of a step that can fail: its value, or its problem.
 *
 * Callers check `ok` and return early. Results have no methods.
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
