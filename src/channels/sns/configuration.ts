import * as z from "zod";
import { hours } from "#domain/shared/time";
import { channelKind } from "../kind.ts";

const aTopic = 'the ARN of a topic, such as "arn:aws:sns:eu-central-1:111122223333:lookout"';

/** The kind of channels that publish each fact to a topic of Amazon SNS. */
export const sns = channelKind({
  form: "facts",
  about: "a topic of Amazon SNS, also in the form that Amazon Q shows in Slack and Teams",
  tells: { events: ["rollouts", "failures", "approvals"], minSeverity: "info" },
  givesUpAfter: hours(24),
  keys: {
    topicArn: z
      .string(aTopic)
      .regex(/^arn:aws(-cn|-us-gov|-eusc)?:sns:[a-z]{2,4}(-[a-z]+)+-\d+:\d{12}:[A-Za-z0-9_-]{1,251}(\.fifo)?$/, aTopic)
      .describe(
        "The topic. A topic with a key of KMS needs the rights kms:GenerateDataKey and kms:Decrypt on that key as well.",
      ),
    format: z
      .enum(["plain", "amazon-q"], "plain or amazon-q")
      .prefault("plain")
      .describe("The form of a message: the fact as JSON, or a text that Amazon Q shows in Slack and Teams."),
  },
  rights: ({ topicArn }) => [{ actions: ["sns:Publish"], resources: [String(topicArn)] }],
});
