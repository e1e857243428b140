import { setImmediate } from "node:timers/promises";

/**
 * Answers as a promise does, or rejects with the signal's reason as soon as that aborts.
 *
 * undici heeds a signal only once a request is on its connection: not while it connects, and not
 * while the request waits for a free connection.
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

/** Resolves when undici uses the connection of an answer that was read to its end again: a request sent before opens another one. */
export function untilReusable(): Promise<void> {
  return setImmediate();
}

/** Says whether the other side closed a kept connection just as it was used again. */
export function isCutOff(error: unknown): boolean {
  return cutOffCodes.has((error as { readonly code?: unknown }).code);
}

const cutOffCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
