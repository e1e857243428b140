import type { KnownBlock } from "@slack/types";
import { describe, expect, it } from "vitest";
import { type Answer, movedClock, post } from "./post.ts";
import { slackSignature } from "./slack-signature.ts";
import { slackError, type SlackStandIn, slackStandIn, slackTooMany, slackWebhookError } from "./slack.ts";
import { taken } from "./stand-in.ts";

const channel = "C0123456789";
const jsonType = "application/json; charset=utf-8";

/** Calls a method with JSON, as the bot. */
async function call(slack: SlackStandIn, method: string, values: object, headers: Record<string, string> = {}) {
  const all = { authorization: `Bearer ${slack.token}`, "content-type": jsonType, ...headers };
  const { status, body } = await post(`${slack.url}/api/${method}`, all, JSON.stringify(values));
  return {
    status,
    ...(JSON.parse(body) as { ok: boolean; ts?: string; error?: string; errors?: string[]; warning?: string }),
  };
}

const say = async (slack: SlackStandIn, values: object) => call(slack, "chat.postMessage", { channel, ...values });

const section = (text: string, more: object = {}): KnownBlock => ({
  type: "section",
  text: { type: "mrkdwn", text },
  ...more,
});
const times = <Value>(count: number, value: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, i) => value(i));
const button = (more: object = {}): object => ({ type: "button", text: { type: "plain_text", text: "Why" }, ...more });
const actions = (...elements: object[]): object => ({ type: "actions", elements });
const header = (text: string): object => ({ type: "header", text: { type: "plain_text", text } });

describe("Slack's signature", () => {
  it("is the one that Slack documents", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";

    expect(slackSignature("8f742231b10e8888abcd99yyyzzz85a5", 1_531_420_618, body)).toBe(
      "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    );
  });
});

