import { sqsClient } from "#adapters/sqs/client";
import { type Sender, sqsSender } from "#adapters/sqs/sender";
import { sentTogether } from "#adapters/sqs/together";

/** Sends to queues; shared by all parts of a function that do. */
export function stackSender(): Sender {
  return sentTogether(sqsSender(sqsClient()));
}
