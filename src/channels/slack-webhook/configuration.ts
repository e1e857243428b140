import { hours } from "#domain/shared/time";
import { allowNetworks } from "../keys.ts";
import { channelKind } from "../kind.ts";

/** The kind of channels that post to Slack through an incoming webhook. Its messages can't change. */
export const slackWebhook = channelKind({
  form: "updates",
  about: "Slack, by an incoming webhook: a message for each end of an update, and for each problem",
  secret: "the address of the incoming webhook (https://hooks.slack.com/services/…)",
  tells: { events: ["rollouts", "failures", "approvals"], minSeverity: "info" },
  givesUpAfter: hours(6),
  keys: { allowNetworks },
});
