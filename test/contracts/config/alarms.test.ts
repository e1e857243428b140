import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { hours, minutes } from "#domain/shared/time";

const alarmsOf = (alarms: unknown): unknown => {
  const read = parseConfiguration({ alarms });
  return read.ok
    ? read.value.alarms
    : read.problem.map(({ path, value, message }) => [path, value, message].join(" | "));
};

const standard = {
  backlog: minutes(30),
  messagesFailed: 0,
  messagesDeadLettered: 0,
  slowUpdates: minutes(10),
  failingUpdatesPercent: 5,
  clusterUnreachable: minutes(10),
  eventsMissedPercent: 1,
  webhooksRejected: 20,
};

describe("alarms in lookout.yaml", () => {
  it("are absent by default, and as an empty section", () => {
    for (const file of [{}, { alarms: null }]) {
      const read = parseConfiguration(file);
      expect(read.ok && "alarms" in read.value).toBe(false);
      expect(read.ok).toBe(true);
    }
  });

  it.each([{}, { thresholds: {} }])("are without receivers, and have all thresholds: %j", (alarms) => {
    expect(alarmsOf(alarms)).toEqual({ email: [], actions: [], thresholds: standard });
  });

  it("name addresses, actions and thresholds, and other thresholds keep their defaults", () => {
    const actions = [
      "arn:aws:sns:eu-central-1:123456789012:on-call",
      "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:page:live",
      "arn:aws:ssm:eu-central-1:123456789012:opsitem:2#CATEGORY=Availability",
      "arn:aws:ssm-incidents::123456789012:response-plan/images",
    ];

    expect(
      alarmsOf({
        email: ["ops+lookout@example.com"],
        actions,
        thresholds: { backlog: "1h", failingUpdatesPercent: 12.5, webhooksRejected: 50 },
      }),
    ).toEqual({
      email: ["ops+lookout@example.com"],
      actions,
      thresholds: { ...standard, backlog: hours(1), failingUpdatesPercent: 12.5, webhooksRejected: 50 },
    });
  });

  it.each([
    { backlog: "20m", slowUpdates: "1m", clusterUnreachable: "5m", failingUpdatesPercent: 0, eventsMissedPercent: 0 },
    { backlog: "12h", slowUpdates: "1d", clusterUnreachable: "1d", failingUpdatesPercent: 99 },
    { eventsMissedPercent: 100, webhooksRejected: 100_000, messagesFailed: 100_000, messagesDeadLettered: 100_000 },
  ])("accept the ends of each range: %j", (thresholds) => {
    expect(alarmsOf({ thresholds })).toMatchObject({ thresholds: {} });
  });

  const anAddress = 'expected an e-mail address, such as "ops@example.com"';
  const anAction =
    'expected the ARN of a topic (sns), a function (lambda), an OpsItem (ssm) or a response plan (ssm-incidents), such as "arn:aws:sns:eu-central-1:123456789012:on-call"';
  const count = "expected a whole number from 0 to 100000";
  const topic = "arn:aws:sns:eu-central-1:123456789012:on-call";
  it.each([
    [{ email: "ops@example.com" }, 'alarms.email | …@example.com" | expected a list of e-mail addresses'],
    [{ email: ["ops"] }, `alarms.email[0] | "ops" | ${anAddress}`],
    [{ email: Array(21).fill("a@b.c") }, "alarms.email | a list | expected at most 20 addresses"],
    [
      { actions: ["arn:aws:ec2:eu-central-1:123456789012:x"] },
      `alarms.actions[0] | "arn:aws:ec2:eu-central-1:123456789012:x" | ${anAction}`,
    ],
    [{ actions: [`${topic}.fifo`] }, `alarms.actions[0] | "${topic}.fifo" | ${anAction}`],
    [
      { actions: Array(5).fill(topic) },
      "alarms.actions | a list | expected at most 4 ARNs, because CloudWatch allows no more",
    ],
    [{ thresholds: { backlog: "19m" } }, 'alarms.thresholds.backlog | "19m" | expected 20m to 12h, such as 30m'],
    [{ thresholds: { slowUpdates: "59s" } }, 'alarms.thresholds.slowUpdates | "59s" | expected 1m to 1d, such as 10m'],
    [
      { thresholds: { clusterUnreachable: "25h" } },
      'alarms.thresholds.clusterUnreachable | "25h" | expected 5m to 1d, such as 10m',
    ],
    [
      { thresholds: { failingUpdatesPercent: 100 } },
      "alarms.thresholds.failingUpdatesPercent | 100 | expected a number from 0 to 99",
    ],
    [
      { thresholds: { eventsMissedPercent: "5%" } },
      'alarms.thresholds.eventsMissedPercent | "5%" | expected a number from 0 to 100',
    ],
    [{ thresholds: { webhooksRejected: 1.5 } }, `alarms.thresholds.webhooksRejected | 1.5 | ${count}`],
    [{ thresholds: { messagesFailed: -1 } }, `alarms.thresholds.messagesFailed | -1 | ${count}`],
    [
      { thresholds: { slowUpdate: "5m" } },
      "alarms.thresholds.slowUpdate |  | is not a known key here; did you mean slowUpdates?",
    ],
    [{ emails: [] }, "alarms.emails |  | is not a known key here; did you mean email?"],
    [true, "alarms | true | expected some of email, actions and thresholds"],
  ])("%j is refused", (alarms, problem) => {
    expect(alarmsOf(alarms)).toEqual([problem]);
  });
});
