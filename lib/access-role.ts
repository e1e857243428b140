/** The role that clusters let in. */
import { ArnPrincipal, CompositePrincipal, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { Configuration } from "#contracts/configuration";
import { environment } from "#contracts/environment";
import { acknowledgeWildcard } from "./acknowledged.ts";
import type { LookoutFunction } from "./lookout-function.ts";
import { inHundreds } from "./member-accounts.ts";

/** The path of the roles that clusters of member accounts let in: by it they are told from all other roles there. */
export const memberRolePath = "/lookout/";

/**
 * One role for all clusters. In AWS it asks where clusters are, and takes on the roles that clusters of other accounts let in; what it may do
 * in a cluster is said there. Only the functions that reach clusters may take it on.
 */
export class AccessRole extends Construct {
  readonly role: Role;

  /** @param functions - those that reach clusters. */
  constructor(scope: Construct, id: string, functions: readonly LookoutFunction[], configuration: Configuration) {
    super(scope, id);
    this.role = new Role(this, "Role", {
      description: "What Lookout's functions show clusters; an access entry or aws-auth names it",
      assumedBy: new CompositePrincipal(...functions.map(({ role }) => new ArnPrincipal(role.roleArn))),
    });
    this.allowAskingForClusters();
    this.allowOtherRoles(configuration);
    for (const fn of functions) this.grantAccess(fn);
  }

  private allowAskingForClusters(): void {
    const cluster = { service: "eks", region: "*", resource: "cluster", resourceName: "*" };
    const anyCluster = Stack.of(this).formatArn(cluster);
    this.role.addToPolicy(new PolicyStatement({ actions: ["eks:DescribeCluster"], resources: [anyCluster] }));
    acknowledgeWildcard(this.role, anyCluster, "clusters");
  }

  /** Those that lookout.yaml names, and in member accounts those of `LookoutMember`: their clusters may be registered at run time. */
  private allowOtherRoles({ clusters, accounts }: Configuration): void {
    const named = clusters.map(({ eks }) => eks?.roleArn).filter((arn) => arn !== undefined);
    const ofMembers = accounts.map((account) =>
      Stack.of(this).formatArn({
        ...{ service: "iam", region: "", account },
        ...{ resource: "role", resourceName: `${memberRolePath.slice(1)}*` },
      }),
    );
    for (const some of inHundreds([...new Set([...named, ...ofMembers])]))
      this.role.addToPolicy(new PolicyStatement({ actions: ["sts:AssumeRole"], resources: [...some] }));
    for (const arn of ofMembers) acknowledgeWildcard(this.role, arn, "memberRoles");
  }

  /** Lets a function take the role on, and tells it which one it is. */
  private grantAccess(fn: LookoutFunction): void {
    fn.allow(["sts:AssumeRole"], [this.role.roleArn]);
    fn.tell(environment.accessRole, this.role.roleArn);
  }
}
