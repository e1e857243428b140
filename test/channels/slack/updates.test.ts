import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { begins, trackApi, type World, world } from "#test/app/world";
import { handClock } from "#test/app/by-hand";
import { approvalRules } from "#test/model/world/voters";
import { slackError, type SlackMessage, type SlackStandIn, slackStandIn, slackTooMany } from "../stand-ins/slack.ts";
import { taken } from "../stand-ins/stand-in.ts";
import { storyOf } from "#domain/notify/story";
import { openedChannels } from "./opened.ts";
import { rolledBack, storyAfter } from "./stories.ts";

const id = "C0123456789";

let slack: SlackStandIn;
let lookout: World;
let key: string;

/** Starts a Lookout whose one channel is in the stand-in of Slack. */
async function start(
  kind: "slack" | "slack-webhook" = "slack",
  { gather = "1s", annotations = {} }: { gather?: string; annotations?: Readonly<Record<string, string>> } = {},
) {
  const shared = { name: "releases", kind, gather, secretEnv: "SECRET", allowNetworks: ["127.0.0.0/8"] };
  const bot = { ...shared, channel: id, address: `${slack.url}/api` };
  const channels = openedChannels([kind === "slack" ? bot : shared], {
    SECRET: kind === "slack" ? slack.token : slack.webhookUrl(),
  });
  lookout = world({}, undefined, undefined, undefined, approvalRules, undefined, undefined, channels);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  key = await trackApi(lookout, annotations);
}

beforeEach(async () => {
  slack = await slackStandIn({ clock: handClock(begins) });
  failures = [];
});

let failures: readonly string[];
afterEach(async () => {
  const { warnings } = slack;
  await slack[Symbol.asyncDispose]();
  const shown = lookout.failures.map((failure) =>
    failure.replace("TransientError: releases: ", "").replace(/:\d+/, ""),
  );
  expect({ failures: shown, warnings }).toEqual({ failures, warnings: [] });
});

/** The headers that a message had, and what it says in its thread. */
const shown = ({ versions, replies }: SlackMessage) => ({
  headers: versions.map(({ blocks }) =>
    blocks.map((block) => (block.type === "header" ? block.text.text : "")).join(""),
  ),
  replies: replies.map(({ text }) => text.split("\n")[0]),
});
const messages = () => slack.channel(id).map(shown);

describe("a push", () => {
  it("that succeeds is one message, which says so in the end", async () => {
    await start();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(lookout.image(key)).toContain("1.1.0");
    expect(messages().map(({ headers, replies }) => ({ last: headers.at(-1), replies }))).toEqual([
      { last: "✅ shop/api: succeeded", replies: [] },
    ]);
    const [message] = slack.channel(id);
    expect(message).toMatchObject({ mentions: [], links: [], isUnfurled: false });
    expect(message?.text.split("\n").slice(0, 11)).toEqual([
      "✅ shop/api: succeeded",
      ...["Where", "prod/shop (Deployment)", "Image", "1.0.0 → 1.1.0", "Digest"],
      expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      ...["Policy", "semver"],
      expect.stringMatching(/^update 1 · webhook distribution · \d+s after the push · times in UTC$/) as string,
      expect.stringMatching(/^2026-11-21 10:00:02 · pushed registry.test\/shop\/api:1.1.0 @/) as string,
    ]);
  });

  it("that is broken is one message that says rolled back, with one answer in its thread", async () => {
    await start("slack", { gather: "0s" });
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(20));
    expect(lookout.image(key)).toContain("1.0.0");
    expect(messages()).toEqual([
      {
        headers: ["🔄 shop/api: in progress", "⏪ shop/api: rolled back"],
        replies: ["⏪ prod/shop/api: rolled back"],
      },
    ]);
  });

  it("that is broken before its message is posted is told in it, without an answer in its thread", async () => {
    await start();
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(20));
    expect(messages()).toEqual([{ headers: ["❌ shop/api: failed", "⏪ shop/api: rolled back"], replies: [] }]);
  });

  it("whose message somebody deleted is told in a new one", async () => {
    await start();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(2));
    expect(messages()).toHaveLength(1);
    slack.answerNext(slackError("message_not_found"));
    await lookout.pass(minutes(2));
    expect(
      messages()
        .map(({ headers }) => headers.at(-1))
        .at(-1),
    ).toBe("✅ shop/api: succeeded");
    expect(messages()).toHaveLength(2);
  });

  it("is told when Slack lets it", async () => {
    await start();
    slack.answerNext(slackTooMany(30), { status: 500 }, "cut", slackError("fatal_error"));
    failures = [
      ...["the server answered 429", "the server answered 500"],
      ...["127.0.0.1 can't be reached (UND_ERR_SOCKET)", "Slack answered fatal_error"],
    ];
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(20));
    expect(messages().map(({ headers }) => headers.at(-1))).toEqual(["✅ shop/api: succeeded"]);
  });

  it("whose post gets no answer has at most one message more", async () => {
    await start();
    slack.answerNext(taken("cut"));
    failures = ["127.0.0.1 can't be reached (UND_ERR_SOCKET)"];
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(20));
    expect(messages().map(({ headers }) => headers.at(-1))).toEqual([
      expect.any(String) as string,
      "✅ shop/api: succeeded",
    ]);
  });

  it("with a wrong token tells nobody, and says why without the token", async () => {
    await start();
    const wrong = openedChannels(
      [
        {
          name: "releases",
          kind: "slack",
          channel: id,
          address: `${slack.url}/api`,
          secretEnv: "SECRET",
          allowNetworks: ["127.0.0.0/8"],
        },
      ],
      { SECRET: "xoxb-wrong-canary" },
    );
    Object.assign(lookout.ports, { channels: wrong });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(messages()).toEqual([]);
    const why = "Slack answered invalid_auth: install the app again, and store its new token";
    expect(await lookout.ports.channelStates.read("releases")).toMatchObject({ why });
    failures = [why, why];
  });
});

