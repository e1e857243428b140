/** The VPCs that functions run in which reach clusters without a public endpoint. */
import { Annotations, Fn, Validations } from "aws-cdk-lib";
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
import type { ClusterConfiguration } from "#contracts/config/configuration";

type Network = NonNullable<ClusterConfiguration["network"]>;

/** A VPC, and what is said of it at the clusters that are reached from there. */
export interface SharedNetwork {
  readonly vpc: string;
  /** Their names, in the order of `lookout.yaml`. */
  readonly clusters: readonly string[];
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  /** Whether one of them names no security group, so that the stack makes one. */
  readonly ownGroup: boolean;
}

/** What one function may have. Source: https://docs.aws.amazon.com/lambda/latest/api/API_VpcConfig.html */
const most = { subnets: 16, securityGroups: 5 } as const;

/** The most VPCs of one stack: each takes some 23 resources of the five hundred that a stack may have, and its clusters take more. */
const mostNetworks = 8;

/**
 * Answers the VPCs that clusters are reached from, each once, with the subnets and security groups of all its clusters. More than a stack has
 * room for are an error of the scope.
 */
export function networksOf(scope: Construct, clusters: readonly ClusterConfiguration[]): readonly SharedNetwork[] {
  const placed = clusters.flatMap(({ name, network }) => (network === undefined ? [] : [{ name, network }]));
  const byVpc = [...Map.groupBy(placed, ({ network }) => network.vpc)];
  if (byVpc.length > mostNetworks)
    Annotations.of(scope).addError(
      `the clusters of lookout.yaml are in ${byVpc.length} VPCs, and a stack has room for ${mostNetworks}: ` +
        "name one VPC that reaches several of them, or deploy a second stack (LOOKOUT_STACK)",
    );
  return byVpc.slice(0, mostNetworks).map(([vpc, here]) => {
    const allOf = (of: (network: Network) => readonly string[]) => [
      ...new Set(here.flatMap(({ network }) => of(network))),
    ];
    const shared: SharedNetwork = {
      vpc,
      clusters: here.map(({ name }) => name),
      subnets: allOf(({ subnets }) => subnets),
      securityGroups: allOf((network) => network.securityGroups ?? []),
      ownGroup: here.some(({ network }) => network.securityGroups === undefined),
    };
    refuseTooMany(scope, shared);
    return shared;
  });
}

function refuseTooMany(scope: Construct, { vpc, clusters, subnets, securityGroups, ownGroup }: SharedNetwork): void {
  const counts = { subnets: subnets.length, securityGroups: securityGroups.length + Number(ownGroup) };
  for (const [what, count] of Object.entries(counts) as [keyof typeof most, number][])
    if (count > most[what])
      Annotations.of(scope).addError(
        `the functions in ${vpc} would have ${count} ${what}, and Lambda takes ${most[what]}: ` +
          `name fewer at ${clusters.join(", ")} (those in one VPC share theirs)`,
      );
}

/**
 * What Lambda does with the role of a function to connect it to a network, and must be let do to all resources: it names none before it makes one.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export const networkRights = [
  "ec2:AssignPrivateIpAddresses",
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:UnassignPrivateIpAddresses",
];

/** Subnets and security groups that are there already. The subnets need a way out to AWS. */
export class ClusterNetwork extends Construct {
  readonly vpc: string;
  /** The names of the clusters that are reached from here. */
  readonly clusters: readonly string[];
  /** What places a function into the network. */
  readonly placement: {
    readonly vpc: IVpc;
    readonly vpcSubnets: SubnetSelection;
    readonly securityGroups: ISecurityGroup[];
  };

  constructor(scope: Construct, { vpc: vpcId, clusters, subnets, securityGroups, ownGroup }: SharedNetwork) {
    super(scope, `Network-${vpcId}`);
    this.vpc = vpcId;
    this.clusters = clusters;
    // Nothing is looked up: a template needs no account, and only the ids are used.
    const vpc = Vpc.fromVpcAttributes(this, "Vpc", { vpcId, availabilityZones: [Fn.select(0, Fn.getAzs())] });
    this.placement = {
      vpc,
      vpcSubnets: { subnets: subnets.map((subnet) => this.subnet(subnet)) },
      securityGroups: [
        ...securityGroups.map((group) => SecurityGroup.fromSecurityGroupId(this, group, group)),
        // It lets everything out and nothing in.
        ...(ownGroup
          ? [new SecurityGroup(this, "Functions", { vpc, description: "Functions of Lookout that reach clusters" })]
          : []),
      ],
    };
  }

  private subnet(id: string): ISubnet {
    const subnet = Subnet.fromSubnetId(this, id, id);
    // Its route table would only be needed to change it.
    Validations.of(subnet).acknowledge({ id: "@aws-cdk/aws-ec2:noSubnetRouteTableId", reason: "only its id is used" });
    return subnet;
  }
}
