import { setImmediate } from "node:timers/promises";

/**
 * Returns the promise's answer, or rejects with the signal's reason as soon as the signal aborts.
 *
 * undici itself ignores the signal while it connects, and while a request waits for a connection.
 */
export function untilAborted<Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const settled = (): void => {
      signal.removeEventListener("abort", stop);
    };
    answer.then(resolve, reject).finally(settled);
  });
}

/**
 * Resolves when undici can reuse the connection of a finished answer. A request that starts earlier
 * opens another connection.
 */
export function untilReusable(): Promise<void> {
  return setImmediate();
}

/** Returns whether the server closed a kept connection just as a request used it. */
export function isCutOff(error: unknown): boolean {
  return cutOffCodes.has((error as { readonly code?: unknown }).code);
}

const cutOffCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
