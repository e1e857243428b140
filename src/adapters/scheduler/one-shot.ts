import { createHash } from "node:crypto";
import { ConflictException, CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import pLimit from "p-limit";
import { type Envelope, sealEnvelope } from "#contracts/messages/envelope";
import { epochMs, minutes, plus, toIso } from "#domain/shared/time";
import { withPortErrors } from "../shared/aws-errors.ts";
import { awsClientOptions } from "../shared/aws.ts";

/** A message to deliver to a queue shortly before its time. */
export interface OneShot {
  /** The ARN of the queue. */
  readonly queueArn: string;
  readonly envelope: Envelope;
}

/** The options of the schedules. */
export interface OneShotOptions {
  readonly client: SchedulerClient;
  /** The name of the schedule group. */
  readonly group: string;
  /** The ARN of the role that sends the messages. */
  readonly role: string;
}

/**
 * The offset of a schedule from its message's time. A schedule runs up to a minute late, so one
 * minute early is never too late.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
const early = minutes(-1);
const permanent = new Set(["ValidationException"]);
const requestsAtOnce = 10;

/** Opens a client with the environment's region, credentials and endpoint. */
export function schedulerClient(): SchedulerClient {
  return new SchedulerClient(awsClientOptions);
}

/**
 * Returns a function that schedules messages. Each schedule delivers its message in the minute
 * before its time and is then deleted. A message that is already scheduled is not scheduled twice.
 */
export function oneShotSchedules(options: OneShotOptions): (messages: readonly OneShot[]) => Promise<void> {
  return async (messages) => {
    const limit = pLimit(requestsAtOnce);
    await Promise.all(messages.map((message) => limit(() => create(message, options))));
  };
}

async function create({ queueArn, envelope }: OneShot, { client, group, role }: OneShotOptions): Promise<void> {
  const name = createHash("sha256")
    .update(JSON.stringify([queueArn, sealEnvelope(envelope)]))
    .digest("hex");
  const second = plus(epochMs(Math.floor(envelope.notBefore / 1_000) * 1_000), early);
  const command = new CreateScheduleCommand({
    Name: name,
    GroupName: group,
    ScheduleExpression: `at(${toIso(second).slice(0, 19)})`,
    ScheduleExpressionTimezone: "UTC",
    FlexibleTimeWindow: { Mode: "OFF" },
    ActionAfterCompletion: "DELETE",
    Target: { Arn: queueArn, RoleArn: role, Input: sealEnvelope(envelope) },
  });
  const doing = `scheduling a message for ${queueArn.slice(queueArn.lastIndexOf(":") + 1)}`;
  await withPortErrors({ service: "EventBridge Scheduler", doing, permanent }, async () => {
    try {
      await client.send(command);
    } catch (error) {
      // An earlier attempt created the schedule.
      if (!(error instanceof ConflictException)) throw error;
    }
  });
}
