import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again and again until there is an answer.
 *
 * @param what - what is awaited, for the message when it never comes
 * @param probe - answers undefined for "not yet"; an error it throws counts as "not yet" and is named at the end
 * @throws Error after `timeoutMs` (30 s unless told).
 */
export async function until<Answer>(
  what: string,
  probe: () => Promise<Answer | undefined>,
  { timeoutMs = 30_000, intervalMs = 50 }: { readonly timeoutMs?: number; readonly intervalMs?: number } = {},
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
