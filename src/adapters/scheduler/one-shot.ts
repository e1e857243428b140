import { createHash } from "node:crypto";
import { ConflictException, CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import pLimit from "p-limit";
import { type Envelope, sealEnvelope } from "#contracts/messages/envelope";
import { epochMs, minutes, plus, toIso } from "#domain/shared/time";
import { asking } from "../shared/aws-errors.ts";
import { awsClientOptions } from "../shared/aws.ts";

/** A message that is to be in a queue shortly before its time. */
export interface OneShot {
  /** ARN of the queue. */
  readonly queueArn: string;
  readonly envelope: Envelope;
}

/** Where schedules are made, and who they are. */
export interface OneShotOptions {
  readonly client: SchedulerClient;
  /** Name of the group that they belong to. */
  readonly group: string;
  /** ARN of the role that they send with. */
  readonly role: string;
}

/** A schedule runs at some instant of its minute: one minute early is never late. Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html */
const early = minutes(-1);
const hopeless = new Set(["ValidationException"]);
/** Requests of one call that are in flight at once. */
const inFlight = 10;

/** Opens a client; region, credentials and endpoint are those of the environment. */
export function schedulerClient(): SchedulerClient {
  return new SchedulerClient(awsClientOptions);
}

/**
 * Makes schedules that put a message into its queue once, in the minute before its time, and are gone then.
 *
 * The same message for the same time makes no second one.
 */
export function oneShotSchedules(options: OneShotOptions): (messages: readonly OneShot[]) => Promise<void> {
  return async (messages) => {
    const limit = pLimit(inFlight);
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
  const doing = `keeping a message for ${nameOf(queueArn)}`;
  await asking({ service: "EventBridge Scheduler", doing, hopeless }, async () => {
    try {
      await client.send(command);
    } catch (error) {
      // It is there from an earlier try.
      if (!(error instanceof ConflictException)) throw error;
    }
  });
}

function nameOf(queueArn: string): string {
  return queueArn.slice(queueArn.lastIndexOf(":") + 1);
}
