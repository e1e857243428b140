/** The rules of cdk-nag that the stack breaks, with reasons. */
import { type Acknowledgment, Stack, Validations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Rules that the whole stack breaks. Rights with wildcards are acknowledged one by one: {@link wildcards}. */
export const acknowledged: readonly Acknowledgment[] = [
  {
    id: "AwsSolutions-APIG4",
    reason:
      "Registries can't sign for IAM: a webhook is authenticated by its receiver's secret. All other routes use IAM",
  },
  {
    id: "Serverless-LambdaTracing",
    reason: "Tracing adds 25 ms to each cold start. Every log line and event has the correlation id of its update",
  },
  {
    id: "Serverless-LambdaAsyncFailureDestination",
    reason: "Every function has a dead-letter queue for the events whose runs all failed",
  },
  {
    id: "Serverless-LambdaEventSourceMappingDestination",
    reason: "A queue redrives its failures. The stream has a destination for them",
  },
  {
    id: "Serverless-SQSRedrivePolicy",
    reason: "Dead-letter queues are the end of redriving. All other queues redrive",
  },
];

/** The reasons for wildcards in the resources of rights. */
export const wildcards = {
  accountWide: "AWS allows no resource for this action",
  networkInterfaces:
    "The network interfaces do not exist yet. Only Lambda has the right: the function's code is denied it",
  repositories: "the images of workloads decide which repositories are read",
  clusters: "clusters are registered at run time too, in any region",
  memberRoles: "clusters of member accounts are registered at run time too. Their roles have their own path",
  schedules: "a one-shot schedule is named after the message that it sends",
} as const;

/** One of {@link wildcards}. */
export type Wildcard = keyof typeof wildcards;

/** Acknowledges a wildcard in a resource of a scope's rights. */
export function acknowledgeWildcard(scope: Construct, resource: string, why: Wildcard): void {
  const id = `AwsSolutions-IAM5[Resource::${flat(Stack.of(scope).resolve(resource))}]`;
  Validations.of(scope).acknowledge({ id, reason: wildcards[why] });
}

/** Returns a CloudFormation expression as cdk-nag writes it: `arn:<AWS::Partition>:…`. */
export function flat(value: unknown): string {
  if (typeof value === "string") return value;
  const { Ref: name, "Fn::Join": joined } = value as { Ref?: string; "Fn::Join"?: [string, unknown[]] };
  return joined === undefined ? `<${name ?? ""}>` : joined[1].map(flat).join(joined[0]);
}

/** Acknowledges the rules that a scope breaks. */
export function acknowledgeRules(scope: Construct): void {
  Validations.of(scope).acknowledge(...acknowledged);
}
