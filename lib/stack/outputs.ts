/** The outputs of Lookout's stack, for users and their tools. */
import { CfnOutput, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { receiverSecretsText } from "#contracts/config/receiver-secrets";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { AccessRole } from "../access/access-role.ts";
import type { RegistryRole } from "../access/registry-role.ts";
import type { LookoutAlarms } from "../observability/alarms.ts";
import { awsAuthEntry, manifestsCommand } from "../access/cluster-access.ts";
import type { Parts } from "./parts.ts";

interface OutputSources extends Pick<Parts, "bus" | "configuration" | "httpApi" | "kept" | "table"> {
  readonly accessRole: AccessRole;
  readonly registryRole: RegistryRole;
  readonly alarms: LookoutAlarms;
}

/**
 * Adds the outputs with their names in the contracts. The names do not depend on the scope's depth.
 */
export function writeOutputs(scope: Construct, sources: OutputSources): void {
  const { accessRole, registryRole, alarms, bus, configuration, httpApi, kept, table } = sources;
  // Receivers that are added later have secrets of the stack, which exist.
  const receiverSecrets = receiverSecretsText(configuration.receivers, Stack.of(scope).stackName);
  const outputs: Readonly<Record<keyof typeof stackOutputs, readonly [value: string, description: string]>> = {
    apiUrl: [httpApi.url, "The base URL of /v1: requests are signed, and IAM authorizes them"],
    webhookUrl: [`${httpApi.url}/webhooks/`, "The URL for registries: append the receiver's name"],
    busArn: [bus.bus.eventBusArn, "The bus of facts, and of pushes from other accounts"],
    tableName: [table.table.tableName, "The table, which stays when the stack is deleted"],
    accessRoleArn: [accessRole.role.roleArn, "Lookout's role in clusters"],
    registryRoleArn: [registryRole.role.roleArn, "Lookout's role that assumes the roleArn of registries"],
    keptQueueUrl: [kept.queueUrl, "The queue of kept messages: Lookout does not retry them"],
    awsAuthEntry: [
      awsAuthEntry(accessRole.role),
      "The entry for mapRoles of aws-auth, in clusters without access entries",
    ],
    alarmTopicArn: [alarms.topic.topicArn, "The topic of the alarms: subscribe to it"],
    receiverSecrets: [receiverSecrets, "The place of the receivers' secrets: lookout doctor checks whether they exist"],
    manifestsCommand: [manifestsCommand, "The command to run once per cluster"],
  };
  for (const [what, [value, description]] of Object.entries(outputs)) {
    const name = stackOutputs[what as keyof typeof outputs];
    new CfnOutput(scope, name, { value, description }).overrideLogicalId(name);
  }
}
