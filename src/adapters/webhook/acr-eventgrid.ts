import * as z from "zod/mini";
import { readAcrEvent } from "./acr-event.ts";
import { anything, instantOf, nonEmpty, readJson, someText } from "./notice.ts";
import { type EventReading, ignored, invalid, type NotificationReader, allPushes, stated } from "./reading.ts";

/** The type is in `eventType` (Event Grid's schema) or in `type` (CloudEvents). */
const Event = z.object({
  id: anything,
  eventType: someText,
  type: someText,
  eventTime: anything,
  time: anything,
  data: anything,
});

const Validation = z.object({
  eventType: z.literal("Microsoft.EventGrid.SubscriptionValidationEvent"),
  data: z.object({ validationCode: z.string().check(z.minLength(1), z.maxLength(256)) }),
});

/**
 * Reads events of Azure Container Registry in both schemas of Event Grid. The receiver answers the
 * request with which Event Grid validates the receiver's address. The receiver never calls the
 * address in such a request, because a sender could name any address.
 *
 * @see https://learn.microsoft.com/azure/event-grid/event-schema-container-registry
 * @see https://learn.microsoft.com/azure/event-grid/webhook-event-delivery
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    if (content === undefined) return invalid("expected events as JSON");
    const events: readonly unknown[] = Array.isArray(content) ? content : [content];
    const validation = Validation.safeParse(events[0]);
    if (!validation.success) return allPushes(events.values().map(readEvent), "events", settings);
    return { kind: "handshake", headers: {}, body: { validationResponse: validation.data.data.validationCode } };
  },
  greet({ headers }) {
    const origin = nonEmpty(headers["webhook-request-origin"]);
    if (origin === undefined) return invalid("the WebHook-Request-Origin header is missing");
    return { kind: "handshake", headers: { "WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "*" } };
  },
};

function readEvent(event: unknown): EventReading {
  const read = Event.safeParse(event);
  const type = nonEmpty(read.data?.eventType) ?? nonEmpty(read.data?.type);
  if (type === undefined) return invalid("expected an event with its type");
  if (type !== "Microsoft.ContainerRegistry.ImagePushed") return ignored("the event is not a push of an image");
  const pushed = readAcrEvent(read.data?.data);
  if (pushed.kind !== "push") return pushed;
  const { id, eventTime, time } = read.data ?? {};
  return stated({ ...pushed.push, id, pushedAt: pushed.push.pushedAt ?? instantOf(eventTime ?? time) });
}
