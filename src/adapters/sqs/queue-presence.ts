import { GetQueueUrlCommand, QueueDoesNotExist, SQSClient } from "@aws-sdk/client-sqs";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** The existence of a queue in the caller's account. */
export type QueueRead = { readonly kind: "there"; readonly url: string } | { readonly kind: "missing" } | AwsRefusal;

/** Returns whether a queue of this name exists. */
export async function findQueue(name: string, options: UserOptions): Promise<QueueRead> {
  const client = new SQSClient({ ...userClientOptions, ...options });
  return callOnce(client, async (): Promise<QueueRead> => {
    try {
      const { QueueUrl: url = "" } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
      return { kind: "there", url };
    } catch (error) {
      if (error instanceof QueueDoesNotExist) return { kind: "missing" };
      throw error;
    }
  });
}
