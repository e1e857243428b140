import type { ImagePushed } from "../image/push.ts";
import type { Command } from "./commands.ts";

/** Takes over which push led to something, where one did. */
export function correlationOf({ correlationId }: { readonly correlationId?: string | undefined }): {
  readonly correlationId?: string;
} {
  return correlationId === undefined ? {} : { correlationId };
}

/**
 * Answers what the log lines of a message have in common with those of all that leads to it and follows from it: the id of the push, else
 * the update's own `uid/seq`, else the id of the look.
 */
export function correlationIn(message: Command | ImagePushed): string {
  if ("correlationId" in message) return message.correlationId;
  return "uid" in message ? `${message.uid}/${message.seq}` : message.id;
}
