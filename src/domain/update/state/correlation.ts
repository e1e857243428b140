import type { ImagePushed } from "../../image/push.ts";
import type { Command } from "../commands.ts";

/** Returns an object with the id of the push; the object is empty without an id. */
export function correlationOf({ correlationId }: { readonly correlationId?: string | undefined }): {
  readonly correlationId?: string;
} {
  return correlationId === undefined ? {} : { correlationId };
}

/**
 * Returns the id that the log lines of one push share: the push's id, the update's `uid/seq`, or
 * the command's id.
 */
export function correlationIn(message: Command | ImagePushed): string {
  if ("fact" in message) {
    const { fact } = message;
    return "correlationId" in fact ? fact.correlationId : fact.id;
  }
  if ("correlationId" in message) return message.correlationId;
  return "uid" in message ? `${message.uid}/${message.seq}` : message.id;
}
