import { durationMs, type DurationMs, hours } from "#domain/shared/time";
import type { Answer } from "#ports/channels";
import type { PostAnswer } from "#ports/post";

/** The longest pause that a server can ask for. */
const longestPause = hours(24);

/**
 * Returns what an answer means by its status: 2xx is told, 429 and 5xx come later, 410 and refused
 * credentials need a person. Any other answer refuses the message.
 */
export function answerOf(answer: PostAnswer): Answer {
  if (answer.kind === "unanswered") return { kind: "later", why: answer.why };
  if (answer.kind === "forbidden") return { kind: "off", why: answer.why };
  const { status } = answer;
  const why = `the server answered ${status}`;
  if (status >= 200 && status < 300) return { kind: "told" };
  if (status === 429 || status === 503) return { kind: "later", why, ...pauseIn(answer) };
  if (status >= 500 || status === 408 || status === 425) return { kind: "later", why };
  if (status >= 300 && status < 400)
    return { kind: "off", why: `${why}: Lookout follows no redirect, so name the new address` };
  if ([401, 403, 404, 410].includes(status)) return { kind: "off", why };
  return { kind: "refused", why };
}

/** Returns the pause that a server asks for, in seconds or as a date. The default is 30 s. */
export function pauseIn(
  { headers }: Extract<PostAnswer, { kind: "answered" }>,
  now = Date.now(),
): { readonly after: DurationMs } {
  const asked = headers["retry-after"] ?? "";
  const seconds = /^\d{1,9}$/.test(asked) ? Number(asked) : (Date.parse(asked) - now) / 1_000;
  return {
    after: durationMs(Math.min(longestPause, Math.max(1_000, (Number.isFinite(seconds) ? seconds : 30) * 1_000))),
  };
}
