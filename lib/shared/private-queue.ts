/** How every queue of the stack is kept. */
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";

/** Makes a queue that only this account reads, encrypted by SQS at no cost, and reached by TLS alone. */
export function privateQueue(
  scope: Construct,
  id: string,
  props: Pick<QueueProps, "deadLetterQueue" | "queueName" | "retentionPeriod" | "visibilityTimeout">,
): Queue {
  return new Queue(scope, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props });
}
