import type { CommandName } from "#domain/update/commands";
import type { Configuration } from "./configuration.ts";
import { handles, type QueueCommand, type Route, routes } from "../routes.ts";

/*
 * A function that reaches clusters is deployed once outside any VPC, and once in each VPC of
 * `lookout.yaml`. Each copy has its own queues, so a command runs where its cluster can be reached.
 */

/**
 * Returns the VPC of a cluster; undefined for a registered cluster or a cluster outside any VPC.
 */
export function vpcOf(cluster: string, { clusters }: Pick<Configuration, "clusters">): string | undefined {
  return clusters.find(({ name }) => name === cluster)?.network?.vpc;
}

/**
 * Returns whether a command's function reaches clusters. Such a command needs a queue in each
 * network.
 */
export function reachesClusters(command: CommandName): boolean {
  return routes.some((route: Route) => handles(route, command) && route.reaches.includes("clusters"));
}

/** The commands with a queue in each VPC. */
export const networkCommands: readonly QueueCommand[] = routes.flatMap(({ trigger }) =>
  trigger.kind === "command" && reachesClusters(trigger.command) ? [trigger.command] : [],
);

/**
 * The maximum length of a queue's name:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
 */
export const longestQueueName = 80;

/**
 * Returns the queue name of a command in a VPC. No environment variable contains the name, because
 * all variables of a function have at most 4 KB.
 */
export function networkQueueName(stack: string, command: string, vpc: string): string {
  return `${stack}-${command}-${vpc}`;
}
