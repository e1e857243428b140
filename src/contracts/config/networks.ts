import type { Command } from "#domain/update/commands";
import type { Configuration } from "./configuration.ts";
import { type Route, routes } from "../routes.ts";

/*
 * The stack has the functions that reach clusters once outside of any VPC, and once more in each VPC that `lookout.yaml` names: with queues
 * of their own, so that work for a cluster comes to where the cluster can be reached from.
 */

/** Answers the VPC that a cluster is reached from. Undefined: from outside of any, as are clusters that were registered at run time. */
export function vpcOf(cluster: string, { clusters }: Pick<Configuration, "clusters">): string | undefined {
  return clusters.find(({ name }) => name === cluster)?.network?.vpc;
}

/** Whether the work of a command is done in a cluster, so that each network has a queue for it. */
export function reachesClusters(command: Command): boolean {
  return (routes as readonly Route[]).some(
    ({ trigger, reaches }) => trigger.kind === "command" && trigger.command === command && reaches.includes("clusters"),
  );
}

/** Names the queue of a command in a VPC. A name that is known beforehand needs no variable: there are only 4 KB of them. */
export function networkQueueName(stack: string, command: string, vpc: string): string {
  return `${stack}-${command}-${vpc}`;
}
