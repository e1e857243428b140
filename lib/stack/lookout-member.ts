/** What an account has whose images or clusters a Lookout of another account looks after. */
import { Arn, ArnFormat, CfnOutput, Stack, Token } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { EventBus as BusTarget } from "aws-cdk-lib/aws-events-targets";
import { AccountPrincipal, ArnPrincipal, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { ecrPushPattern } from "#contracts/messages/events";
import { memberRolePath } from "../access/access-role.ts";
import { ClusterAccess } from "../access/cluster-access.ts";
import { repositoryReads } from "../access/ecr.ts";
import { deployedPattern } from "../messaging/image-pushes.ts";

/** Characters of a stack's name that are in the names of its roles in any case. */
const keptOfName = 20;

/** The installation that this account belongs to, by the outputs of its stack, and what it may reach here. */
export interface LookoutMemberProps {
  /** `LookoutBusArn`. That installation lists this account under `accounts`. */
  readonly busArn: string;
  /** `LookoutAccessRoleArn`. */
  readonly accessRoleArn: string;
  /** What that stack is called. @default "Lookout" */
  readonly stackName?: string;
  /** The EKS clusters of this account and region that Lookout works in. @default - none */
  readonly clusterNames?: readonly string[];
}

/**
 * Forwards pushes to ECR of this account and region, and offers the roles with which Lookout reads the repositories and enters the clusters
 * here. A push that can't be forwarded is found by Lookout's sweep.
 */
export class LookoutMember extends Construct {
  /** Reads tags and digests of every repository of this account. */
  readonly readRole: Role;
  /** What clusters let in: `eks.roleArn` of lookout.yaml, `--role` of `lookout cluster add`. Absent without a cluster. */
  readonly clusterRole: Role | undefined;

  constructor(scope: Construct, id: string, props: LookoutMemberProps) {
    super(scope, id);
    const { busArn, accessRoleArn, stackName = "Lookout", clusterNames = [] } = props;
    this.forwardPushes(busArn);
    this.readRole = this.roleThatReads(Arn.split(busArn, ArnFormat.SLASH_RESOURCE_NAME).account ?? "", stackName);
    this.clusterRole = clusterNames.length > 0 ? this.roleThatEnters(clusterNames, accessRoleArn) : undefined;
    this.output("ReadRoleArn", this.readRole, "What lookout.yaml calls roleArn of this account's registry");
    if (this.clusterRole !== undefined)
      this.output("ClusterRoleArn", this.clusterRole, "What lookout.yaml calls eks.roleArn of the clusters here");
  }

  private output(id: string, { roleArn: value }: Role, description: string): void {
    new CfnOutput(this, id, { value, description });
  }

  private forwardPushes(busArn: string): void {
    new Rule(this, "Pushes", {
      description: "Pushes to ECR of this account, for Lookout",
      eventPattern: deployedPattern(ecrPushPattern([Stack.of(this).account])),
      targets: [new BusTarget(EventBus.fromEventBusArn(this, "LookoutBus", busArn))],
    });
  }

  /** CloudFormation names the roles of functions after their stack, and cuts a long name of it where theirs would be over 64 characters. */
  private roleThatReads(account: string, stackName: string): Role {
    const stack = Stack.of(this);
    const isLong = !Token.isUnresolved(stackName) && stackName.length > keptOfName;
    const functions = stack.formatArn({
      service: "iam",
      region: "",
      account,
      resource: "role",
      resourceName: `${isLong ? stackName.slice(0, keptOfName) : `${stackName}-`}*`,
    });
    const role = new Role(this, "ReadRole", {
      description: "With which Lookout asks which tags and digests the repositories have",
      assumedBy: new AccountPrincipal(account).withConditions({ ArnLike: { "aws:PrincipalArn": functions } }),
    });
    const repositories = stack.formatArn({ service: "ecr", region: "*", resource: "repository", resourceName: "*" });
    role.addToPolicy(new PolicyStatement({ actions: repositoryReads, resources: [repositories] }));
    return role;
  }

  private roleThatEnters(clusterNames: readonly string[], accessRoleArn: string): Role {
    const role = new Role(this, "ClusterRole", {
      description: "Whose tokens the clusters here let in as Lookout",
      path: memberRolePath,
      assumedBy: new ArnPrincipal(accessRoleArn),
    });
    const clusters = clusterNames.map((resourceName) =>
      Stack.of(this).formatArn({ service: "eks", resource: "cluster", resourceName }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ["eks:DescribeCluster"], resources: clusters }));
    for (const clusterName of clusterNames)
      new ClusterAccess(this, `Access-${clusterName}`, { clusterName, roleArn: role.roleArn });
    return role;
  }
}
