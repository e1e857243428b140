import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { type AwsRefusal, refusalOr } from "../aws-trouble.ts";
import { type CallerOptions, callerPatience } from "../aws.ts";

/** URLs of the queues of a stack that take dead letters, in no order. */
export type DeadLetterQueues = { readonly kind: "queues"; readonly urls: readonly string[] } | AwsRefusal;

/** Finds the queues by what the stack calls them: each function has one of its own, named `DeadLetters`. */
export async function listDeadLetterQueues(stack: string, options: CallerOptions): Promise<DeadLetterQueues> {
  const client = new CloudFormationClient({ ...callerPatience, ...options });
  return refusalOr(async () => {
    const urls: string[] = [];
    for await (const { StackResourceSummaries: resources = [] } of paginateListStackResources(
      { client },
      { StackName: stack },
    ))
      for (const { ResourceType, LogicalResourceId = "", PhysicalResourceId: url } of resources)
        if (ResourceType === "AWS::SQS::Queue" && LogicalResourceId.includes("DeadLetters") && url !== undefined)
          urls.push(url);
    return { kind: "queues" as const, urls };
  }).finally(() => client.destroy());
}
