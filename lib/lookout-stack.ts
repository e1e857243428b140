/** The stack that `cdk deploy` makes: one installation of Lookout. */
import { CfnOutput, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { receiverSecretsText } from "#contracts/receiver-secrets";
import { acknowledgeRules } from "./acknowledged.ts";
import { ClusterAccess, manifestsCommand } from "./cluster-access.ts";
import { configurationFor } from "./configuration.ts";
import { Lookout } from "./lookout.ts";

/** Which installation the stack is. */
export interface LookoutStackProps {
  /** The folder of the built functions, as `bundleFunctions` makes it. */
  readonly functions: string;
  /** The `lookout.yaml` to use. @default - the one of the working directory, if there is one */
  readonly configuration?: string | undefined;
  /**
   * Whether the clusters of lookout.yaml that are in this account and region get an access entry.
   *
   * @default true. False is for clusters without access entries, and for entries that are there already.
   */
  readonly accessEntries?: boolean;
}

/** One installation. What people and their tools need of it is in its outputs. */
export class LookoutStack extends Stack {
  readonly lookout: Lookout;

  constructor(scope: Construct, id: string, props: LookoutStackProps) {
    super(scope, id, {
      description: "Lookout: updates the images that run in Kubernetes clusters as soon as they are pushed",
    });
    const { functions, configuration, accessEntries = true } = props;
    this.lookout = new Lookout(this, "Lookout", { configuration: configurationFor(this, configuration), functions });
    acknowledgeRules(this);
    if (accessEntries) this.enterClusters();

    const { accessRole, alarms, bus, httpApi, table } = this.lookout;
    this.output("ApiUrl", httpApi.url, "Where /v1 is: requests are signed, and IAM says who may ask");
    this.output(
      "WebhookUrl",
      `${httpApi.url}/webhooks/`,
      "Where registries send their notifications: the receiver's name follows",
    );
    this.output("BusArn", bus.bus.eventBusArn, "The bus of facts, and of the pushes that other accounts forward");
    this.output("TableName", table.table.tableName, "The table: it stays when the stack is removed");
    this.output("AccessRoleArn", accessRole.role.roleArn, "The role that clusters let in");
    this.output("AlarmTopicArn", alarms.topic.topicArn, "What alarms tell: whoever is to be woken subscribes to it");
    this.output(
      "ReceiverSecrets",
      receiverSecretsText(this.lookout.configuration.receivers, this.stackName),
      "Where the secrets of receivers are kept: lookout doctor looks whether they are there",
    );
    this.output("ManifestsCommand", manifestsCommand, "What to type with kubectl at each cluster");
  }

  /** A cluster of another account has its own role, and one of another region is entered by hand: this stack can make neither entry. */
  private enterClusters(): void {
    const { configuration, accessRole } = this.lookout;
    for (const { name, eks } of configuration.clusters)
      if (eks !== undefined && eks.roleArn === undefined && eks.region === undefined)
        new ClusterAccess(this, `Access-${name}`, { clusterName: eks.name, roleArn: accessRole.role.roleArn });
  }

  private output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description });
  }
}
