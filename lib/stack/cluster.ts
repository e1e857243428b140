/** The clusters of an installation, as objects of a CDK app. */
import { Annotations, Token } from "aws-cdk-lib";
import type { IVpc, SubnetSelection } from "aws-cdk-lib/aws-ec2";
import type { ICluster } from "aws-cdk-lib/aws-eks";
import type { Construct } from "constructs";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import { checked } from "../shared/configuration.ts";

/** What every cluster may have. */
export interface ClusterOptions {
  /** The name of the cluster in commands and messages. @default - its name in EKS */
  readonly name?: string;
  /**
   * Whether the stack creates the access entry.
   *
   * @default true. Use false for clusters with `aws-auth`, and when the entry exists.
   */
  readonly accessEntry?: boolean;
  /** The namespaces that Lookout tracks, as `namespaces` of `lookout.yaml`. @default - all */
  readonly namespaces?: Readonly<Record<string, unknown>>;
}

/** An imported cluster. */
export interface EksClusterOptions extends ClusterOptions {
  /** The VPC of the functions that reach the cluster. Its ids must be known: `Vpc.fromLookup`. @default - outside any VPC */
  readonly vpc?: IVpc;
  /** @default - the private subnets of the VPC */
  readonly vpcSubnets?: SubnetSelection;
}

/** A cluster that is known by its name in EKS. */
export interface NamedClusterOptions extends ClusterOptions {
  /** @default - the region of the stack */
  readonly region?: string;
  /** The role in the account of the cluster. @default - the stack's access role */
  readonly roleArn?: string;
  /** The network of the functions, as `network` of `lookout.yaml`. @default - outside any VPC */
  readonly network?: {
    readonly vpc: string;
    readonly subnets: readonly string[];
    readonly securityGroups?: readonly string[];
  };
}

/** A cluster of an installation, beside the clusters of its settings. */
export class Cluster {
  /** Returns the entry of `clusters` in `lookout.yaml`, before its check. */
  readonly bind: (scope: Construct) => object;

  private constructor(bind: (scope: Construct) => object) {
    this.bind = bind;
  }

  /**
   * Takes an imported cluster, whose name is known before the deployment. For a cluster of this app, use
   * {@link Cluster.named}, and let the stack of Lookout depend on its stack.
   */
  static eks(cluster: ICluster, options: EksClusterOptions = {}): Cluster {
    return new Cluster((scope) => {
      const { vpc, vpcSubnets, ...common } = options;
      const eksName = known(scope, cluster.clusterName, "the name of the EKS cluster: use Cluster.named with its name");
      const network = vpc === undefined ? {} : { network: networkIn(scope, vpc, vpcSubnets) };
      return entryOf(eksName, common, network);
    });
  }

  /** Names a cluster of EKS. */
  static named(eksName: string, options: NamedClusterOptions = {}): Cluster {
    return new Cluster(() => {
      const { region, roleArn, network, ...common } = options;
      const place = { ...(region === undefined ? {} : { region }), ...(roleArn === undefined ? {} : { roleArn }) };
      return entryOf(eksName, common, network === undefined ? {} : { network }, place);
    });
  }
}

/** Returns the checked entries of clusters. */
export function entriesOf(scope: Construct, clusters: readonly Cluster[]): readonly ClusterConfiguration[] {
  return checked(scope, { clusters: clusters.map((cluster) => cluster.bind(scope)) }).clusters;
}

function entryOf(
  eksName: string,
  { name = eksName, accessEntry = true, namespaces }: ClusterOptions,
  network: object,
  place: object = {},
): object {
  const eks = { name: eksName, ...place, ...(accessEntry ? {} : { accessEntry }) };
  return { name, eks, ...network, ...(namespaces === undefined ? {} : { namespaces }) };
}

function networkIn(scope: Construct, vpc: IVpc, vpcSubnets: SubnetSelection | undefined): object {
  const remedy = "import the VPC with Vpc.fromLookup, or name it under network: in lookout.yaml";
  const { subnetIds } = vpc.selectSubnets(vpcSubnets);
  return {
    vpc: known(scope, vpc.vpcId, `the id of the VPC: ${remedy}`),
    subnets: subnetIds.map((id) => known(scope, id, `the ids of the subnets: ${remedy}`)),
  };
}

/**
 * Returns a text that is known before the deployment. The functions' code and the names of queues hold
 * these texts.
 */
function known(scope: Construct, text: string, what: string): string {
  if (Token.isUnresolved(text)) Annotations.of(scope).addError(`before the deployment, Lookout must know ${what}`);
  return Token.isUnresolved(text) ? "unknown" : text;
}
