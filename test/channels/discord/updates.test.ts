import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { storyOf } from "#domain/notify/story";
import { minutes, seconds } from "#domain/shared/time";
import { handClock } from "#test/app/by-hand";
import { begins, trackApi, type World, world } from "#test/app/world";
import { approvalRules } from "#test/model/world/voters";
import { openedChannels } from "../slack/opened.ts";
import { rolledBack, storyAfter } from "../slack/stories.ts";
import { type DiscordStandIn, discordStandIn, discordTooMany } from "../stand-ins/discord.ts";

let discord: DiscordStandIn;
let lookout: World;

async function start(gather = "1s") {
  const entry = { name: "releases", kind: "discord", gather, secretEnv: "HOOK", allowNetworks: ["127.0.0.0/8"] };
  const channels = openedChannels([entry], { HOOK: discord.webhookUrl });
  lookout = world({}, undefined, undefined, undefined, approvalRules, undefined, undefined, channels);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  await trackApi(lookout, {});
}

beforeEach(async () => {
  discord = await discordStandIn({ clock: handClock(begins) });
  failures = [];
});

let failures: readonly string[];
afterEach(async () => {
  await discord[Symbol.asyncDispose]();
  expect(lookout.failures.map((failure) => failure.replace(/^TransientError: |(?<=127.0.0.1):\d+/g, ""))).toEqual(
    failures,
  );
});

/** The first lines that each message had, without its images. */
const messages = () =>
  discord.messages.map(({ versions }) => versions.map(({ content }) => String(content).split(",")[0]));

describe("a push", () => {
  it("that succeeds is one message, which says so in the end", async () => {
    await start();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(messages().map((versions) => versions.at(-1))).toEqual(["✅ prod/shop/api: succeeded"]);
    expect(discord.received.filter(({ refused }) => refused !== undefined)).toEqual([]);
  });

  it("that is broken is one message that says rolled back, and one about the failure", async () => {
    await start("0s");
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(20));
    expect(messages()).toEqual([
      ["🔄 prod/shop/api: in progress", "⏪ prod/shop/api: rolled back"],
      ["⏪ prod/shop/api: rolled back"],
    ]);
  });

  it("whose message somebody deleted is told in a new one", async () => {
    await start();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(2));
    const [first] = discord.messages;
    discord.deleteMessage(first?.id ?? "");
    await lookout.pass(minutes(2));
    expect(messages().map((versions) => versions.at(-1))).toEqual(["✅ prod/shop/api: succeeded"]);
    expect(discord.messages[0]?.id).not.toBe(first?.id);
  });

  it("is told when Discord lets it", async () => {
    await start();
    discord.answerNext(discordTooMany(30.2), { status: 500 }, "cut");
    failures = [
      "releases: the server answered 429",
      "releases: the server answered 500",
      "releases: 127.0.0.1 can't be reached (UND_ERR_SOCKET)",
    ];
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(20));
    expect(messages().map((versions) => versions.at(-1))).toEqual(["✅ prod/shop/api: succeeded"]);
  });

  it("to a deleted webhook tells nobody, and says why without the address", async () => {
    await start();
    discord.deleteWebhook();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    const why = "Discord answered 404 (10015): the webhook was deleted: add one, and store its address";
    expect(await lookout.ports.channelStates.read("releases")).toMatchObject({ why });
    failures = Array.from({ length: 3 }, () => `releases: ${why}`);
  });
});

it("the largest message is posted, and Discord's answer with its name is read", async () => {
  await start();
  const opened = await lookout.ports.channels.channel("releases")?.open();
  if (opened?.kind !== "open" || opened.sender.form !== "updates") throw new Error("the channel is not open");
  for (const text of ["界", "\u{1f525}", "*", '"', "\\", "/", "x"]) {
    const step = { at: begins, mark: "bad", word: "failed", text: text.repeat(400) } as const;
    const update = { ...storyAfter(rolledBack), steps: Array.from({ length: 20 }, () => step) };
    for (const story of [storyOf([update]), storyOf(Array.from({ length: 10 }, () => update))])
      expect(await opened.sender.post(opened.sender.render(story))).toEqual({
        kind: "told",
        reference: expect.stringMatching(/^9\d{18}$/) as string,
      });
  }
});
