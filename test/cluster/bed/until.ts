import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls a probe repeatedly until it has an answer.
 *
 * @param what - the awaited condition, for the error message
 * @param probe - returns undefined for "not yet". A thrown error also counts as "not yet", and
 * appears in the message
 * @throws Error after `timeoutMs` (default: 60 s).
 */
export async function until<Answer>(
  what: string,
  probe: () => Promise<Answer | undefined>,
  { timeoutMs = 60_000, intervalMs = 50 }: { readonly timeoutMs?: number; readonly intervalMs?: number } = {},
): Promise<Answer> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const answer = await probe();
      if (answer !== undefined) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await sleep(intervalMs);
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: last });
}
