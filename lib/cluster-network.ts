/** The VPC that functions run in which reach clusters without a public endpoint. */
import { Stack } from "aws-cdk-lib";
import { type ISecurityGroup, SecurityGroup, Subnet, Vpc, type SubnetSelection, type IVpc } from "aws-cdk-lib/aws-ec2";
import { PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";

/** Where clusters are reached from. */
export interface ClusterNetworkProps {
  readonly vpc: string;
  readonly subnets: readonly string[];
  /** Empty: the construct makes one that lets everything out and nothing in. */
  readonly securityGroups: readonly string[];
}

/** Subnets and security groups that are there already. The subnets need a way out to AWS. */
export class ClusterNetwork extends Construct {
  /** What places a function into the network. */
  readonly placement: {
    readonly vpc: IVpc;
    readonly vpcSubnets: SubnetSelection;
    readonly securityGroups: ISecurityGroup[];
  };

  constructor(scope: Construct, id: string, { vpc: vpcId, subnets, securityGroups }: ClusterNetworkProps) {
    super(scope, id);
    // Nothing is looked up: a template needs no account, and only the ids are used.
    const vpc = Vpc.fromVpcAttributes(this, "Vpc", { vpcId, availabilityZones: Stack.of(this).availabilityZones });
    this.placement = {
      vpc,
      vpcSubnets: { subnets: subnets.map((subnet) => Subnet.fromSubnetId(this, subnet, subnet)) },
      securityGroups:
        securityGroups.length > 0
          ? securityGroups.map((group) => SecurityGroup.fromSecurityGroupId(this, group, group))
          : [new SecurityGroup(this, "Functions", { vpc, description: "Lookout's functions that reach clusters" })],
    };
  }

  /** Lets a function's role attach it to the network. AWS checks these rights without a resource. */
  grantJoin(role: Role): void {
    role.addToPolicy(
      new PolicyStatement({
        actions: [
          "ec2:AssignPrivateIpAddresses",
          "ec2:CreateNetworkInterface",
          "ec2:DeleteNetworkInterface",
          "ec2:DescribeNetworkInterfaces",
          "ec2:DescribeSubnets",
          "ec2:UnassignPrivateIpAddresses",
        ],
        resources: ["*"],
      }),
    );
  }
}
