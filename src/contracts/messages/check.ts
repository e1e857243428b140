import * as z from "zod/mini";
import type { CheckReply } from "#domain/checks/answer";
import type { CheckQuestion } from "#domain/checks/question";
import { parseImageReference } from "#domain/image/reference";
import { parseDuration } from "#domain/shared/duration";
import { ok, problem, type Result } from "#domain/shared/result";
import { printableText, shortened } from "#domain/shared/shown-text";
import { type DurationMs, durationMs, hours, minutes, seconds, toIso } from "#domain/shared/time";
import type { ImageChange } from "#domain/workload/patch";

/** Returns the JSON of a question. */
export function questionJson(check: string, installation: string, asked: CheckQuestion): object {
  const { when, update, workload, changes, at } = asked;
  const { cluster, namespace, kind, name } = workload;
  return {
    check,
    when,
    installation,
    update: { seq: update.seq, detectedAt: toIso(update.detectedAt), source: update.source },
    workload: { cluster, namespace, kind, name },
    changes: changes.map(changeJson),
    at: toIso(at),
  };
}

function changeJson({ name, imageName, tag, digest, from, fromDigest }: ImageChange): object {
  const replaced = parseImageReference(from);
  const { tag: fromTag, digest: ownDigest } = replaced.ok ? replaced.value : {};
  const before = fromDigest ?? ownDigest;
  return {
    container: name,
    image: imageName,
    ...(fromTag === undefined ? {} : { fromTag }),
    ...(before === undefined ? {} : { fromDigest: before }),
    tag,
    digest,
  };
}

/** The longest reason that Lookout keeps, in characters. */
const longestReason = 300;

/** Until a check that says nothing else is asked again. */
const usualPause = minutes(5);
const shortestPause = seconds(30);
const longestPause = hours(24);

const Answer = z.object({
  allow: z.boolean("allow must be true or false"),
  reason: z.optional(z.nullable(z.string("reason must be a text"))),
  retryAfter: z.optional(z.unknown()),
});

/** The answer of the server of a check. */
interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if it is longer than the limit of 16 KiB. */
  readonly body: string;
}

/** Reads the answer of a check. Anything that is not an answer is none, with the reason. */
export function readReply({ status, headers, body }: HttpAnswer): CheckReply {
  if (status >= 300 && status < 400)
    return none(`it redirects (${status}), and Lookout follows no redirect: write the new address into lookout.yaml`);
  if (status !== 200) return none(`it answered ${status}, and not 200`);
  if (body.trim() === "") return none("its answer is empty, or longer than 16 KiB");
  const json = jsonIn(body, headers["content-type"]);
  if (!json.ok) return none(json.problem);
  const parsed = Answer.safeParse(json.value, { error: () => "it must be a mapping with allow" });
  if (!parsed.success) return none(`its answer is not as expected: ${parsed.error.issues[0]?.message ?? "unknown"}`);
  const { allow, reason, retryAfter } = parsed.data;
  const validFor = pauseOf(retryAfter);
  if (!validFor.ok) return none(`its answer is not as expected: ${validFor.problem}`);
  return { kind: "answered", allow, reason: shownReason(reason ?? ""), validFor: validFor.value };
}

/** Returns that there is no answer. */
export function none(why: string): CheckReply {
  return { kind: "unanswered", why: shownReason(why) };
}

function shownReason(text: string): string {
  return shortened(printableText(text.trim().toWellFormed()), longestReason - 1);
}

function jsonIn(body: string, contentType = ""): Result<unknown, string> {
  try {
    return ok(JSON.parse(body));
  } catch {
    const [type = ""] = contentType.split(";");
    return problem(`its answer is not JSON${type.trim() === "" ? "" : `, but ${type.trim()}`}`);
  }
}

function pauseOf(given: unknown): Result<DurationMs, string> {
  if (given === undefined || given === null) return ok(usualPause);
  const seconds = typeof given === "number" && given >= 0 ? ok(given * 1_000) : undefined;
  const asked = seconds ?? (typeof given === "string" ? parseDuration(given.trim()) : undefined);
  if (asked?.ok !== true) return problem('retryAfter must be seconds, or a duration such as "5m"');
  return ok(durationMs(Math.round(Math.min(longestPause, Math.max(shortestPause, asked.value)))));
}
