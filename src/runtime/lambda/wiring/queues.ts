import { oneShotSchedules, schedulerClient } from "#adapters/scheduler/one-shot";
import { sqsClient } from "#adapters/sqs/client";
import { type Addressed, sqsQueues } from "#adapters/sqs/queues";
import { type Sender, sqsSender } from "#adapters/sqs/sender";
import { environment as names, queueVariable } from "#contracts/aws/environment";
import { networkQueueName, reachesClusters, vpcOf } from "#contracts/config/networks";
import { queueOf, type QueueCommand } from "#contracts/routes";
import { groupOf, type Command } from "#domain/update/commands";
import { type Environment, type Surroundings, variable, type WiringPart } from "./part.ts";

/**
 * Wires the stack's queues. If a delay is longer than a queue's maximum, the port uses a one-shot
 * schedule.
 */
export const queues: WiringPart<"queues"> = (surroundings) => {
  const { clock, environment, shared } = surroundings;
  const urlOf = (command: Command): string => queueUrl(queueOf(command.name), groupOf(command), surroundings);
  const made = sqsQueues({ send: shared(stackSender), clock, urlOf, keep: keptBySchedules(environment) });
  return () => ({ queues: made });
};

/** Returns the SQS sender that all parts of a function share. */
export function stackSender(): Sender {
  return sqsSender(sqsClient());
}

/**
 * Returns the URL of a command's queue. If the command's cluster has a VPC, returns the queue of
 * this VPC.
 *
 * @param group - the message's group. For commands that reach clusters, the group is the cluster
 * @throws PermanentError if this function may not send the command
 */
export function queueUrl(
  queue: QueueCommand,
  group: string,
  { environment, configuration }: Pick<Surroundings, "environment" | "configuration">,
): string {
  const outside = variable(
    environment,
    queueVariable(queue),
    `the construct of the queues sets it on functions that send ${queue}`,
  );
  const vpc = reachesClusters(queue) ? vpcOf(group, configuration) : undefined;
  if (vpc === undefined) return outside;
  const stack = variable(environment, names.stack, "the construct of the function sets it");
  return outside.slice(0, outside.lastIndexOf("/") + 1) + networkQueueName(stack, queue, vpc);
}

/**
 * Returns the sender of delayed messages. It reads its variables lazily, because some functions
 * lack them.
 */
function keptBySchedules(environment: Environment): (messages: readonly Addressed[]) => Promise<void> {
  const client = schedulerClient();
  return async (messages) => {
    if (messages.length === 0) return;
    const setBy = "the construct of the timers sets it on functions that send delayed commands";
    const role = variable(environment, names.scheduleRole, setBy);
    const group = variable(environment, names.scheduleGroup, setBy);
    const region = variable(environment, "AWS_REGION", "Lambda sets it");
    const schedule = oneShotSchedules({ client, group, role });
    await schedule(messages.map(({ queue, envelope }) => ({ queueArn: arnOf(queue, { role, region }), envelope })));
  };
}

/** Returns the ARN of a queue, which is in the partition and account of the sending role. */
function arnOf(queue: string, { role, region }: { readonly role: string; readonly region: string }): string {
  const [, partition = "", , , account = ""] = role.split(":");
  return `arn:${partition}:sqs:${region}:${account}:${queue.slice(queue.lastIndexOf("/") + 1)}`;
}
