import { describe, expect, it } from "vitest";
import { errorRows } from "#channels/slack/errors";
import { open } from "#channels/slack/channel";
import { seconds } from "#domain/shared/time";
import type { UpdatesSender } from "#ports/channels";
import type { Post, PostAnswer, PostRequest } from "#ports/post";

const token = "xoxb-1234567890-canary";
const entry = { name: "releases", channel: "C0123456789", address: "https://slack.com/api" } as const;
const message = { text: "rolling out", blocks: [{ type: "section" }] };
const reference = "C0123456789/1531420618.000001";

const answered = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): PostAnswer => ({
  ...{ kind: "answered", status, headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const good = answered({ ok: true, channel: "C0123456789", ts: "1531420618.000001" });

/** Opens the channel over answers, one for each request; the last one repeats. */
function opened(answers: readonly PostAnswer[] = [good], secret = token) {
  const requests: PostRequest[] = [];
  const post: Post = async (request) => {
    requests.push(request);
    return answers[Math.min(requests.length, answers.length) - 1] ?? good;
  };
  const sender = open(entry, {
    secret,
    post,
    postToAws: () => Promise.reject(new Error("not used")),
    installation: "abc123",
  });
  return {
    requests,
    sender: sender as Required<UpdatesSender>,
    problem: "problem" in sender ? sender.problem : undefined,
  };
}

const sentBy = (requests: readonly PostRequest[]) =>
  requests.map(({ url, body }) => ({ url, ...(JSON.parse(body) as object) }));

describe("a message of the bot", () => {
  it("is posted without links, mentions and previews, and its name is kept", async () => {
    const { sender, requests } = opened();
    expect(await sender.post(message)).toEqual({ kind: "told", reference });
    expect(requests).toEqual([
      {
        url: "https://slack.com/api/chat.postMessage",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json; charset=utf-8",
          "user-agent": "lookout",
        },
        body: JSON.stringify({
          ...{ parse: "none", link_names: false, channel: "C0123456789", unfurl_links: false, unfurl_media: false },
          ...message,
        }),
        allowNetworks: undefined,
      },
    ]);
  });

  it("is edited in its own channel, also if lookout.yaml names another one now", async () => {
    const { sender, requests } = opened();
    expect(await sender.edit(message, "C9999999999/1531420618.000002")).toEqual({ kind: "told" });
    expect(sentBy(requests)).toEqual([
      {
        url: "https://slack.com/api/chat.update",
        ...{ parse: "none", link_names: false, channel: "C9999999999", ts: "1531420618.000002" },
        ...message,
      },
    ]);
  });

  it("about a failure answers in the thread", async () => {
    const { sender, requests } = opened();
    expect(await sender.post(message, reference)).toEqual({ kind: "told", reference });
    expect(sentBy(requests)).toMatchObject([{ channel: "C0123456789", thread_ts: "1531420618.000001" }]);
  });

  it("about a failure is posted anew if somebody deleted its message", async () => {
    const { sender, requests } = opened([answered({ ok: false, error: "thread_not_found" }), good]);
    expect(await sender.post(message, reference)).toEqual({ kind: "told", reference });
    expect(sentBy(requests).map((sent) => "thread_ts" in sent)).toEqual([true, false]);
  });

  it("with a name of another kind of channel is posted anew", async () => {
    const { sender, requests } = opened();
    expect(await sender.edit(message, "m-1")).toEqual({
      kind: "gone",
      why: "the message has no name that Slack knows",
    });
    expect(requests).toEqual([]);
  });

  it("of a test names the channel", async () => {
    const { sender, requests } = opened();
    expect(await sender.tryOut(0 as never)).toEqual({ kind: "told", reference });
    expect(sentBy(requests)).toMatchObject([
      { text: "A test of the channel releases: it can tell how updates stand." },
    ]);
  });
});

describe("an error of Slack", () => {
  it.each(
    Object.entries({
      off: [
        ...["invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope"],
        ...["channel_not_found", "not_in_channel", "is_archived", "restricted_action", "no_permission"],
        ...["restricted_action_read_only_channel", "not_allowed_token_type", "access_denied", "org_login_required"],
        ...["ekm_access_denied", "enterprise_is_restricted", "team_access_not_granted"],
      ],
      gone: [
        ...["message_not_found", "cant_update_message", "edit_window_closed"],
        ...["thread_not_found", "cannot_reply_to_message"],
      ],
      refused: ["msg_too_long", "msg_blocks_too_long", "invalid_blocks", "invalid_blocks_format", "no_text"],
      later: ["ratelimited", "internal_error", "fatal_error", "an_error_of_next_year", "constructor", "__proto__"],
    }).flatMap(([kind, errors]) => errors.map((error) => ({ kind, error }))),
  )("$error is $kind", async ({ kind, error }) => {
    const { sender } = opened([answered({ ok: false, error })]);
    for (const answer of [await sender.post(message), await sender.edit(message, reference)]) {
      expect(answer.kind).toBe(kind);
      const remedy = errorRows[error]?.remedy;
      const name = error === "__proto__" ? "an error without a name" : error;
      if (!error.startsWith("restricted"))
        expect(answer).toHaveProperty("why", `Slack answered ${name}${remedy === undefined ? "" : `: ${remedy}`}`);
    }
  });

  it("names the scope that is missing", async () => {
    const { sender } = opened([answered({ ok: false, error: "missing_scope", needed: "chat:write", provided: "" })]);
    expect(await sender.post(message)).toEqual({
      kind: "off",
      why: "Slack answered missing_scope (chat:write): add the scope to the app, and install it again",
    });
  });

  it.each([
    { name: "a text", error: `<!channel> ${token}` },
    { name: "no text", error: 7 },
    { name: "1 MB", error: "x".repeat(1_000_000) },
  ])("that is $name is not shown", async ({ error }) => {
    const { sender } = opened([answered({ ok: false, error })]);
    expect(await sender.post(message)).toEqual({ kind: "later", why: "Slack answered an error without a name" });
  });

  it.each<{ name: string; answer: PostAnswer; after?: number }>([
    { name: "ratelimited", answer: answered({ ok: false, error: "ratelimited" }), after: 30 },
    {
      name: "429 with a pause",
      answer: answered({ ok: false, error: "ratelimited" }, 429, { "retry-after": "7" }),
      after: 7,
    },
    { name: "429 without a pause", answer: answered("", 429), after: 30 },
    { name: "429 with a pause of days", answer: answered("", 429, { "retry-after": "999999999" }), after: 86_400 },
    { name: "500", answer: answered("", 500) },
    { name: "no answer", answer: { kind: "unanswered", why: "slack.com gave no answer in 15 s" } },
    { name: "a page of a proxy", answer: answered("<html>") },
    { name: "an empty answer", answer: answered("") },
    { name: "a list", answer: answered([]) },
  ])("$name: later", async ({ answer, after }) => {
    const { sender } = opened([answer]);
    const { kind, after: pause } = { after: undefined, ...(await sender.post(message)) };
    expect({ kind, pause }).toEqual({ kind: "later", pause: after === undefined ? undefined : seconds(after) });
  });

  it.each([301, 403])("the status %d turns the channel off", async (status) => {
    const { sender } = opened([answered("", status)]);
    expect((await sender.post(message)).kind).toBe("off");
  });

  it("an address that may not be reached turns the channel off", async () => {
    const why = "slack.test has an address that is not public: allow its network with allowNetworks";
    expect(await opened([{ kind: "forbidden", why }]).sender.post(message)).toEqual({ kind: "off", why });
  });

  it("success without a name is told once", async () => {
    expect(await opened([answered({ ok: true })]).sender.post(message)).toEqual({ kind: "told" });
  });
});

describe("a secret that is", () => {
  it.each([
    [
      "a user's token",
      "xoxp-1234567890-canary",
      "the secret is the token of a user, or one that rotates: use the token of the bot (xoxb-…)",
    ],
    ["a token of the app", "xapp-1-canary", "the secret is a token of the app: use the token of the bot (xoxb-…)"],
    [
      "an address",
      "https://hooks.slack.com/services/T/B/canary",
      "the secret is an address: use the token of the bot (xoxb-…), or the kind slack-webhook",
    ],
    ["another text", "canary", "the secret is not the token of a bot (xoxb-…)"],
    ["two lines", "xoxb-1234567890\r\nx-evil: canary", "the secret is not the token of a bot (xoxb-…)"],
    ["empty", "", "the secret is not the token of a bot (xoxb-…)"],
  ])("%s is a problem that does not show it", (_, secret, problem) => {
    expect(opened([], secret).problem).toBe(problem);
    expect(problem).not.toContain("canary");
  });

  it("a token with a line break at its end is used", async () => {
    const { sender, requests } = opened([good], `${token}\n`);
    await sender.post(message);
    expect(requests[0]?.headers["authorization"]).toBe(`Bearer ${token}`);
  });
});
