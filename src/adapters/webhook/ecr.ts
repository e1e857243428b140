import * as z from "zod/mini";
import { ecrPushTypes } from "#contracts/messages/events";
import { ecrPushOf } from "./ecr-rule.ts";
import { readJson } from "./notice.ts";
import { type EventReading, ignored, invalid, type NotificationReader, eventPush, stated } from "./reading.ts";

/** Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html */
const Event = z.looseObject({
  "detail-type": z.string(),
  account: z.string(),
  region: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

/** The required field of an image event. */
const ImageAction = z.object({ "repository-name": z.string() });

/**
 * Reads unchanged events of ECR from an API destination of EventBridge. The receiver uses the
 * pattern and the transformer of the stack's rule.
 *
 * @see https://docs.aws.amazon.com/AmazonECR/latest/userguide/ecr-eventbridge.html
 */
export const reader: NotificationReader = {
  read(request, settings) {
    return eventPush(readEcrEvent(readJson(request)), settings);
  },
};

/**
 * Reads one event of EventBridge.
 *
 * @param accounts - the accounts whose pushes the reader accepts. The default is the event's own
 *   account.
 */
export function readEcrEvent(value: unknown, accounts?: readonly string[]): EventReading {
  const event = Event.safeParse(value);
  if (!event.success) return invalid("expected an event of EventBridge with its detail");
  const { "detail-type": type, detail, account } = event.data;
  if (ecrPushTypes.some((one) => one === type) && !ImageAction.safeParse(detail).success)
    return invalid("detail.repository-name is missing");
  const push = ecrPushOf(event.data, accounts ?? [account]);
  if (push === undefined) return ignored("the event does not match the rule for pushes");
  if (push === "unreadable") return invalid("the rule's transformer makes an unreadable event");
  const { id, registry: host, repository: path, tag, digest, at: pushedAt } = push;
  return stated({ id, host, path, references: [tag], digest, pushedAt });
}
