/** What functions may read of ECR. */
import { Stack } from "aws-cdk-lib";
import type { LookoutFunction } from "./lookout-function.ts";

/** What asking for the tags and digests of a repository takes: it is asked by ECR's own API, without a token. */
export const repositoryReads = ["ecr:BatchGetImage", "ecr:ListImages"];

/** Lets a function ask ECR which tags and digests there are, in every repository of this account and of the listed ones. */
export function grantReadOfEcr(fn: LookoutFunction, memberAccounts: readonly string[]): void {
  const stack = Stack.of(fn);
  const repositories = [stack.account, ...memberAccounts].map((account) =>
    stack.formatArn({ service: "ecr", region: "*", account, resource: "repository", resourceName: "*" }),
  );
  fn.allowMatching(repositoryReads, repositories, "repositories");
}
