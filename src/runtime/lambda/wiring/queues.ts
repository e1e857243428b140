import type { OneShot } from "#adapters/scheduler/one-shot";
import { type Addressed, sqsQueues } from "#adapters/sqs/queues";
import { environment as names } from "#contracts/environment";
import { groupOf, type Work } from "#domain/work";
import { type Environment, variable, type WiringPart } from "./part.ts";
import { queueUrl } from "./queue-url.ts";
import { stackSender } from "./sender.ts";

/** Sends commands to the queues of the stack, and keeps what is for much later in one-shot schedules. */
export const queues: WiringPart<"queues"> = (surroundings) => {
  const { environment, clock, shared } = surroundings;
  const urlOf = (work: Work): string => queueUrl(work.command, groupOf(work), surroundings);
  const made = sqsQueues({ send: shared(stackSender), clock, urlOf, keep: keptBy(environment) });
  return () => ({ queues: made });
};

/** Loaded with the first message that needs it: few runs send any. */
function keptBy(environment: Environment): (messages: readonly Addressed[]) => Promise<void> {
  let schedule: ((messages: readonly OneShot[]) => Promise<void>) | undefined;
  return async (messages) => {
    if (messages.length === 0) return;
    const setBy = "the construct of the timers sets it on functions that send commands";
    const role = variable(environment, names.scheduleRole, setBy);
    const group = variable(environment, names.scheduleGroup, setBy);
    const region = variable(environment, "AWS_REGION", "Lambda sets it");
    const { oneShotSchedules, schedulerClient } = await import("#adapters/scheduler/one-shot");
    schedule ??= oneShotSchedules({ client: schedulerClient(), group, role });
    await schedule(messages.map(({ queue, envelope }) => ({ queueArn: arnOf(queue, { role, region }), envelope })));
  };
}

/** A queue is in the partition and the account of the role that sends to it. */
function arnOf(queue: string, { role, region }: { readonly role: string; readonly region: string }): string {
  const [, partition = "", , , account = ""] = role.split(":");
  return `arn:${partition}:sqs:${region}:${account}:${queue.slice(queue.lastIndexOf("/") + 1)}`;
}
