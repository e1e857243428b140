import { hours } from "#domain/shared/time";
import { allowNetworks } from "../keys.ts";
import { channelKind } from "../kind.ts";

/** The kind of channels that show updates in Discord, by a webhook of a channel. */
export const discord = channelKind({
  form: "updates",
  about: "Discord, by a webhook: one message for each update, which changes with it",
  secret: "the address of the webhook (https://discord.com/api/webhooks/…)",
  tells: { events: ["rollouts", "failures", "approvals"], minSeverity: "info" },
  givesUpAfter: hours(6),
  keys: { allowNetworks },
});
