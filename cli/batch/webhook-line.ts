import { readLine } from "#contracts/batch/lines";
import { type WebhookLine, WebhookLineSchema } from "#contracts/batch/webhook-line";
import { badLineRefusal, type LineAnswer } from "./lines.ts";
import { instantText } from "./window-line.ts";

/** The result of a notification. Null means that the notification lacks the value. */
export interface WebhookAnswer {
  readonly ok: true;
  readonly outcome: "push" | "ignored" | "invalid" | "unauthorized" | "handshake";
  /** The HTTP status of the response. */
  readonly status: number;
  readonly pushes: readonly PushAnswer[];
  /** The JSON or the headers of the response to a handshake. */
  readonly reply?: object;
  readonly reason?: string;
}

interface PushAnswer {
  readonly registry: string | null;
  readonly repository: string;
  readonly tags: readonly string[];
  readonly digest: string | null;
  readonly pushedAt: string | null;
  readonly actor: string | null;
}

/** Returns the answer to a line of `lookout webhook parse --batch`. */
export async function answerWebhookLine(line: string): Promise<LineAnswer> {
  const read = readLine(WebhookLineSchema, line);
  return read.ok ? webhookAnswer(read.value) : badLineRefusal(read.problem);
}

/** Handles a notification with Lookout's webhook function. */
export async function webhookAnswer(line: WebhookLine): Promise<WebhookAnswer> {
  const { tryNotification } = await import("#runtime/webhook-trial");
  const { outcome, status, pushes, handshake, reason } = await tryNotification(line);
  return {
    ok: true,
    outcome,
    status,
    pushes: pushes.map(({ registry = null, repository, tags, digest = null, pushedAt, actor = null }) => {
      return { registry, repository, tags, digest, pushedAt: instantText(pushedAt), actor };
    }),
    ...(handshake === undefined ? {} : { reply: handshake.body ?? { headers: handshake.headers } }),
    ...(reason === undefined ? {} : { reason }),
  };
}
