/** What functions may read of ECR. */
import { Stack } from "aws-cdk-lib";
import type { Configuration } from "#contracts/config/configuration";
import type { Grantee } from "../shared/grantee.ts";

/** What asking for the tags and digests of a repository takes: it is asked by ECR's own API, without a token. */
export const repositoryReads = ["ecr:BatchGetImage", "ecr:ListImages"];

/**
 * Lets a function ask ECR which tags and digests there are: in every repository of this account, of the listed accounts where their
 * repositories let it, and with the roles that registries name.
 */
export function grantReadOfEcr(fn: Grantee, { accounts, registries }: Configuration): void {
  const stack = Stack.of(fn);
  const repositoriesOf = (account: string) =>
    stack.formatArn({ service: "ecr", region: "*", account, resource: "repository", resourceName: "*" });
  fn.allowMatching(repositoryReads, [stack.account, ...accounts].map(repositoriesOf), "repositories");
  fn.allow(["sts:AssumeRole"], [...new Set(registries.flatMap(({ roleArn }) => roleArn ?? []))]);
}
