import { describe, expect, it } from "vitest";
import { open } from "#channels/discord/channel";
import { Channels } from "#contracts/config/channels";
import { seconds } from "#domain/shared/time";
import type { UpdatesSender } from "#ports/channels";
import type { Post, PostAnswer, PostRequest } from "#ports/post";

const url = "https://discord.com/api/webhooks/1234567890123456789/canary-of_the-webhook";
const message = { content: "rolling out", embeds: [] };
const reference = "1311111111111111111";

const answered = (status: number, body: unknown = "", headers: Readonly<Record<string, string>> = {}): PostAnswer => ({
  ...{ kind: "answered", status, headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const good = answered(200, { id: reference, channel_id: "1" });

function opened(answer: PostAnswer = good, secret = url, allowNetworks?: readonly string[]) {
  const requests: PostRequest[] = [];
  const post: Post = async (request) => {
    requests.push(request);
    return answer;
  };
  const tools = { secret, post, postToAws: () => Promise.reject(new Error("not used")), installation: "abc123" };
  const sender = open({ name: "releases", ...(allowNetworks && { allowNetworks }) }, tools);
  return {
    requests,
    sender: sender as Required<UpdatesSender>,
    problem: "problem" in sender ? sender.problem : undefined,
  };
}

describe("a message to Discord", () => {
  const sent = {
    headers: { "content-type": "application/json", "user-agent": "lookout" },
    body: JSON.stringify({ ...message, allowed_mentions: { parse: [] } }),
    allowNetworks: undefined,
  };

  it("is posted without mentions, and its name is kept", async () => {
    const { sender, requests } = opened();
    expect(await sender.post(message)).toEqual({ kind: "told", reference });
    expect(requests).toEqual([{ method: "POST", url: `${url}?wait=true`, ...sent }]);
  });

  it("is edited without mentions, and keeps its name", async () => {
    const { sender, requests } = opened();
    expect(await sender.edit(message, reference)).toEqual({ kind: "told" });
    expect(requests).toEqual([{ method: "PATCH", url: `${url}/messages/${reference}`, ...sent }]);
  });

  it("about a failure is a message of its own", async () => {
    const { sender, requests } = opened();
    expect(await sender.post(message, "1300000000000000000")).toEqual({ kind: "told", reference });
    expect(requests).toEqual([{ method: "POST", url: `${url}?wait=true`, ...sent }]);
  });

  it("goes to the thread that the address names", async () => {
    const { sender, requests } = opened(good, `${url}?thread_id=42`);
    await sender.post(message);
    await sender.edit(message, reference);
    expect(requests.map((request) => request.url)).toEqual([
      `${url}?thread_id=42&wait=true`,
      `${url}/messages/${reference}?thread_id=42`,
    ]);
  });

  it("can't allow mentions", async () => {
    const { sender, requests } = opened();
    await sender.post({ allowed_mentions: { parse: ["everyone"] } });
    expect(requests.map(({ body }) => body)).toEqual(['{"allowed_mentions":{"parse":[]}}']);
  });

  it.each(["m-1", "C0123456789/1531420618.000001", "../1", ""])(
    "with the name %j of another kind of channel is posted anew",
    async (name) => {
      const { sender, requests } = opened();
      expect(await sender.edit(message, name)).toEqual({
        kind: "gone",
        why: "the message has no name that Discord knows",
      });
      expect(requests).toEqual([]);
    },
  );

  it("of a test names the channel", async () => {
    const { sender, requests } = opened();
    expect(await sender.tryOut(0 as never)).toEqual({ kind: "told", reference });
    expect(requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        content: "A test of the channel releases: it can tell how updates stand.",
        embeds: [],
        allowed_mentions: { parse: [] },
      },
    ]);
  });
});

describe("an answer of Discord", () => {
  const isGone = "the webhook was deleted: add one, and store its address";
  const error = (status: number, code: number) => answered(status, { message: "@everyone canary", code });
  interface Row {
    readonly name: string;
    readonly answer: PostAnswer;
    readonly posted: object;
    /** Absent: as posted. */
    readonly edited?: object;
  }
  const off = (why: string) => ({ kind: "off", why });
  const later = (why: string, after?: number) => ({
    ...{ kind: "later", why },
    ...(after === undefined ? {} : { after: seconds(after) }),
  });
  const refused = (why: string) => ({ kind: "refused", why });
  const gone = (why: string) => ({ kind: "gone", why });
  const tooMany = (body: unknown, header?: string): PostAnswer =>
    answered(429, body, header === undefined ? {} : { "retry-after": header });

  it.each<Row>([
    { name: "204", answer: answered(204), posted: { kind: "told" } },
    { name: "200 that is too long to read", answer: answered(200), posted: { kind: "told" } },
    {
      name: "200 of a proxy",
      answer: answered(200, "<html>"),
      posted: later("the server gave no answer of Discord's API"),
    },
    {
      name: "200 with a name that is no id",
      answer: answered(200, { id: "../x" }),
      posted: later("the server gave no answer of Discord's API"),
    },
    {
      name: "404, Unknown Webhook",
      answer: error(404, 10_015),
      posted: off(`Discord answered 404 (10015): ${isGone}`),
    },
    {
      name: "404, Unknown Message",
      answer: error(404, 10_008),
      posted: refused("Discord answered 404 (10008)"),
      edited: gone("Discord answered 404 (10008)"),
    },
    {
      name: "404, Unknown Channel",
      answer: error(404, 10_003),
      posted: off("Discord answered 404 (10003): the channel or the thread was deleted: add a webhook to another one"),
    },
    {
      name: "404 without an error",
      answer: answered(404),
      posted: off(`Discord answered 404: ${isGone}`),
      edited: gone("Discord answered 404"),
    },
    {
      name: "401, Invalid Webhook Token",
      answer: error(401, 50_027),
      posted: off("Discord answered 401 (50027): copy the address of the webhook again"),
    },
    { name: "403 of a proxy", answer: answered(403, "<html>"), posted: off("the server answered 403") },
    {
      name: "400, another author's message",
      answer: error(400, 50_005),
      posted: refused("Discord answered 400 (50005)"),
      edited: gone("Discord answered 400 (50005)"),
    },
    {
      name: "400, Invalid Form Body",
      answer: error(400, 50_035),
      posted: refused("Discord answered 400 (50035)"),
    },
    {
      name: "400, a forum without a thread",
      answer: error(400, 220_001),
      posted: off("Discord answered 400 (220001): end the address in ?thread_id= and the id of a thread"),
    },
    { name: "413", answer: answered(413), posted: refused("the server answered 413") },
    {
      name: "429 with fractions",
      answer: tooMany({ retry_after: 64.57 }),
      posted: later("the server answered 429", 65),
    },
    {
      name: "429 with both pauses",
      answer: tooMany({ retry_after: 2.1, code: 0 }, "9"),
      posted: later("the server answered 429", 3),
    },
    { name: "429 of a proxy", answer: tooMany("<html>", "7"), posted: later("the server answered 429", 7) },
    { name: "429 without a pause", answer: tooMany(""), posted: later("the server answered 429", 30) },
    {
      name: "429 with a pause of years",
      answer: tooMany({ retry_after: 1e300 }),
      posted: later("the server answered 429", 86_400),
    },
    {
      name: "429 with a pause that is none",
      answer: tooMany({ retry_after: -1 }, "7"),
      posted: later("the server answered 429", 7),
    },
    {
      name: "429 with an error",
      answer: tooMany({ retry_after: 5, code: 20_029 }),
      posted: later("Discord answered 429 (20029)", 5),
    },
    {
      name: "429, too many edits of an old message",
      answer: tooMany({ retry_after: 5, code: 30_046 }),
      posted: refused("Discord answered 429 (30046)"),
      edited: gone("Discord answered 429 (30046)"),
    },
    { name: "500", answer: answered(500), posted: later("the server answered 500") },
    {
      name: "a code that is no number",
      answer: answered(500, { code: "@here" }),
      posted: later("the server answered 500"),
    },
    {
      name: "none",
      answer: { kind: "unanswered", why: "discord.com gave no answer in 15 s" },
      posted: later("discord.com gave no answer in 15 s"),
    },
    {
      name: "forbidden",
      answer: { kind: "forbidden", why: "discord.com is private" },
      posted: off("discord.com is private"),
    },
  ])("$name", async ({ answer, posted, edited = posted }) => {
    const { sender } = opened(answer);
    expect({ posted: await sender.post(message), edited: await sender.edit(message, reference) }).toEqual({
      posted,
      edited,
    });
  });
});

describe("an address that is", () => {
  const expected = "the secret is not the address of a webhook (https://discord.com/api/webhooks/…)";
  it.each([
    ["without TLS", url.replace("https", "http"), expected],
    ["of another host", url.replace("discord.com", "discord.com.evil.example"), expected],
    ["of another port", url.replace("discord.com", "discord.com:8443"), expected],
    ["with a user", url.replace("discord.com", "discord.com@evil.example"), expected],
    ["of a channel", "https://discord.com/channels/1/canary", expected],
    ["of a message", `${url}/messages/1`, expected],
    ["for Slack's messages", `${url}/slack`, `${expected}: leave out /slack at its end`],
    ["with a query", `${url}?wait=false`, `${expected}, which may end in ?thread_id= and the id of a thread`],
    ["with a fragment", `${url}#canary`, expected],
    ["no address", "canary", expected],
    ["empty", "", expected],
    ["of this machine, without allowNetworks", url.replace("https://discord.com", "http://127.0.0.1:1"), expected],
  ])("%s is a problem that does not show it", (_, secret, problem) => {
    expect(opened(undefined, secret).problem).toBe(problem);
    expect(problem).not.toContain("canary");
  });

  it.each([
    ["of a version of the API", url.replace("/api/", "/api/v10/"), undefined],
    ["of the former host", url.replace("discord.com", "discordapp.com"), undefined],
    ["followed by a line break", `${url}\n`, undefined],
    ["of this machine, with allowNetworks", url.replace("https://discord.com", "http://127.0.0.1:1"), ["127.0.0.0/8"]],
  ])("%s is used", async (_, secret, networks) => {
    const { sender, requests } = opened(undefined, secret, networks);
    expect(await sender.post(message)).toEqual({ kind: "told", reference });
    expect(requests).toMatchObject([{ url: `${secret.trim()}?wait=true`, allowNetworks: networks }]);
  });
});

it("an entry of Discord needs only its secret, and takes no address", () => {
  const entry = { name: "releases", kind: "discord", secretEnv: "HOOK" };
  expect(Channels.parse([entry])).toMatchObject([entry]);
  expect(Channels.safeParse([{ ...entry, address: url }]).error?.issues).toMatchObject([
    { code: "unrecognized_keys", keys: ["address"] },
  ]);
});
