import type { WebhookTrial } from "#runtime/webhook-trial";
import { instantText } from "./window.ts";

/** The result of a notification. Null means that the notification lacks the value. */
export interface WebhookAnswer {
  readonly ok: true;
  readonly outcome: WebhookTrial["outcome"];
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

/** Returns the answer for the trial of a notification. */
export function webhookAnswer({ outcome, status, pushes, handshake, reason }: WebhookTrial): WebhookAnswer {
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
