import type { CommandName } from "#domain/update/commands";

/**
 * The variables that tell a deployed function what it works on. The construct that grants a right sets the variable that goes with it;
 * the wiring reads it. A function has only those that its route calls for.
 */
export const environment = {
  /** Name of the table. */
  table: "LOOKOUT_TABLE",
  /** Name of Lookout's bus. */
  bus: "LOOKOUT_BUS",
  /** URL of the queue whose messages `gate/dead-letter` takes. */
  deadLetterQueue: "LOOKOUT_DEAD_LETTER_QUEUE",
  /** URL of the function's own dead-letter queue: its messages wait for a person. */
  ownDeadLetterQueue: "LOOKOUT_OWN_DEAD_LETTER_QUEUE",
  /** Name of the group of one-shot schedules. */
  scheduleGroup: "LOOKOUT_SCHEDULE_GROUP",
  /** ARN of the role that schedules send to queues with. */
  scheduleRole: "LOOKOUT_SCHEDULE_ROLE",
  /** ARN of the role whose token clusters let in; a cluster may name another one. */
  accessRole: "LOOKOUT_ACCESS_ROLE",
  /** Name of the stack: what secrets are called by default begins with it. */
  stack: "LOOKOUT_STACK_NAME",
} as const;

/** The variable with the URL of a command's queue: `LOOKOUT_QUEUE_ROLL_OUT`. */
export function queueVariable(command: CommandName): string {
  return `LOOKOUT_QUEUE_${command.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase()}`;
}
