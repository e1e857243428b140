import { environment as names, queueVariable } from "#contracts/environment";
import { networkQueueName, reachesClusters, vpcOf } from "#contracts/networks";
import type { Command } from "#domain/work";
import { type Surroundings, variable } from "./part.ts";

/**
 * Answers where a command is sent to: its queue in the network that its cluster is reached from.
 *
 * @param group - that of the message: the cluster, where the command reaches clusters.
 * @throws PermanentError when this function may not send the command.
 */
export function queueUrl(
  command: Command,
  group: string,
  { environment, configuration }: Pick<Surroundings, "environment" | "configuration">,
): string {
  const outside = variable(
    environment,
    queueVariable(command),
    `the construct of the queues sets it on functions that send ${command}`,
  );
  const vpc = reachesClusters(command) ? vpcOf(group, configuration) : undefined;
  if (vpc === undefined) return outside;
  const stack = variable(environment, names.stack, "the construct of the function sets it");
  return outside.slice(0, outside.lastIndexOf("/") + 1) + networkQueueName(stack, command, vpc);
}