describe("a post to Slack", () => {
  it("is shown in its channel, and its edit in its place", async () => {
    const clock = movedClock();
    await using slack = await slackStandIn({ clock });
    const first = await say(slack, {
      text: "rolling out",
      blocks: [section("*shop/api* rolls out")],
      unfurl_media: false,
    });
    clock.move(2_000);
    const edit = { channel, ts: first.ts, text: "running", blocks: [section("*shop/api* runs &lt;3")] };
    expect(await call(slack, "chat.update", edit)).toMatchObject({ status: 200, ok: true, ts: first.ts });

    expect(first).toMatchObject({ status: 200, ok: true, channel, ts: "1531420618.000001" });
    expect(slack.channel(channel)).toEqual([
      {
        ts: first.ts,
        text: "shop/api runs <3",
        mentions: [],
        links: [],
        styled: [{ style: "bold", text: "shop/api" }],
        notification: { text: "running", mentions: [], links: [], styled: [] },
        isUnfurled: false,
        versions: [
          { text: "rolling out", blocks: [section("*shop/api* rolls out")], at: 1_531_420_618_000 },
          { text: "running", blocks: [section("*shop/api* runs &lt;3")], at: 1_531_420_620_000 },
        ],
        replies: [],
      },
    ]);
    expect(slack.warnings).toEqual([]);
  });

  it("in a thread stands below its message", async () => {
    await using slack = await slackStandIn();
    const { ts } = await say(slack, { text: "failing" });

    expect(await say(slack, { text: "rolled back", thread_ts: ts })).toMatchObject({ ok: true });
    expect(await say(slack, { text: "rolled back", thread_ts: "1.1" })).toMatchObject({ error: "thread_not_found" });
    expect(slack.channel(channel).map(({ text, replies }) => [text, replies.map((reply) => reply.text)])).toEqual([
      ["failing", ["rolled back"]],
    ]);
  });

  it("is taken as a form too", async () => {
    await using slack = await slackStandIn();
    const form = new URLSearchParams({
      token: slack.token,
      channel,
      text: "a",
      blocks: JSON.stringify([section("b")]),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };

    const { body } = await post(`${slack.url}/api/chat.postMessage`, headers, form.toString());
    expect(JSON.parse(body)).toMatchObject({ ok: true });
    expect(slack.channel(channel).map(({ text, notification }) => [text, notification.text])).toEqual([["b", "a"]]);
  });

  it.each([
    { with: "no token", headers: { authorization: "" }, error: "not_authed" },
    { with: "another token", headers: { authorization: "Bearer xoxb-other" }, error: "invalid_auth" },
    {
      with: "a token in JSON",
      headers: { authorization: "" },
      values: { token: "xoxb-stand-in" },
      error: "not_authed",
    },
    { with: "another content type", headers: { "content-type": "text/plain" }, error: "invalid_post_type" },
    {
      with: "another charset",
      headers: { "content-type": "application/json; charset=utf-16" },
      error: "invalid_charset",
    },
    { with: "a JSON list", values: [], error: "json_not_object" },
    { with: "no channel", values: { channel: undefined }, error: "channel_not_found" },
    { with: "an unknown channel", values: { channel: "C9" }, error: "channel_not_found" },
    { with: "an archived channel", values: { channel: "COLD" }, error: "is_archived" },
    { with: "a channel without the bot", values: { channel: "CNEW" }, error: "not_in_channel" },
    { with: "nothing to say", values: { text: "" }, error: "no_text" },
    { with: "blocks that are no list", values: { blocks: "{" }, error: "invalid_blocks_format" },
  ])("with $with is refused with HTTP 200 and $error", async ({ headers, values, error }) => {
    await using slack = await slackStandIn({ channels: { [channel]: "open", COLD: "archived", CNEW: "not-invited" } });
    const sent = Array.isArray(values) ? values : { channel, text: "a", ...values };

    expect(await call(slack, "chat.postMessage", sent, headers)).toMatchObject({ status: 200, ok: false, error });
    expect(slack.received.map(({ refused }) => refused)).toEqual([error]);
    expect(slack.channel(channel)).toEqual([]);
  });

  it.each<{ with: string; blocks: unknown[]; fault: string }>([
    {
      with: "51 blocks",
      blocks: times(51, () => section("a")),
      fault: "no more than 50 items allowed [json-pointer:/blocks]",
    },
    {
      with: "a section of 3,001 characters",
      blocks: [section("a".repeat(3_001))],
      fault: "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
    },
    {
      with: "an empty section",
      blocks: [section("a"), section("")],
      fault: "must be more than 0 characters [json-pointer:/blocks/1/text/text]",
    },
    {
      with: "a section without text",
      blocks: [{ type: "section" }],
      fault: "must define either `text` or `fields` [json-pointer:/blocks/0/type]",
    },
    {
      with: "11 fields",
      blocks: [section("a", { fields: times(11, () => ({ type: "mrkdwn", text: "a" })) })],
      fault: "no more than 10 items allowed [json-pointer:/blocks/0/fields]",
    },
    {
      with: "a field of 2,001 characters",
      blocks: [section("a", { fields: [{ type: "mrkdwn", text: "a".repeat(2_001) }] })],
      fault: "must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]",
    },
    {
      with: "a header of 151 characters",
      blocks: [header("a".repeat(151))],
      fault: "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
    },
    {
      with: "a header in mrkdwn",
      blocks: [{ type: "header", text: { type: "mrkdwn", text: "a" } }],
      fault: "must be one of: plain_text [json-pointer:/blocks/0/text/type]",
    },
    {
      with: "a context of 11 elements",
      blocks: [{ type: "context", elements: times(11, () => ({ type: "mrkdwn", text: "a" })) }],
      fault: "no more than 10 items allowed [json-pointer:/blocks/0/elements]",
    },
    {
      with: "26 buttons",
      blocks: [actions(...times(26, () => button()))],
      fault: "no more than 25 items allowed [json-pointer:/blocks/0/elements]",
    },
    {
      with: "a value of 2,001 characters",
      blocks: [actions(button({ value: "a".repeat(2_001) }))],
      fault: "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
    },
    {
      with: "two equal actions",
      blocks: [actions(button({ action_id: "why" }), button({ action_id: "why" }))],
      fault: "action_id already exists: why [json-pointer:/blocks/0/elements]",
    },
    {
      with: "two equal block_ids",
      blocks: [section("a", { block_id: "one" }), section("b", { block_id: "one" })],
      fault: "block_id already exists: one [json-pointer:/blocks]",
    },
    {
      with: "a block_id of 256 characters",
      blocks: [section("a", { block_id: "a".repeat(256) })],
      fault: "must be less than 256 characters [json-pointer:/blocks/0/block_id]",
    },
    {
      with: "markdown of 12,001 characters",
      blocks: [{ type: "markdown", text: "a".repeat(12_001) }],
      fault: "must be less than 12001 characters [json-pointer:/blocks/0/text]",
    },
    {
      with: "an unknown block",
      blocks: [{ type: "banner" }],
      fault: "unsupported type: banner [json-pointer:/blocks/0/type]",
    },
    {
      with: "an unknown field",
      blocks: [section("a", { colour: "red" })],
      fault: "invalid additional property: colour [json-pointer:/blocks/0/colour]".replace("/colour]", "]"),
    },
  ])("with $with is refused as invalid_blocks, with the place", async ({ blocks, fault }) => {
    await using slack = await slackStandIn();

    expect(await say(slack, { text: "a", blocks })).toMatchObject({
      ...{ status: 200, ok: false, error: "invalid_blocks", errors: [fault] },
      response_metadata: { messages: [`[ERROR] ${fault}`] },
    });
  });

  it("with blocks at all limits is shown", async () => {
    await using slack = await slackStandIn();
    const blocks = [
      header("h".repeat(150)),
      section("s".repeat(3_000), { block_id: "b".repeat(255) }),
      section("a", {
        fields: times(10, () => ({ type: "plain_text", text: "a" })),
        accessory: button({ url: "https://example.com" }),
      }),
      { type: "context", elements: times(10, () => ({ type: "mrkdwn", text: "c" })) },
      { type: "divider" },
      actions(...times(25, () => button({ value: "v", style: "danger" }))),
    ];

    expect(await say(slack, { text: "a", blocks })).toMatchObject({ ok: true });
  });

  it.each([
    { sections: [3_000, 3_000, 3_000, 3_000, 922], isTaken: true },
    { sections: [3_000, 3_000, 3_000, 3_000, 923], isTaken: false },
    { sections: times(50, () => 145), isTaken: true },
    { sections: times(50, () => 146), isTaken: false },
  ])("with $sections.length sections is shown unless all together are too long", async ({ sections, isTaken }) => {
    await using slack = await slackStandIn();
    const blocks = sections.map((length) => section("a".repeat(length)));

    expect(await say(slack, { text: "a", blocks })).toMatchObject(
      isTaken ? { ok: true } : { ok: false, error: "msg_blocks_too_long" },
    );
  });

  it("is cut after 40,000 characters, with a warning", async () => {
    await using slack = await slackStandIn();

    expect(await say(slack, { text: "a".repeat(40_001) })).toMatchObject({ ok: true });
    expect([slack.channel(channel)[0]?.text.length, slack.warnings]).toEqual([40_000, ["message_truncated"]]);
  });

  it.each([
    {
      with: "no text beside its blocks",
      values: { text: undefined },
      warning: "there is no text for notifications and screen readers",
    },
    { with: "no charset", headers: { "content-type": "application/json" }, warning: "missing_charset" },
    { with: "parse", values: { parse: "full" }, warning: "parse makes links and mentions of plain words" },
    { with: "link_names", values: { link_names: true }, warning: "link_names makes links and mentions of plain words" },
  ])("with $with is shown, with a warning", async ({ values, headers, warning }) => {
    await using slack = await slackStandIn();
    const message = { channel, text: "a", blocks: [section("a")], ...values };

    expect(await call(slack, "chat.postMessage", message, headers)).toMatchObject({ ok: true });
    expect(slack.warnings).toEqual([warning]);
  });

  it("is refused with 429 within a second of another one in its channel", async () => {
    const clock = movedClock();
    await using slack = await slackStandIn({ clock, limitsRate: true, channels: { [channel]: "open", C2: "open" } });
    const url = `${slack.url}/api/chat.postMessage`;
    const headers = { authorization: `Bearer ${slack.token}`, "content-type": jsonType };
    const send = async (to = channel): Promise<Answer> =>
      post(url, headers, JSON.stringify({ channel: to, text: "a" }));

    expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.headers.get("retry-after"), JSON.parse(refused.body)]).toEqual([
      429,
      "1",
      { ok: false, error: "ratelimited" },
    ]);
    expect((await send("C2")).status).toBe(200);
    clock.move(1_000);
    expect((await send()).status).toBe(200);
    expect(slack.channel(channel)).toHaveLength(2);
  });
});

