import * as z from "zod/mini";
import { mayBeImage } from "./media-type.ts";
import { anything, instantOf, someText } from "./notice.ts";
import { type EventReading, ignored, invalid, stated } from "./reading.ts";

const AnyAction = z.object({ action: z.string() });

const Push = z.object({
  id: anything,
  timestamp: anything,
  target: z.object({ repository: z.string(), tag: someText, digest: someText, mediaType: someText }),
  request: z.nullish(z.object({ host: someText })),
});

/**
 * Reads an event of Azure's registry, from its own webhook or inside an event of Event Grid.
 *
 * @see https://learn.microsoft.com/azure/container-registry/container-registry-webhook-reference
 */
export function readAcrEvent(event: unknown): EventReading {
  const any = AnyAction.safeParse(event);
  if (!any.success) return invalid("expected an action as JSON");
  if (any.data.action !== "push") return ignored("the event is not a push of an image");
  const push = Push.safeParse(event);
  if (!push.success) return invalid("expected a push with a target and its repository");
  const { id, timestamp, target, request } = push.data;
  if (!mayBeImage(target.mediaType)) return ignored("the event is not a push of an image");
  return stated({
    id,
    host: request?.host,
    path: target.repository,
    references: [target.tag],
    digest: target.digest,
    pushedAt: instantOf(timestamp),
  });
}
