import type { CommandName } from "#domain/update/commands";

/**
 * The environment variables of a deployed function, by their use. The construct that grants a right
 * also sets the variable for the right, so a function has only the variables of its route.
 */
export const environment = {
  /** Name of the table. */
  table: "LOOKOUT_TABLE",
  /** Name of Lookout's bus. */
  bus: "LOOKOUT_BUS",
  /** URL of the queue that `gate/dead-letter` reads. */
  deadLetterQueue: "LOOKOUT_DEAD_LETTER_QUEUE",
  /** URL of the queue of kept messages, which wait for a user. */
  keptQueue: "LOOKOUT_KEPT_QUEUE",
  /** Name of the group of one-shot schedules. */
  scheduleGroup: "LOOKOUT_SCHEDULE_GROUP",
  /** ARN of the role with which schedules send to queues. */
  scheduleRole: "LOOKOUT_SCHEDULE_ROLE",
  /** ARN of the role with access to clusters, unless a cluster names another role. */
  accessRole: "LOOKOUT_ACCESS_ROLE",
  /** ARN of the role that assumes the `roleArn` of registries. */
  registryRole: "LOOKOUT_REGISTRY_ROLE",
  /** The receivers that a CDK app added to those of lookout.yaml, as JSON. */
  addedReceivers: "LOOKOUT_ADDED_RECEIVERS",
  /** Name of the stack, with which the default names of secrets begin. */
  stack: "LOOKOUT_STACK_NAME",
} as const;

/** Returns the name of the variable with the URL of a command's queue: `LOOKOUT_QUEUE_ROLL_OUT`. */
export function queueVariable(command: CommandName): string {
  return `LOOKOUT_QUEUE_${command.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}`;
}
