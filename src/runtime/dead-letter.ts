import type { FailedMessage, FailureCause } from "#app/gate/dead-letter";
import { commandSchemas } from "#contracts/messages/commands";
import { eventSchemas } from "#contracts/messages/event-schemas";
import { parseJson } from "#domain/shared/json";
import { shortened } from "#domain/shared/shown-text";
import { pauseBeforeRetry } from "#domain/update/decide/dead-letter";
import type { DurationMs } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { PermanentError } from "#ports/errors";
import * as z from "zod/mini";

/** A dead letter on its queue: a failed message, and the cause of the failure. */
export interface Letter extends FailureCause {
  /** The body of the failed message. */
  readonly body: string;
  /** How often every delivery of the letter failed. Absent for a new letter. */
  readonly timesFailed?: number;
}

const letterSchema = z.object({
  body: z.string(),
  why: z.string(),
  isPermanent: z.exactOptional(z.boolean()),
  timesFailed: z.exactOptional(z.int().check(z.gte(1))),
}) satisfies z.ZodMiniType<Letter>;

const messageSchema = z.union([...Object.values(commandSchemas), ...Object.values(eventSchemas)]);

/** Returns a letter as the body of its message. */
export function letterBody({ body, why, isPermanent, timesFailed }: Letter): string {
  return JSON.stringify({ body, why, isPermanent, timesFailed });
}

/** Returns the letter in the body of a message. SQS moves a message to the queue without a cause. */
export function letterIn(text: string): Letter {
  const letter = letterSchema.safeParse(parseJson(text)).data;
  return letter ?? { body: text, why: "every delivery failed; the log has the errors" };
}

/** Returns the message in a body, or undefined for any other text. */
export function failedMessageIn(body: string): FailedMessage | undefined {
  return messageSchema.safeParse(parseJson(body)).data;
}

/**
 * Returns a letter whose deliveries all failed, for its next try after the pause. Returns undefined
 * if the letter is to be kept.
 */
export function letterAgain(letter: Letter): { readonly body: string; readonly pause: DurationMs } | undefined {
  const timesFailed = (letter.timesFailed ?? 0) + 1;
  const pause = pauseBeforeRetry(timesFailed);
  return pause && { body: letterBody({ ...letter, timesFailed }), pause };
}

/** The longest cause in the line about a kept message, in characters. */
const longestCause = 600;

/** Returns the error for the line about a kept message. The line does not contain the message. */
export function keptError({ body, why }: Letter): PermanentError {
  const message = failedMessageIn(body);
  const name = message?.name ?? "a message";
  const subject = message !== undefined && "workload" in message ? `${name} of ${workloadKey(message.workload)}` : name;
  return new PermanentError(`Lookout does not retry ${subject}: ${shortened(why, longestCause)}`);
}
