/** What functions may read of ECR. */
import { Stack } from "aws-cdk-lib";
import type { LookoutFunction } from "./lookout-function.ts";

/** Lets a function ask ECR which tags and digests there are, in every repository of this account and of the listed ones. */
export function grantReadOfEcr(fn: LookoutFunction, memberAccounts: readonly string[]): void {
  const stack = Stack.of(fn);
  const repositories = [stack.account, ...memberAccounts].map((account) =>
    // Which repositories are asked is said by the images of the workloads, not by the stack.
    stack.formatArn({ service: "ecr", region: "*", account, resource: "repository", resourceName: "*" }),
  );
  fn.allow(["ecr:BatchGetImage", "ecr:DescribeImages", "ecr:GetDownloadUrlForLayer", "ecr:ListImages"], repositories);
  // A token is for a whole registry, so that AWS takes no resource here.
  fn.allow(["ecr:GetAuthorizationToken"], ["*"]);
}