describe("a push of 30 workloads, to a Slack that takes one post a second", () => {
  beforeEach(async () => {
    await slack[Symbol.asyncDispose]();
    slack = await slackStandIn({ clock: { now: () => lookout.clock.now() }, limitsRate: true });
    await start();
    for (let index = 1; index < 30; index += 1)
      lookout.deploy({ name: `app-${index}`, image: "registry.test/shop/api:1.0.0" });
    await lookout.pass(seconds(2));
    await lookout.sync();
  });

  it("that succeeds is one message", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(10));
    expect(messages().map(({ headers, replies }) => ({ last: headers.at(-1), replies }))).toEqual([
      { last: "✅ 30 workloads: 30 succeeded", replies: [] },
    ]);
  });

  it("that is broken is one message, which names ten failures, with an answer for ten more", async () => {
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(60));
    const { headers, replies } = messages()[0] ?? { headers: [], replies: [] };
    expect({ messages: messages().length, last: headers.at(-1), replies: replies.length }).toEqual({
      ...{ messages: 1, last: "⏪ 30 workloads: 30 rolled back", replies: 10 },
    });
    // Each answer waits as long as Slack asks.
    failures = Array.from({ length: 10 }, () => "the server answered 429");
  });
});

it("the largest message is posted, and Slack's answer with its name is read", async () => {
  await start();
  const sender = await lookout.ports.channels.channel("releases")?.open();
  if (sender?.kind !== "open" || sender.sender.form !== "updates") throw new Error("the channel is not open");
  for (const text of ["界", "\u{1f525}", "&", '"', "/", "x"]) {
    const step = { at: begins, mark: "bad", word: "failed", text: text.repeat(400) } as const;
    const update = { ...storyAfter(rolledBack), steps: Array.from({ length: 20 }, () => step) };
    const many = storyOf(Array.from({ length: 10 }, () => update));
    for (const story of [storyOf([update]), many])
      expect(await sender.sender.post(sender.sender.render(story))).toMatchObject({
        kind: "told",
        reference: expect.stringMatching(/^C0123456789\//) as string,
      });
    slack.answerNext(slackError("msg_blocks_too_long"));
    expect((await sender.sender.post(sender.sender.render(many))).kind).toBe("refused");
  }
});

describe("a push to a channel with an incoming webhook", () => {
  it("that succeeds is one message", async () => {
    await start("slack-webhook");
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(messages()).toEqual([{ headers: ["✅ shop/api: succeeded"], replies: [] }]);
  });

  it("that is broken is told by the failure and by its end", async () => {
    await start("slack-webhook");
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(20));
    expect(messages().map(({ headers }) => headers)).toEqual([["❌ shop/api: failed"], ["⏪ shop/api: rolled back"]]);
  });

  it("that waits for approval asks for it at once", async () => {
    await start("slack-webhook", { annotations: { "lookout.dev/approval-required": "true" } });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(messages().map(({ headers }) => headers)).toEqual([["✋ shop/api: waiting for approval"]]);
    expect(slack.channel(id)[0]?.text).toContain("Approve it: lookout approve shop/api --update 1\n");
  });
});
