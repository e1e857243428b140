import { sqsClient } from "#adapters/sqs/client";
import { sqsSender } from "#adapters/sqs/requests";
import type { Sender } from "#adapters/sqs/sender";

/** Sends to queues; shared by all parts of a function that do. */
export function stackSender(): Sender {
  return sqsSender(sqsClient());
}