describe("an edit in Slack", () => {
  it("keeps the blocks that it does not name, and takes them away with an empty list", async () => {
    await using slack = await slackStandIn();
    const { ts } = await say(slack, { text: "a", blocks: [section("old")] });
    const read = (): string | undefined => slack.channel(channel)[0]?.text;

    await call(slack, "chat.update", { channel, ts, text: "new" });
    expect(read()).toBe("old");
    await call(slack, "chat.update", { channel, ts, text: "new", blocks: [] });
    expect(read()).toBe("new");
  });

  it.each([
    { of: "an unknown message", values: { ts: "1.1" }, error: "message_not_found" },
    { of: "nothing", values: { text: "" }, error: "no_text" },
    { of: "a text of 4,001 bytes", values: { text: `${"a".repeat(3_999)}é` }, error: "msg_too_long" },
    { of: "wrong blocks", values: { blocks: [section("")] }, error: "invalid_blocks" },
    { of: "an unknown channel", values: { channel: "C9" }, error: "channel_not_found" },
  ])("of $of is refused with $error", async ({ values, error }) => {
    await using slack = await slackStandIn();
    const { ts } = await say(slack, { text: "a" });

    expect(await call(slack, "chat.update", { channel, ts, text: "b", ...values })).toMatchObject({ ok: false, error });
    expect(slack.channel(channel).map(({ text }) => text)).toEqual(["a"]);
  });

  it("that changes a block and keeps its block_id has a warning", async () => {
    await using slack = await slackStandIn();
    const one = (text: string, block_id: string): KnownBlock => section(text, { block_id });
    const { ts } = await say(slack, { text: "a", blocks: [one("a", "state"), one("b", "same")] });
    await call(slack, "chat.update", { channel, ts, text: "b", blocks: [one("c", "state"), one("b", "same")] });

    expect(slack.warnings).toEqual(["an edited block keeps its block_id: state"]);
  });
});

