/** The VPC that functions run in which reach clusters without a public endpoint. */
import { Annotations, Stack, Validations } from "aws-cdk-lib";
import {
  type ISecurityGroup,
  type ISubnet,
  SecurityGroup,
  Subnet,
  Vpc,
  type SubnetSelection,
  type IVpc,
} from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import type { ClusterConfiguration } from "#contracts/configuration";

type Network = NonNullable<ClusterConfiguration["network"]>;

/**
 * Answers the network that all clusters with one can be reached from: undefined when none has one. A function is in one VPC alone: clusters of
 * two are an error of the scope.
 */
export function networkOf(scope: Construct, clusters: readonly ClusterConfiguration[]): Network | undefined {
  const networks = clusters.flatMap(({ name, network }) => (network === undefined ? [] : [{ name, network }]));
  const [first] = networks;
  if (first === undefined) return undefined;
  const other = networks.find(({ network }) => network.vpc !== first.network.vpc);
  if (other !== undefined)
    Annotations.of(scope).addError(
      `the cluster ${first.name} is in ${first.network.vpc} and ${other.name} in ${other.network.vpc}, but a function can be in one VPC: ` +
        `name one that reaches both (network: {vpc: ${first.network.vpc}, …}), or deploy a stack for each`,
    );
  const allOf = (of: (network: Network) => readonly string[]) => [
    ...new Set(networks.flatMap(({ network }) => of(network))),
  ];
  const securityGroups = allOf((network) => network.securityGroups ?? []);
  return {
    vpc: first.network.vpc,
    subnets: allOf(({ subnets }) => subnets),
    ...(securityGroups.length > 0 ? { securityGroups } : {}),
  };
}

/** Subnets and security groups that are there already. The subnets need a way out to AWS. */
export class ClusterNetwork extends Construct {
  /** What places a function into the network. */
  readonly placement: {
    readonly vpc: IVpc;
    readonly vpcSubnets: SubnetSelection;
    readonly securityGroups: ISecurityGroup[];
  };

  /** What Lambda must be let do on behalf of a function in the network. */
  readonly rights = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
  ];

  constructor(scope: Construct, id: string, { vpc: vpcId, subnets, securityGroups }: Network) {
    super(scope, id);
    // Nothing is looked up: a template needs no account, and only the ids are used.
    const vpc = Vpc.fromVpcAttributes(this, "Vpc", { vpcId, availabilityZones: Stack.of(this).availabilityZones });
    this.placement = {
      vpc,
      vpcSubnets: { subnets: subnets.map((subnet) => this.subnet(subnet)) },
      securityGroups: securityGroups?.map((group) => SecurityGroup.fromSecurityGroupId(this, group, group)) ??
        // It lets everything out and nothing in.
        [new SecurityGroup(this, "Functions", { vpc, description: "Functions of Lookout that reach clusters" })],
    };
  }

  private subnet(id: string): ISubnet {
    const subnet = Subnet.fromSubnetId(this, id, id);
    // Its route table would only be needed to change it.
    Validations.of(subnet).acknowledge({ id: "@aws-cdk/aws-ec2:noSubnetRouteTableId", reason: "only its id is used" });
    return subnet;
  }
}
