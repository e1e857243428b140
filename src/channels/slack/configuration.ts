import * as z from "zod";
import { hours } from "#domain/shared/time";
import { address, allowNetworks } from "../keys.ts";
import { channelKind } from "../kind.ts";
import { manifestOf } from "./manifest.ts";

const anId = "the id of a channel, such as C0123456789: names can change. Slack shows the id in the channel's details";

/** The kind of channels that show updates in Slack, by the bot of an app. */
export const slack = channelKind({
  form: "updates",
  about: "Slack, by the bot of an app: one message for each update, which changes with it",
  secret: "the token of the bot (xoxb-…)",
  tells: { events: ["rollouts", "failures", "approvals"], minSeverity: "info" },
  givesUpAfter: hours(6),
  keys: {
    channel: z
      .string(anId)
      .regex(/^[CDG][A-Z0-9]{6,20}$/, anId)
      .describe("The id of the channel in Slack, such as C0123456789."),
    address: address("The address of Slack's Web API. GovSlack: https://slack-gov.com/api.").prefault(
      "https://slack.com/api",
    ),
    allowNetworks,
  },
  manifest: manifestOf,
});
