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
