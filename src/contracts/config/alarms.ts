import * as z from "zod";
import { hours, minutes } from "#domain/shared/time";
import { awsPatterns } from "./aws-patterns.ts";
import { durationWithin } from "./fields.ts";

const anAddress = 'an e-mail address, such as "ops@example.com"';
const addressForm = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;
const anAction =
  'the ARN of a topic (sns), a function (lambda), an OpsItem (ssm) or a response plan (ssm-incidents), such as "arn:aws:sns:eu-central-1:123456789012:on-call"';

/** The number of actions beside the topic. CloudWatch allows five actions for a state of an alarm. */
export const mostAlarmActions = 4;

const count = (standard: number, about: string) => {
  const range = "a whole number from 0 to 100000";
  return z.int(range).min(0, range).max(100_000, range).prefault(standard).describe(about);
};

const percent = (standard: number, most: number, about: string) => {
  const range = `a number from 0 to ${most}`;
  return z.number(range).min(0, range).max(most, range).prefault(standard).describe(about);
};

/**
 * The schema of the thresholds of alarms: a row for each, with its range and its default. An alarm
 * starts above its threshold.
 */
export const AlarmThresholds = z
  .strictObject(
    {
      backlog: durationWithin(minutes(20), hours(12), "30m")
        .prefault("30m")
        .describe("backlog: the time that a message waits, from 20m to 12h."),
      messagesFailed: count(0, "messages-failed: the failed deliveries of two minutes, twice in a row."),
      messagesDeadLettered: count(0, "messages-dead-lettered: the messages of five minutes that failed five times."),
      slowUpdates: durationWithin(minutes(1), hours(24), "10m")
        .prefault("10m")
        .describe("slow-updates: the time from push to running that 95 % of the pushes keep, from 1m to 1d."),
      failingUpdatesPercent: percent(
        5,
        99,
        "failing-updates: the share of an hour's updates that were rolled back, in percent.",
      ),
      clusterUnreachable: durationWithin(minutes(5), hours(24), "10m")
        .prefault("10m")
        .describe("cluster-unreachable: the time without a sync of a cluster, from 5m to 1d."),
      eventsMissedPercent: percent(
        1,
        100,
        "events-missed: the share of an hour's pushes that only sweeps found, in percent. 100: no alarm, for registries without notifications.",
      ),
      webhooksRejected: count(20, "webhooks-rejected: the notifications of 15 minutes that no receiver accepted."),
    },
    "some thresholds, such as { webhooksRejected: 50 }",
  )
  .readonly();

/** The schema of `alarms`: the receivers and the thresholds of a stack's alarms. */
export const Alarms = z
  .strictObject(
    {
      email: z
        .array(z.string(anAddress).max(254, anAddress).regex(addressForm, anAddress), "a list of e-mail addresses")
        .max(20, "at most 20 addresses")
        .readonly()
        .prefault([])
        .describe("The addresses that get each alarm. AWS sends each address a mail that asks for confirmation."),
      actions: z
        .array(z.string(anAction).regex(awsPatterns.alarmAction, anAction), "a list of ARNs")
        .max(mostAlarmActions, `at most ${mostAlarmActions} ARNs, because CloudWatch allows no more`)
        .readonly()
        .prefault([])
        .describe(
          "The topics and functions that each alarm calls at its start and its end, and the OpsItems and response plans that it opens at its start.",
        ),
      thresholds: AlarmThresholds.prefault({}).describe("The thresholds of the alarms."),
    },
    "some of email, actions and thresholds",
  )
  .readonly();
