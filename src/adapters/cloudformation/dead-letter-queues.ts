import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { routes } from "#contracts/routes";
import { type AwsRefusal, refusalOr } from "../shared/aws-errors.ts";
import { type CallerOptions, callerPatience } from "../shared/aws.ts";

/** URLs of Lookout's queues in a stack that take dead letters, in no order. */
export type DeadLetterQueues = { readonly kind: "queues"; readonly urls: readonly string[] } | AwsRefusal;

/** What CloudFormation's names of them have in them, which are letters and digits alone: each function has one of its own. */
const namedAfter = routes.map(({ stage, name }) => `${stage}${name}DeadLetters`.replaceAll("-", ""));

/** Finds the queues by what the stack calls them; it may have others, for other programs. */
export async function listDeadLetterQueues(stack: string, options: CallerOptions): Promise<DeadLetterQueues> {
  const client = new CloudFormationClient({ ...callerPatience, ...options });
  return refusalOr(async () => {
    const urls: string[] = [];
    for await (const { StackResourceSummaries: resources = [] } of paginateListStackResources(
      { client },
      { StackName: stack },
    ))
      for (const { ResourceType, LogicalResourceId = "", PhysicalResourceId: url } of resources)
        if (ResourceType === "AWS::SQS::Queue" && isOfLookout(LogicalResourceId) && url !== undefined) urls.push(url);
    return { kind: "queues" as const, urls };
  }).finally(() => client.destroy());
}

function isOfLookout(name: string): boolean {
  return namedAfter.some((part) => name.includes(part));
}
