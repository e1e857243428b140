import type { ChannelRow } from "./kind.ts";
import { slackWebhook } from "./slack-webhook/configuration.ts";
import { slack } from "./slack/configuration.ts";
import { webhook } from "./webhook/configuration.ts";

/** All kinds of channels, by their names in `lookout.yaml`. */
export const channelKinds = {
  slack: { kind: slack, load: () => import("./slack/channel.ts") },
  "slack-webhook": { kind: slackWebhook, load: () => import("./slack-webhook/channel.ts") },
  webhook: { kind: webhook, load: () => import("./webhook/channel.ts") },
} as const satisfies Readonly<Record<string, ChannelRow>>;

/** The name of a kind of channel. */
export type ChannelKindName = keyof typeof channelKinds;
