/** The common properties of all queues. */
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";

/** Creates an encrypted queue that accepts only TLS. */
export function privateQueue(
  scope: Construct,
  id: string,
  props: Pick<QueueProps, "deadLetterQueue" | "queueName" | "retentionPeriod" | "visibilityTimeout">,
): Queue {
  return new Queue(scope, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props });
}
