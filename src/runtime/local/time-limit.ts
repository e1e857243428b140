import type { Route } from "#contracts/routes";
import type { Invocation } from "../handler.ts";

/** Runs a function within the time limit of its route. */
export type InTime = <Answer>(
  route: Pick<Route, "timeoutMs">,
  run: (invocation: Invocation) => Promise<Answer>,
  prefix?: string,
) => Promise<Answer>;

/**
 * Calls a function with a signal that aborts at the time limit, or when the process stops.
 *
 * `AbortSignal.timeout` would keep its timer and listeners until the timeout. Under load, the
 * timers and listeners would use hundreds of megabytes.
 */
export async function withTimeLimit<Answer>(
  limitMs: number,
  stopped: AbortSignal,
  run: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort(stopped.reason);
  };
  const timer = setTimeout(() => {
    controller.abort(new DOMException("the run has reached its time limit", "TimeoutError"));
  }, limitMs).unref();
  if (stopped.aborted) stop();
  stopped.addEventListener("abort", stop, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener("abort", stop);
  }
}
