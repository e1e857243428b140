/** The role that has access to the clusters. */
import type { Role } from "aws-cdk-lib/aws-iam";
import { Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { Configuration } from "#contracts/config/configuration";
import { environment } from "#contracts/aws/environment";
import { acknowledgeWildcard } from "../shared/acknowledged.ts";
import type { Grantee } from "../shared/grantee.ts";
import { allow } from "./policies.ts";
import { sharedRole } from "./shared-role.ts";

/**
 * The path of the roles in member accounts. The path distinguishes these roles from all other roles
 * there.
 */
export const memberRolePath = "/lookout/";

/**
 * One role for all clusters. The role may describe EKS clusters and assume the roles of other
 * accounts. Each cluster defines the role's rights in that cluster. Only functions that reach
 * clusters may assume the role.
 */
export class AccessRole extends Construct {
  readonly role: Role;

  /** @param functions - the functions that reach clusters. */
  constructor(scope: Construct, id: string, functions: readonly Grantee[], configuration: Configuration) {
    super(scope, id);
    this.role = sharedRole(this, {
      description: "Lookout's identity in clusters; an access entry or aws-auth names it",
      functions,
      variable: environment.accessRole,
    });
    this.allowAskingForClusters();
    this.allowOtherRoles(configuration);
  }

  private allowAskingForClusters(): void {
    const cluster = { service: "eks", region: "*", resource: "cluster", resourceName: "*" };
    const anyCluster = Stack.of(this).formatArn(cluster);
    allow(this.role, ["eks:DescribeCluster"], [anyCluster]);
    acknowledgeWildcard(this.role, anyCluster, "clusters");
  }

  /**
   * Lets the role assume the roles in lookout.yaml, and all roles of `LookoutMember`. Clusters of
   * member accounts may be registered at run time.
   */
  private allowOtherRoles({ clusters, accounts }: Configuration): void {
    const named = clusters.flatMap(({ eks }) => eks?.roleArn ?? []).filter((arn) => !isOfMember(arn, accounts));
    const ofMembers = accounts.map((account) =>
      Stack.of(this).formatArn({
        service: "iam",
        region: "",
        account,
        resource: "role",
        resourceName: `${memberRolePath.slice(1)}*`,
      }),
    );
    allow(this.role, ["sts:AssumeRole"], [...new Set([...named, ...ofMembers])]);
    for (const arn of ofMembers) acknowledgeWildcard(this.role, arn, "memberRoles");
  }
}

/**
 * Returns whether `LookoutMember` created a role. A wildcard of the policy covers the roles of
 * `LookoutMember`.
 */
function isOfMember(roleArn: string, accounts: readonly string[]): boolean {
  const [, , , , account = "", role = ""] = roleArn.split(":");
  return accounts.includes(account) && role.startsWith(`role${memberRolePath}`);
}
