import { durationMs, type DurationMs, hours } from "#domain/shared/time";
import type { Answer } from "#ports/channels";
import type { PostAnswer } from "#ports/post";

/** The longest pause that a server can ask for. */
const longestPause = hours(24);

/** The statuses that refuse one message: a later try with the same message fails as well. */
const refusals: readonly number[] = [400, 413, 414, 415, 422, 431];

/** The statuses after which a person has to change the entry, the secret or the receiver. */
const endings: readonly number[] = [401, 403, 410];

/**
 * Returns what an answer means by its status. A status without a meaning of its own comes later,
 * because a server that is just being installed answers 404, 405 or 5xx.
 */
export function answerOf(answer: PostAnswer): Answer {
  if (answer.kind === "unanswered") return { kind: "later", why: answer.why };
  if (answer.kind === "forbidden") return { kind: "off", why: answer.why };
  const { status } = answer;
  const why = `the server answered ${status}`;
  if (status >= 200 && status < 300) return { kind: "told" };
  if (status >= 300 && status < 400)
    return { kind: "off", why: `${why}: Lookout follows no redirect, so name the new address` };
  if (endings.includes(status)) return { kind: "off", why };
  if (refusals.includes(status)) return { kind: "refused", why };
  return { kind: "later", why, ...(status === 429 || status === 503 ? pauseIn(answer) : {}) };
}

/** Returns the pause that a server asks for, in seconds or as a date of HTTP. The default is 30 s. */
export function pauseIn(
  { headers }: Extract<PostAnswer, { kind: "answered" }>,
  now = Date.now(),
): { readonly after: DurationMs } {
  const asked = (headers["retry-after"] ?? "").trim();
  const seconds = /^\d{1,9}$/.test(asked)
    ? Number(asked)
    : asked.endsWith("GMT")
      ? (Date.parse(asked) - now) / 1_000
      : 30;
  return {
    after: durationMs(Math.min(longestPause, Math.max(1_000, (Number.isFinite(seconds) ? seconds : 30) * 1_000))),
  };
}
