/** The role that clusters let in. */
import { ArnPrincipal, CompositePrincipal, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { Configuration } from "#contracts/configuration";
import { environment } from "#contracts/environment";
import type { LookoutFunction } from "./lookout-function.ts";

/**
 * One role for all clusters. It may do nothing in AWS but take on the roles that clusters name: a token that is signed with it says who calls, and what it may do in a cluster is
 * said there. Only the functions that reach clusters may take it on.
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
    // Of other accounts, mostly: such a cluster lets a role of its own account in.
    const others = new Set(clusters.map(({ eks }) => eks?.roleArn).filter((arn) => arn !== undefined));
    if (others.size > 0)
      this.role.addToPolicy(new PolicyStatement({ actions: ["sts:AssumeRole"], resources: [...others] }));
    for (const fn of functions) this.grantAccess(fn);
  }

  /** Lets a function sign tokens and ask EKS where clusters are, and tells it the role. */
  private grantAccess(fn: LookoutFunction): void {
    const anyCluster = Stack.of(this).formatArn({
      service: "eks",
      region: "*",
      resource: "cluster",
      resourceName: "*",
    });
    fn.allow(["sts:AssumeRole"], [this.role.roleArn]);
    fn.allowMatching(["eks:DescribeCluster"], [anyCluster], "clusters");
    fn.tell(environment.accessRole, this.role.roleArn);
  }
}
