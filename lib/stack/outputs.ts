/** Where everything is that people and their tools ask for: the outputs of whichever stack Lookout is in. */
import { CfnOutput, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { receiverSecretsText } from "#contracts/config/receiver-secrets";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { AccessRole } from "../access/access-role.ts";
import type { LookoutAlarms } from "../observability/alarms.ts";
import { manifestsCommand } from "../access/cluster-access.ts";
import type { Parts } from "./parts.ts";

/** What the outputs tell of. */
interface Told extends Pick<Parts, "bus" | "configuration" | "httpApi" | "table"> {
  readonly accessRole: AccessRole;
  readonly alarms: LookoutAlarms;
}

/** Writes the outputs under their names in the contracts, which are the same however deep in the stack the scope is. */
export function writeOutputs(scope: Construct, told: Told): void {
  const { accessRole, alarms, bus, configuration, httpApi, table } = told;
  const receiverSecrets = receiverSecretsText(configuration.receivers, Stack.of(scope).stackName);
  const outputs: Readonly<Record<keyof typeof stackOutputs, readonly [value: string, description: string]>> = {
    apiUrl: [httpApi.url, "Where /v1 is: requests are signed, and IAM says who may ask"],
    webhookUrl: [`${httpApi.url}/webhooks/`, "Where registries send their notifications: the receiver's name follows"],
    busArn: [bus.bus.eventBusArn, "The bus of facts, and of the pushes that other accounts forward"],
    tableName: [table.table.tableName, "The table: it stays when the stack is removed"],
    accessRoleArn: [accessRole.role.roleArn, "The role that clusters let in"],
    alarmTopicArn: [alarms.topic.topicArn, "What alarms tell: whoever is to be woken subscribes to it"],
    receiverSecrets: [
      receiverSecrets,
      "Where the secrets of receivers are kept: lookout doctor looks whether they are there",
    ],
    manifestsCommand: [manifestsCommand, "What to type with kubectl at each cluster"],
  };
  for (const [what, [value, description]] of Object.entries(outputs)) {
    const name = stackOutputs[what as keyof typeof outputs];
    new CfnOutput(scope, name, { value, description }).overrideLogicalId(name);
  }
}
