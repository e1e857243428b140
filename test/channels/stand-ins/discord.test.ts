import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DiscordStandIn, discordStandIn, messageFaults, readDiscord } from "./discord.ts";

const literal = { allowed_mentions: { parse: [] } };

describe("the stand-in of Discord", () => {
  let discord: DiscordStandIn;
  beforeEach(async () => void (discord = await discordStandIn()));
  afterEach(() => discord[Symbol.asyncDispose]());

  const send = async (method: "POST" | "PATCH", path: string, body: object) => {
    const reply = await fetch(`${discord.webhookUrl}${path}`, { method, body: JSON.stringify(body) });
    const text = await reply.text();
    return { status: reply.status, body: text === "" ? undefined : (JSON.parse(text) as object) };
  };

  it("names a message only if it is asked to wait, and changes it", async () => {
    expect(await send("POST", "", { content: "one", ...literal })).toEqual({ status: 204, body: undefined });
    const id = "9000000000000000002";
    expect(await send("POST", "?wait=true", { content: "two", ...literal })).toMatchObject({
      status: 200,
      body: { id },
    });
    expect(await send("PATCH", `/messages/${id}`, { content: "three", ...literal })).toMatchObject({ status: 200 });
    expect(discord.messages.map(({ versions }) => versions.map(({ content }) => content))).toEqual([
      ["one"],
      ["two", "three"],
    ]);
  });

  it("knows no message and no webhook that was deleted", async () => {
    await send("POST", "", { content: "one", ...literal });
    const [{ id } = { id: "" }] = discord.messages;
    discord.deleteMessage(id);
    const change = () => send("PATCH", `/messages/${id}`, { content: "two", ...literal });
    expect(await change()).toMatchObject({ status: 404, body: { code: 10_008 } });
    discord.deleteWebhook();
    expect(await change()).toMatchObject({ status: 404, body: { code: 10_015 } });
  });

  const field = { name: "n", value: "v" };
  it.each<{ fault: string; message: object }>([
    { fault: "the message may mention people", message: { content: "x", allowed_mentions: undefined } },
    { fault: "content: at most 2000", message: { content: "x".repeat(2_001) } },
    { fault: "the message is empty", message: {} },
    { fault: "title: 1 to 256", message: { embeds: [{ title: "x".repeat(257) }] } },
    { fault: "description: 1 to 4096", message: { embeds: [{ description: "x".repeat(4_097) }] } },
    { fault: "the embed is empty", message: { embeds: [{ color: 1 }] } },
    { fault: "fields: at most 25", message: { embeds: [{ fields: Array.from({ length: 26 }, () => field) }] } },
    { fault: "name: 1 to 256", message: { embeds: [{ fields: [{ ...field, name: "x".repeat(257) }] }] } },
    { fault: "value: 1 to 1024", message: { embeds: [{ fields: [{ ...field, value: " " }] }] } },
    {
      fault: "embeds: at most 6000 in all",
      message: { embeds: [{ description: "x".repeat(3_001) }, { description: "x".repeat(3_000) }] },
    },
  ])("refuses a message: $fault", ({ fault, message }) => {
    expect(messageFaults({ ...literal, ...message })).toEqual([fault]);
  });
});

describe("a text in Discord", () => {
  const nothing = { mentions: [], links: [], styled: [] };
  it.each([
    { source: "@everyone @here <@1>", read: { mentions: ["@everyone", "@here", "<@1>"] } },
    { source: String.raw`\@everyone \<@1\> \\`, read: { text: String.raw`@everyone <@1> \ `.trimEnd() } },
    { source: "[a](b:c)", read: { text: "a", links: [{ url: "b:c", label: "a" }] } },
    { source: "https://a.b", read: { links: [{ url: "https://a.b", label: "https://a.b" }] } },
    { source: "discord.gg/a", read: { links: [{ url: "discord.gg/a", label: "discord.gg/a" }] } },
    { source: String.raw`https\://a.b discord.gg\/a`, read: { text: "https://a.b discord.gg/a" } },
    { source: "`@here`", read: { text: "@here", styled: ["code @here"] } },
    { source: "**b** ||s||", read: { styled: ["**b**", "||s||"] } },
    { source: "a\n# h", read: { styled: ["# "] } },
    { source: "a # h 1. x", read: {} },
  ])("$source is read as people see it", ({ source, read }) => {
    expect(readDiscord(source)).toEqual({ text: source, ...nothing, ...read });
  });
});
