import type { OneShot } from "#adapters/scheduler/one-shot";
import { type Addressed, sqsQueues } from "#adapters/sqs/queues";
import type { Sender } from "#adapters/sqs/sender";
import { environment as names } from "#contracts/environment";
import { groupOf, type Work } from "#domain/work";
import type { Queues } from "#ports/messaging";
import { type Environment, type Surroundings, variable } from "./part.ts";
import { queueUrl } from "./queue-url.ts";

/** Opens the queues of the stack. What is for much later is kept in one-shot schedules. */
export function stackQueues(surroundings: Surroundings, send: Sender): Queues {
  const { environment, clock } = surroundings;
  const urlOf = (work: Work): string => queueUrl(work.command, groupOf(work), surroundings);
  return sqsQueues({ send, clock, urlOf, keep: keptBy(environment) });
}

/** Loaded with the first message that needs it: few runs send any. */
function keptBy(environment: Environment): (messages: readonly Addressed[]) => Promise<void> {
  let schedule: ((messages: readonly OneShot[]) => Promise<void>) | undefined;
  return async (messages) => {
    if (messages.length === 0) return;
    const setBy = "the construct of the timers sets it on functions that store what is looked at later";
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
