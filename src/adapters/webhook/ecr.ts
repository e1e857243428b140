import * as z from "zod/mini";
import { ecrPushOf } from "#contracts/messages/ecr-push";
import { readJson } from "./notice.ts";
import { type EventReading, ignored, invalid, type NotificationReader, tellEvent, tells } from "./reading.ts";

/** Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html */
const Event = z.looseObject({
  "detail-type": z.string(),
  account: z.string(),
  region: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

/** What every event of this type has. */
const ImageAction = z.object({ "repository-name": z.string() });

/**
 * Reads events of ECR that an API destination of EventBridge sends on as they are, as the stack's rule
 * takes and transforms them.
 *
 * @see https://docs.aws.amazon.com/AmazonECR/latest/userguide/ecr-eventbridge.html
 */
export const reader: NotificationReader = {
  read(request, settings) {
    return tellEvent(readEcrEvent(readJson(request)), settings);
  },
};

/**
 * Reads one event, as EventBridge hands it to a rule.
 *
 * @param accounts - whose pushes count; without it, those of the event's own account.
 */
export function readEcrEvent(value: unknown, accounts?: readonly string[]): EventReading {
  const event = Event.safeParse(value);
  if (!event.success) return invalid("expected an event of EventBridge with its detail");
  const { "detail-type": type, detail, account } = event.data;
  if (type === "ECR Image Action" && !ImageAction.safeParse(detail).success)
    return invalid("detail.repository-name is missing");
  const push = ecrPushOf(event.data, accounts ?? [account]);
  if (push === undefined) return ignored("the rule for pushes does not take it");
  if (push === "unreadable") return invalid("what the rule makes of it can't be read");
  const { id, registry: host, repository: path, tag, digest, at: pushedAt } = push;
  return tells({ id, host, path, references: [tag], digest, pushedAt });
}
