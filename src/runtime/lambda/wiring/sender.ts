import { sqsClient } from "#adapters/sqs/client";
import { sqsSender } from "#adapters/sqs/sender";
import type { Sender } from "#adapters/sqs/together";

/** Sends to queues; shared by all parts of a function that do. */
export function stackSender(): Sender {
  return sqsSender(sqsClient());
}
