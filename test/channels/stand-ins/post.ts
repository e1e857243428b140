import { epochMs, type EpochMs } from "#domain/shared/time";
import type { Clock } from "#ports/clock";

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a POST, as no client of ours does. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const reply = await fetch(url, { method: "POST", headers, body, redirect: "manual" });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
}

/** A clock that a test moves. It begins at the time of Slack's documented signature. */
export function movedClock(): Clock & { readonly move: (ms: number) => void } {
  let now: EpochMs = epochMs(1_531_420_618_000);
  return { now: () => now, move: (ms) => void (now = epochMs(now + ms)) };
}