describe("auth.test of Slack", () => {
  it("tells whose token it is", async () => {
    await using slack = await slackStandIn();

    expect(await call(slack, "auth.test", {})).toMatchObject({ ok: true, team_id: "T0123456789", user: "lookout" });
    expect(await call(slack, "auth.tset", {})).toMatchObject({ ok: false, error: "unknown_method" });
  });
});

describe("an incoming webhook of Slack", () => {
  it("posts to its channel, answers a text, and its post can't be edited", async () => {
    await using slack = await slackStandIn();
    const { status, body } = await post(
      slack.webhookUrl(),
      { "content-type": "application/json" },
      JSON.stringify({ text: "a" }),
    );
    const [message] = slack.channel(channel);

    expect([status, body, message?.text]).toEqual([200, "ok", "a"]);
    expect(await call(slack, "chat.update", { channel, ts: message?.ts, text: "b" })).toMatchObject({
      error: "cant_update_message",
    });
  });

  it.each([
    { with: "no JSON", body: "{", status: 400, answer: "invalid_payload" },
    { with: "nothing to say", body: "{}", status: 400, answer: "no_text" },
    { with: "wrong blocks", body: JSON.stringify({ blocks: [section("")] }), status: 400, answer: "invalid_blocks" },
    { with: "another secret", path: /[^/]+$/, status: 403, answer: "invalid_token" },
    { with: "another workspace", path: /T0123456789/, status: 404, answer: "no_service" },
    { with: "an archived channel", to: "COLD", status: 410, answer: "channel_is_archived" },
  ])("with $with answers $status and $answer", async ({ body = '{"text":"a"}', path = /^$/, to, status, answer }) => {
    await using slack = await slackStandIn({ channels: { [channel]: "open", COLD: "archived" } });
    const url = slack.webhookUrl(to).replace(path, "other");

    expect(await post(url, { "content-type": "application/json" }, body)).toMatchObject({ status, body: answer });
    expect([slack.channel(channel), slack.channel("COLD")]).toEqual([[], []]);
  });
});

describe("a scripted answer of Slack", () => {
  it("is an error with HTTP 200, a 429, or an error of a webhook", async () => {
    await using slack = await slackStandIn();
    slack.answerNext(
      slackError("missing_scope", { needed: "chat:write", provided: "users:read" }),
      slackTooMany(30),
      taken(slackError("fatal_error")),
    );

    expect(await say(slack, { text: "a" })).toEqual({
      ...{ status: 200, ok: false, error: "missing_scope", needed: "chat:write", provided: "users:read" },
    });
    expect(await say(slack, { text: "b" })).toEqual({ status: 429, ok: false, error: "ratelimited" });
    expect(await say(slack, { text: "c" })).toEqual({ status: 200, ok: false, error: "fatal_error" });
    expect(slack.channel(channel).map(({ text }) => text)).toEqual(["c"]);
    slack.answerNext(slackWebhookError("action_prohibited"));
    expect(await post(slack.webhookUrl(), {}, '{"text":"a"}')).toMatchObject({
      status: 403,
      body: "action_prohibited",
    });
  });
});
