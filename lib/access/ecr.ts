/** Read rights on ECR. */
import { Stack } from "aws-cdk-lib";
import type { Configuration } from "#contracts/config/configuration";
import type { Grantee } from "../shared/grantee.ts";

/** The actions that read tags and digests through ECR's own API. */
export const repositoryReads = ["ecr:BatchGetImage", "ecr:ListImages"];

/** The action that reads the platform of a single image. This action reads layers too. */
export const layerReads = ["ecr:GetDownloadUrlForLayer"];

/**
 * Lets a function read tags and digests in ECR, in this account and the listed accounts. The
 * function may read layers only when a `nodePlatforms` setting needs the platforms of images.
 */
export function grantReadOfEcr(fn: Grantee, { accounts, clusters, defaults }: Configuration): void {
  const stack = Stack.of(fn);
  const repositoriesOf = (account: string) =>
    stack.formatArn({ service: "ecr", region: "*", account, resource: "repository", resourceName: "*" });
  const rules = [defaults, ...clusters].map(({ nodePlatforms = "ignore" }) => nodePlatforms);
  const reads = rules.every((rule) => rule === "ignore") ? repositoryReads : [...repositoryReads, ...layerReads];
  fn.allowMatching(reads, [stack.account, ...accounts].map(repositoriesOf), "repositories");
}
