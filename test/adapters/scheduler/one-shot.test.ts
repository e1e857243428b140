import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OneShot, oneShotSchedules, schedulerClient } from "#adapters/scheduler/one-shot";
import { epochMs } from "#domain/shared/time";
import { PermanentError, TransientError } from "#ports/errors";
import { type AwsEndpoint, awsEndpoint } from "#test/adapters/aws-endpoint";

const notBefore = epochMs(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
const wake: OneShot = {
  queueArn: "arn:aws:sqs:eu-central-1:111122223333:wake",
  envelope: { notBefore, body: "{}", group: "prod" },
};
const later: OneShot = { ...wake, envelope: { ...wake.envelope, notBefore: epochMs(notBefore + 1) } };

let aws: AwsEndpoint;
let schedule: ReturnType<typeof oneShotSchedules>;

beforeEach(async () => {
  aws = await awsEndpoint(() => ({ json: { ScheduleArn: "arn:aws:scheduler:::schedule/x" } }));
  schedule = oneShotSchedules({ client: schedulerClient(), group: "lookout", role: "arn:aws:iam::1:role/timers" });
});
afterEach(() => aws.close());

const names = (): readonly string[] => aws.asked.map(({ operation }) => operation);

describe("a message with a long delay", () => {
  it("gets its own schedule, which queues it one minute early, once", async () => {
    await schedule([wake]);

    expect(aws.asked.map(({ input: { ClientToken: _, ...input } }) => input)).toEqual([
      {
        GroupName: "lookout",
        ScheduleExpression: "at(2026-01-02T03:03:05)",
        ScheduleExpressionTimezone: "UTC",
        FlexibleTimeWindow: { Mode: "OFF" },
        ActionAfterCompletion: "DELETE",
        Target: {
          Arn: wake.queueArn,
          RoleArn: "arn:aws:iam::1:role/timers",
          Input: JSON.stringify({ notBefore, body: "{}", group: "prod" }),
        },
      },
    ]);
    expect(names()).toEqual([expect.stringMatching(/^POST \/schedules\/[0-9a-f]{64}$/)]);
  });

  it("gets one schedule for any number of sends", async () => {
    await schedule([wake]);
    aws.answerNext({ status: 409, error: "ConflictException" });
    await schedule([wake]);

    expect(new Set(names()).size).toBe(1);
  });

  it("gets another schedule for another time", async () => {
    await schedule([wake, later]);

    expect(new Set(names()).size).toBe(2);
  });

  it.each(["ThrottlingException", "ServiceQuotaExceededException", "AccessDeniedException", "SomethingNew"])(
    "may be sent again after %s",
    async (error) => {
      aws.answerNext({ status: 400, error }, { status: 400, error }, { status: 400, error });

      await expect(schedule([wake])).rejects.toBeInstanceOf(TransientError);
    },
  );

  it("is refused as permanent when the request is wrong", async () => {
    aws.answerNext({ status: 400, error: "ValidationException" });

    await expect(schedule([wake])).rejects.toBeInstanceOf(PermanentError);
  });
});
