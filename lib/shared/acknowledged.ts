/** The rules of cdk-nag that the stack does not keep, and why. */
import { type Acknowledgment, Stack, Validations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Rules that are kept nowhere in the stack. Rights with a wildcard (AwsSolutions-IAM5) are acknowledged one by one: {@link wildcards}. */
export const acknowledged: readonly Acknowledgment[] = [
  {
    id: "AwsSolutions-APIG4",
    reason:
      "Registries can't sign for IAM: a webhook is let in by its receiver's secret. Everything else is behind IAM",
  },
  {
    id: "Serverless-LambdaTracing",
    reason:
      "Tracing takes 25 ms of each cold start; the correlation id in every log line and event tells the same way of an update",
  },
  {
    id: "Serverless-LambdaAsyncFailureDestination",
    reason: "Every function has a dead-letter queue, which keeps the whole event of a run that failed each time",
  },
  {
    id: "Serverless-LambdaEventSourceMappingDestination",
    reason: "A queue has no destination for failures: it redrives. The stream, which has none otherwise, has one",
  },
  {
    id: "Serverless-SQSRedrivePolicy",
    reason: "Dead-letter queues are where redriving ends; every queue of work redrives",
  },
];

/** Why a right names no single resource. */
export const wildcards = {
  accountWide: "AWS takes no resource for this action",
  networkInterfaces:
    "Lambda names no interface before it makes one, and alone has the right: the function's code is denied it",
  repositories: "which repositories are asked is said by the images of the workloads",
  clusters: "clusters are registered at run time too, in any region",
  memberRoles:
    "clusters of member accounts are registered at run time too; their roles are told from others by their path",
  schedules: "a one-shot schedule is named after the message that it sends",
} as const;

/** One of {@link wildcards}. */
export type Wildcard = keyof typeof wildcards;

/** Tells the validation that a right within a scope has a wildcard in its resource, and why. */
export function acknowledgeWildcard(scope: Construct, resource: string, why: Wildcard): void {
  const id = `AwsSolutions-IAM5[Resource::${flat(Stack.of(scope).resolve(resource))}]`;
  Validations.of(scope).acknowledge({ id, reason: wildcards[why] });
}

/** Writes what CloudFormation puts together at deploy time as cdk-nag does: `arn:<AWS::Partition>:…`. */
export function flat(value: unknown): string {
  if (typeof value === "string") return value;
  const { Ref: name, "Fn::Join": joined } = value as { Ref?: string; "Fn::Join"?: [string, unknown[]] };
  return joined === undefined ? `<${name ?? ""}>` : joined[1].map(flat).join(joined[0]);
}

/** Tells the validation which rules are not kept within a scope. */
export function acknowledgeRules(scope: Construct): void {
  Validations.of(scope).acknowledge(...acknowledged);
}
