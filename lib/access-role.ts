/** The role that clusters let in. */
import { ArnPrincipal, CompositePrincipal, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { Configuration } from "#contracts/configuration";
import { environment } from "#contracts/environment";
import { acknowledgeWildcard } from "./acknowledged.ts";
import type { LookoutFunction } from "./lookout-function.ts";

/**
 * One role for all clusters. In AWS it asks where clusters are, and takes on the roles that clusters of other accounts let in; what it may do
 * in a cluster is said there. Only the functions that reach clusters may take it on.
 */
export class AccessRole extends Construct {
  readonly role: Role;

  /** @param functions - those that reach clusters. */
  constructor(scope: Construct, id: string, functions: readonly LookoutFunction[], { clusters }: Configuration) {
    super(scope, id);
    this.role = new Role(this, "Role", {
      description: "What Lookout's functions show clusters; an access entry or aws-auth names it",
      assumedBy: new CompositePrincipal(...functions.map(({ role }) => new ArnPrincipal(role.roleArn))),
    });
    this.allowAskingForClusters();
    const others = new Set(clusters.map(({ eks }) => eks?.roleArn).filter((arn) => arn !== undefined));
    if (others.size > 0)
      this.role.addToPolicy(new PolicyStatement({ actions: ["sts:AssumeRole"], resources: [...others] }));
    for (const fn of functions) this.grantAccess(fn);
  }

  private allowAskingForClusters(): void {
    const cluster = { service: "eks", region: "*", resource: "cluster", resourceName: "*" };
    const anyCluster = Stack.of(this).formatArn(cluster);
    this.role.addToPolicy(new PolicyStatement({ actions: ["eks:DescribeCluster"], resources: [anyCluster] }));
    acknowledgeWildcard(this.role, anyCluster, "clusters");
  }

  /** Lets a function take the role on, and tells it which one it is. */
  private grantAccess(fn: LookoutFunction): void {
    fn.allow(["sts:AssumeRole"], [this.role.roleArn]);
    fn.tell(environment.accessRole, this.role.roleArn);
  }
}
