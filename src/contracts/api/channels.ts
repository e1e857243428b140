import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { severities } from "#domain/notify/words";
import { answered } from "./operation.ts";
import { count, instant, list, part, view } from "./schema.ts";

export const ChannelView = part({
  name: z.string().describe("The name of the entry in lookout.yaml."),
  kind: z.string().describe("The kind of the entry, such as slack."),
  form: z
    .enum(["facts", "updates", "incidents"])
    .describe("What one of its messages is about: a fact, an update or a push, or a workload with trouble."),
  events: list(z.string()).describe("The facts that the channel tells."),
  minSeverity: z.enum(severities),
  clusters: list(z.string()).exactOptional().describe("Absent if it tells of all clusters."),
  namespaces: list(z.string())
    .exactOptional()
    .describe("Patterns, those with ! are excluded. Absent if it tells of all."),
  onlyNamed: z.literal(true).exactOptional().describe("True if it tells only of workloads whose annotation names it."),
  state: z
    .enum(["well", "failing", "paused", "off", "unusable"])
    .describe("paused: it failed several times in a row. off, unusable: it tells nothing until a person acts."),
  why: z.string().exactOptional().describe("Why it does not work. Absent if it works."),
  since: instant.exactOptional().describe("The time of the first failure in a row."),
  until: instant.exactOptional().describe("The end of the pause."),
  untold: count.describe("The number of facts that were not told since the last success."),
  toldAt: instant.exactOptional().describe("A time at which it told something. The last time may be an hour later."),
}).describe("A channel, and how it does.");
/** A channel, and how it does. */
export type ChannelView = z.output<typeof ChannelView>;

export const ChannelsView = view("Channels", "The channels, in the order of lookout.yaml.", {
  at: instant,
  channels: list(ChannelView),
});
/** The channels, in the order of lookout.yaml. */
export type ChannelsView = z.output<typeof ChannelsView>;

export const ChannelTestView = view("ChannelTest", "The answer of a channel to a harmless message.", {
  name: z.string(),
  outcome: z.enum(["told", "later", "refused", "off"]).describe("told: the server took the message."),
  why: z.string().exactOptional().describe("Absent if the server took the message."),
});
/** The answer of a channel to a harmless message. */
export type ChannelTestView = z.output<typeof ChannelTestView>;

export const ChannelExplanationView = view("ChannelExplanation", "What a channel does with a fact, and why.", {
  name: z.string(),
  fact: z.string().describe("The name of the fact."),
  verdict: z.enum(["opens", "follows", "ignored"]).describe("follows: it changes a message that was told before."),
  checks: list(
    part({
      check: z.enum(["event", "severity", "cluster", "namespace", "named", "quiet", "state"]),
      isPassed: z.boolean(),
      detail: z.string(),
    }),
  ).describe("What was asked, in order."),
  told: part({
    shows: count.describe("The number of times that the message was sent or changed."),
    at: instant.describe("The time from which it may change again."),
    reference: z.string().exactOptional().describe("The channel's name for the message."),
  })
    .exactOptional()
    .describe("What the channel was told of this update. Absent if nothing, or if the request names no fact's id."),
});
/** What a channel does with a fact, and why. */
export type ChannelExplanationView = z.output<typeof ChannelExplanationView>;

const params = z.object({ channel: z.string().describe("The name of the entry in lookout.yaml.") });

export const channelOperations = {
  listChannels: createRoute({
    method: "get",
    path: "/v1/channels",
    summary: "lists channels, what they tell, and how they do",
    responses: answered(ChannelsView),
  }),
  testChannel: createRoute({
    method: "post",
    path: "/v1/channels/{channel}/test",
    summary: "sends a harmless message to a channel",
    request: { params },
    responses: answered(ChannelTestView, 404),
  }),
  explainChannel: createRoute({
    method: "get",
    path: "/v1/channels/{channel}/explanation",
    summary: "explains what a channel does with a fact",
    request: {
      params,
      query: z.object({
        fact: z.string().min(1).max(400).describe("The name of a fact, or the id of one."),
        workload: z
          .string()
          .exactOptional()
          .describe("A workload, as cluster/namespace/kind/name. Default: that of the fact's id."),
      }),
    },
    responses: answered(ChannelExplanationView, 400, 404),
  }),
} as const;
