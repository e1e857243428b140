import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** A resource of a stack. */
export interface StackResource {
  /** Such as `AWS::SQS::Queue`. */
  readonly type: string;
  /** The logical id: letters and digits. */
  readonly id: string;
  readonly physicalId: string;
}

/** The resources of a stack, in no order. */
export type ResourcesRead = { readonly kind: "resources"; readonly all: readonly StackResource[] } | AwsRefusal;

/** Lists the created resources of a stack. */
export async function listResources(stack: string, options: UserOptions): Promise<ResourcesRead> {
  const client = new CloudFormationClient({ ...userClientOptions, ...options });
  return callOnce(client, async () => {
    const all: StackResource[] = [];
    for await (const { StackResourceSummaries: resources = [] } of paginateListStackResources(
      { client },
      { StackName: stack },
    ))
      for (const { ResourceType: type = "", LogicalResourceId: id = "", PhysicalResourceId: physicalId } of resources)
        if (physicalId !== undefined) all.push({ type, id, physicalId });
    return { kind: "resources" as const, all };
  });
}
