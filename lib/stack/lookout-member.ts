/** The construct for an account whose images or clusters belong to a Lookout in another account. */
import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { EventBus as BusTarget } from "aws-cdk-lib/aws-events-targets";
import { ArnPrincipal, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { ecrPushPattern } from "#contracts/messages/events";
import { memberRolePath } from "../access/access-role.ts";
import { awsAuthEntry, enterCluster } from "../access/cluster-access.ts";
import { layerReads, repositoryReads } from "../access/ecr.ts";
import { deployedPattern } from "../shared/patterns.ts";
import { privateQueue } from "../shared/private-queue.ts";

/** The outputs of the Lookout stack, and the clusters that it may reach here. */
export interface LookoutMemberProps {
  /**
   * The output `LookoutBusArn`. The stack's lookout.yaml must list this account under `accounts`.
   */
  readonly busArn: string;
  /** The output `LookoutAccessRoleArn`. */
  readonly accessRoleArn: string;
  /** The output `LookoutRegistryRoleArn`. */
  readonly registryRoleArn: string;
  /** The EKS clusters of this account and region that Lookout may reach. @default - none */
  readonly clusterNames?: readonly string[];
  /**
   * More such clusters, in which the construct creates no access entry. Add the output `AwsAuthEntry`
   * to `mapRoles` of `aws-auth` there, or create the access entry yourself. @default - none
   */
  readonly clusterNamesWithoutEntry?: readonly string[];
  /**
   * Whether Lookout reads the platforms of single images here, for `nodePlatforms`. @default false
   */
  readonly readsLayers?: boolean;
}

/**
 * Forwards pushes to ECR of this account and region. The construct's roles let Lookout read the
 * repositories and reach the clusters. Lookout's sweep finds pushes that can't be forwarded.
 */
export class LookoutMember extends Construct {
  /** The role that reads tags and digests of every repository of this account. */
  readonly readRole: Role;
  /**
   * The role for `eks.roleArn` in lookout.yaml and for `lookout cluster add --role`. Undefined
   * without clusters.
   */
  readonly clusterRole: Role | undefined;

  constructor(scope: Construct, id: string, props: LookoutMemberProps) {
    super(scope, id);
    const { busArn, accessRoleArn, registryRoleArn, readsLayers = false } = props;
    const { clusterNames = [], clusterNamesWithoutEntry = [] } = props;
    this.forwardPushes(busArn);
    const actions = readsLayers ? [...repositoryReads, ...layerReads] : repositoryReads;
    this.readRole = this.roleThatReads(registryRoleArn, actions);
    const all = [...new Set([...clusterNames, ...clusterNamesWithoutEntry])];
    this.clusterRole = all.length > 0 ? this.roleThatEnters(all, accessRoleArn) : undefined;
    this.output("ReadRoleArn", this.readRole.roleArn, "The roleArn of this account's registry in lookout.yaml");
    if (this.clusterRole !== undefined)
      this.enterClusters(this.clusterRole, new Set(clusterNames), clusterNamesWithoutEntry);
  }

  private enterClusters(role: Role, clusterNames: ReadonlySet<string>, withoutEntry: readonly string[]): void {
    for (const clusterName of clusterNames)
      if (!withoutEntry.includes(clusterName)) enterCluster(this, { clusterName, role });
    this.output("ClusterRoleArn", role.roleArn, "The eks.roleArn of this account's clusters in lookout.yaml");
    if (withoutEntry.length > 0)
      this.output(
        "AwsAuthEntry",
        awsAuthEntry(role),
        "The entry for mapRoles of aws-auth, in clusters without access entries",
      );
  }

  private output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }

  /**
   * Forwards pushes. EventBridge keeps pushes that the bus does not accept in the queue, with the
   * reason as an attribute.
   */
  private forwardPushes(busArn: string): void {
    const { account } = Stack.of(this);
    const bus = EventBus.fromEventBusArn(this, "LookoutBus", busArn);
    const role = new Role(this, "ForwardRole", {
      description: "Lets EventBridge forward the pushes of this account to Lookout's bus",
      assumedBy: new ServicePrincipal("events.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": account } },
      }),
    });
    const deadLetterQueue = privateQueue(this, "Rejected", { retentionPeriod: Duration.days(14) });
    new Rule(this, "Pushes", {
      description: "Pushes to ECR of this account, for Lookout",
      eventPattern: deployedPattern(ecrPushPattern([account])),
      targets: [new BusTarget(bus, { role, deadLetterQueue })],
    });
    this.output(
      "RejectedPushes",
      deadLetterQueue.queueUrl,
      "The pushes of the last 14 days that Lookout's bus rejected",
    );
  }

  private roleThatReads(registryRoleArn: string, actions: readonly string[]): Role {
    const role = new Role(this, "ReadRole", {
      description: "Lets Lookout read the tags and digests of the repositories",
      assumedBy: new ArnPrincipal(registryRoleArn),
    });
    const allRepositories = { service: "ecr", region: "*", resource: "repository", resourceName: "*" };
    const repositories = Stack.of(this).formatArn(allRepositories);
    role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [repositories] }));
    return role;
  }

  private roleThatEnters(clusterNames: readonly string[], accessRoleArn: string): Role {
    const role = new Role(this, "ClusterRole", {
      description: "Lookout's identity in the clusters of this account",
      path: memberRolePath,
      assumedBy: new ArnPrincipal(accessRoleArn),
    });
    const clusters = clusterNames.map((resourceName) =>
      Stack.of(this).formatArn({ service: "eks", resource: "cluster", resourceName }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ["eks:DescribeCluster"], resources: clusters }));
    return role;
  }
}
