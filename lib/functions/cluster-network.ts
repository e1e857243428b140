/**
 * The VPCs of clusters without a public endpoint. Functions run in these VPCs to reach the
 * clusters.
 */
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

/** A VPC, with the settings of all clusters in it. */
export interface SharedNetwork {
  readonly vpc: string;
  /** The names of the clusters, in the order of `lookout.yaml`. */
  readonly clusters: readonly string[];
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  /** True when a cluster names no security group. The stack then creates one. */
  readonly ownGroup: boolean;
}

/** Lambda's limits per function: https://docs.aws.amazon.com/lambda/latest/api/API_VpcConfig.html */
const most = { subnets: 16, securityGroups: 5 } as const;

/**
 * The maximum number of VPCs in one stack. Each VPC needs about 23 of a stack's 500 resources, and its
 * clusters need more.
 */
const mostNetworks = 8;

/**
 * Returns each VPC once, with the subnets and security groups of all its clusters. Adds an error to
 * the scope if there are too many VPCs.
 */
export function networksOf(scope: Construct, clusters: readonly ClusterConfiguration[]): readonly SharedNetwork[] {
  const placed = clusters.flatMap(({ name, network }) => (network === undefined ? [] : [{ name, network }]));
  const byVpc = [...Map.groupBy(placed, ({ network }) => network.vpc)];
  if (byVpc.length > mostNetworks)
    Annotations.of(scope).addError(
      `the clusters of lookout.yaml are in ${byVpc.length} VPCs, and a stack can use ${mostNetworks}: ` +
        "use one VPC that reaches several clusters, or deploy a second stack (LOOKOUT_STACK)",
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
        `the functions in ${vpc} would have ${count} ${what}, and Lambda allows ${most[what]}: ` +
          `name fewer ${what} for ${clusters.join(", ")} (clusters in one VPC share subnets and security groups)`,
      );
}

/**
 * The actions that Lambda needs to connect a function to a VPC. These actions need the resource
 * `*`, because the network interfaces do not exist yet.
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

/**
 * A VPC with the subnets and security groups of functions. The subnets must be able to reach AWS.
 */
export class ClusterNetwork extends Construct {
  readonly vpc: string;
  /** The names of the clusters in this VPC. */
  readonly clusters: readonly string[];
  /** The properties of a function in this VPC. */
  readonly placement: {
    readonly vpc: IVpc;
    readonly vpcSubnets: SubnetSelection;
    readonly securityGroups: ISecurityGroup[];
  };

  constructor(scope: Construct, { vpc: vpcId, clusters, subnets, securityGroups, ownGroup }: SharedNetwork) {
    super(scope, `Network-${vpcId}`);
    this.vpc = vpcId;
    this.clusters = clusters;
    // Only ids are used, so that a template needs no lookup in an account.
    const vpc = Vpc.fromVpcAttributes(this, "Vpc", { vpcId, availabilityZones: [Fn.select(0, Fn.getAzs())] });
    this.placement = {
      vpc,
      vpcSubnets: { subnets: subnets.map((subnet) => this.subnet(subnet)) },
      securityGroups: [
        ...securityGroups.map((group) => SecurityGroup.fromSecurityGroupId(this, group, group)),
        // The created group allows all outgoing and no incoming traffic.
        ...(ownGroup
          ? [new SecurityGroup(this, "Functions", { vpc, description: "Functions of Lookout that reach clusters" })]
          : []),
      ],
    };
  }

  private subnet(id: string): ISubnet {
    const subnet = Subnet.fromSubnetId(this, id, id);
    // The CDK needs the route table's id only to change the table.
    Validations.of(subnet).acknowledge({
      id: "@aws-cdk/aws-ec2:noSubnetRouteTableId",
      reason: "only the subnet's id is used",
    });
    return subnet;
  }
}
