import type { CommandName } from "#domain/update/commands";
import type { Configuration } from "./configuration.ts";
import { type Route, routes } from "../routes.ts";

/*
 * The stack has the functions that reach clusters once outside of any VPC, and once more in each VPC that `lookout.yaml` names: with queues
 * of their own, so that work for a cluster comes to where the cluster can be reached from.
 */

/**
 * Returns the VPC with access to a cluster; undefined for a cluster outside any VPC, also for a
 * registered one.
 */
export function vpcOf(cluster: string, { clusters }: Pick<Configuration, "clusters">): string | undefined {
  return clusters.find(({ name }) => name === cluster)?.network?.vpc;
}

/** Whether the work of a command is done in a cluster, so that each network has a queue for it. */
export function reachesClusters(command: CommandName): boolean {
  return (routes as readonly Route[]).some(
    ({ trigger, reaches }) => trigger.kind === "command" && trigger.command === command && reaches.includes("clusters"),
  );
}

/**
 * Returns the queue name of a command in a VPC. A known name needs no variable, of which 4 KB fit.
 */
export function networkQueueName(stack: string, command: string, vpc: string): string {
  return `${stack}-${command}-${vpc}`;
}
