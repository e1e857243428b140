import type { ChannelRow } from "./kind.ts";
import { discord } from "./discord/configuration.ts";
import { pagerduty } from "./pagerduty/configuration.ts";
import { slack } from "./slack/configuration.ts";
import { slackWebhook } from "./slack-webhook/configuration.ts";
import { sns } from "./sns/configuration.ts";
import { webhook } from "./webhook/configuration.ts";

/** All kinds of channels, by their names in `lookout.yaml`. */
export const channelKinds = {
  slack: { kind: slack, load: () => import("./slack/channel.ts") },
  "slack-webhook": { kind: slackWebhook, load: () => import("./slack-webhook/channel.ts") },
  discord: { kind: discord, load: () => import("./discord/channel.ts") },
  pagerduty: { kind: pagerduty, load: () => import("./pagerduty/channel.ts") },
  webhook: { kind: webhook, load: () => import("./webhook/channel.ts") },
  sns: { kind: sns, load: () => import("./sns/channel.ts") },
} as const satisfies Readonly<Record<string, ChannelRow>>;

/** The name of a kind of channel. */
export type ChannelKindName = keyof typeof channelKinds;
