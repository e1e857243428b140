import type { ImagePushed } from "../image/push.ts";
import type { Command } from "./commands.ts";

/** Copies the id of the push, if there is one. */
export function correlationOf({ correlationId }: { readonly correlationId?: string | undefined }): {
  readonly correlationId?: string;
} {
  return correlationId === undefined ? {} : { correlationId };
}

/**
 * Returns the id that the log lines of one push share.
 *
 * It is the id of the push; without one, the update's `uid/seq`; else the id of the command.
 */
export function correlationIn(message: Command | ImagePushed): string {
  if ("correlationId" in message) return message.correlationId;
  return "uid" in message ? `${message.uid}/${message.seq}` : message.id;
}
