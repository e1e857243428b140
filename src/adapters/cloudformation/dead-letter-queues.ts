import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { routes } from "#contracts/routes";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** The URLs of a stack's dead-letter queues, in no order. */
export type DeadLetterQueues = { readonly kind: "queues"; readonly urls: readonly string[] } | AwsRefusal;

/**
 * The part of each queue's logical id that names its function. Logical ids have only letters and
 * digits.
 */
const idParts = routes.map(({ stage, name }) => `${stage}${name}DeadLetters`.replaceAll("-", ""));

/**
 * Lists Lookout's dead-letter queues of a stack. The stack may hold queues of other programs too.
 */
export async function listDeadLetterQueues(stack: string, options: UserOptions): Promise<DeadLetterQueues> {
  const client = new CloudFormationClient({ ...userClientOptions, ...options });
  return callOnce(client, async () => {
    const urls: string[] = [];
    for await (const { StackResourceSummaries: resources = [] } of paginateListStackResources(
      { client },
      { StackName: stack },
    ))
      for (const { ResourceType, LogicalResourceId = "", PhysicalResourceId: url } of resources)
        if (
          ResourceType === "AWS::SQS::Queue" &&
          idParts.some((part) => LogicalResourceId.includes(part)) &&
          url !== undefined
        )
          urls.push(url);
    return { kind: "queues" as const, urls };
  });
}
