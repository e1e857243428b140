/** What functions may read of ECR. */
import { Stack } from "aws-cdk-lib";
import type { LookoutFunction } from "./lookout-function.ts";

/** What asking for the tags and digests of a repository takes. */
export const repositoryReads = [
  "ecr:BatchGetImage",
  "ecr:DescribeImages",
  "ecr:GetDownloadUrlForLayer",
  "ecr:ListImages",
];

/** Lets a function ask ECR which tags and digests there are, in every repository of this account and of the listed ones. */
export function grantReadOfEcr(fn: LookoutFunction, memberAccounts: readonly string[]): void {
  const stack = Stack.of(fn);
  const repositories = [stack.account, ...memberAccounts].map((account) =>
    stack.formatArn({ service: "ecr", region: "*", account, resource: "repository", resourceName: "*" }),
  );
  fn.allowMatching(repositoryReads, repositories, "repositories");
  fn.allowMatching(["ecr:GetAuthorizationToken"], ["*"], "accountWide");
}
