/** The rules of cdk-nag that the stack breaks, with reasons. */
import { type Acknowledgment, Stack, Validations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/**
 * Rules that the whole stack breaks. Rights with wildcards are acknowledged one by one:
 * {@link wildcards}.
 */
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
    id: "Serverless-LambdaDLQ",
    reason: "Only schedules start functions that nothing waits for. Their failed events have a destination",
  },
  {
    id: "Serverless-LambdaEventSourceMappingDestination",
    reason: "A queue redrives failed messages. The stream has a destination for failed writes",
  },
  {
    id: "Serverless-SQSRedrivePolicy",
    reason: "A dead-letter queue does not redrive. All other queues redrive",
  },
  {
    id: "Serverless-SNSRedrivePolicy",
    reason: "The only subscriptions are addresses of people. The dashboard shows an alarm whose mail was lost",
  },
];

/** The reasons for wildcards in the resources of rights. */
export const wildcards = {
  accountWide: "AWS allows no resource for this action",
  networkInterfaces:
    "The network interfaces do not exist yet. Only Lambda has this right: the function's code is denied the right",
  repositories: "Lookout reads the repositories of all images of workloads",
  clusters: "users may register clusters of any region at run time",
  memberRoles:
    "users may register clusters of member accounts at run time. The roles of these clusters have their own path",
  schedules: "a one-shot schedule is named after the message that it sends",
} as const;

/** The key of a reason in {@link wildcards}. */
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
