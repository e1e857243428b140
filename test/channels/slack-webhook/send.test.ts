import { describe, expect, it } from "vitest";
import { open } from "#channels/slack-webhook/channel";
import { seconds } from "#domain/shared/time";
import type { UpdatesSender } from "#ports/channels";
import type { Post, PostAnswer, PostRequest } from "#ports/post";

const url = "https://hooks.slack.com/services/T0123456789/B0123456789/canary";
const message = { text: "succeeded", blocks: [{ type: "section" }] };

const answered = (status: number, body = "", headers: Readonly<Record<string, string>> = {}): PostAnswer => ({
  kind: "answered",
  ...{ status, headers, body },
});

function opened(answer: PostAnswer = answered(200, "ok"), secret = url, allowNetworks?: readonly string[]) {
  const requests: PostRequest[] = [];
  const post: Post = async (request) => {
    requests.push(request);
    return answer;
  };
  const tools = { secret, post, postToAws: () => Promise.reject(new Error("not used")), installation: "abc123" };
  const sender = open({ name: "releases", ...(allowNetworks && { allowNetworks }) }, tools);
  return { requests, sender: sender as UpdatesSender, problem: "problem" in sender ? sender.problem : undefined };
}

describe("a message to an incoming webhook", () => {
  it("is posted without previews, and can't change later", async () => {
    const { sender, requests } = opened();
    expect(await sender.post(message, "a thread")).toEqual({ kind: "told" });
    expect(sender.edit).toBeUndefined();
    expect(requests).toEqual([
      {
        url,
        headers: { "content-type": "application/json; charset=utf-8", "user-agent": "lookout" },
        body: JSON.stringify({ unfurl_links: false, unfurl_media: false, ...message }),
        allowNetworks: undefined,
      },
    ]);
  });

  const again = "add an incoming webhook to the app, and store its address";
  it.each<{ name: string; answer: PostAnswer; expected: object }>([
    {
      name: "400 invalid_payload",
      answer: answered(400, "invalid_payload"),
      expected: { kind: "refused", why: "Slack answered 400 invalid_payload" },
    },
    {
      name: "403 invalid_token",
      answer: answered(403, "invalid_token"),
      expected: { kind: "off", why: `Slack answered 403 invalid_token: ${again}` },
    },
    {
      name: "403 action_prohibited",
      answer: answered(403, "action_prohibited"),
      expected: { kind: "off", why: "Slack answered 403 action_prohibited: ask an administrator of the workspace" },
    },
    {
      name: "404 no_service",
      answer: answered(404, "no_service"),
      expected: { kind: "off", why: `Slack answered 404 no_service: ${again}` },
    },
    {
      name: "404 channel_not_found",
      answer: answered(404, "channel_not_found"),
      expected: {
        kind: "off",
        why: "Slack answered 404 channel_not_found: add an incoming webhook for another channel",
      },
    },
    {
      name: "410 channel_is_archived",
      answer: answered(410, "channel_is_archived"),
      expected: {
        kind: "off",
        why: "Slack answered 410 channel_is_archived: add an incoming webhook for another channel",
      },
    },
    {
      name: "500 rollup_error",
      answer: answered(500, "rollup_error"),
      expected: { kind: "later", why: "Slack answered 500 rollup_error" },
    },
    {
      name: "429 with a pause",
      answer: answered(429, "rate_limited", { "retry-after": "9" }),
      expected: { kind: "later", why: "Slack answered 429 rate_limited", after: seconds(9) },
    },
    {
      name: "a text that is no word of Slack's",
      answer: answered(400, "<!channel> canary"),
      expected: { kind: "refused", why: "the server answered 400" },
    },
    {
      name: "no answer",
      answer: { kind: "unanswered", why: "hooks.slack.com gave no answer in 15 s" },
      expected: { kind: "later", why: "hooks.slack.com gave no answer in 15 s" },
    },
  ])("that gets $name", async ({ answer, expected }) => {
    expect(await opened(answer).sender.post(message)).toEqual(expected);
  });
});

describe("an address that is", () => {
  const expected = "the secret is not the address of an incoming webhook (https://hooks.slack.com/services/…)";
  it.each([
    ["without TLS", "http://hooks.slack.com/services/T/B/canary", expected],
    ["of another host", "https://hooks.slack.com.evil.example/services/T/B/canary", expected],
    ["with a user", "https://hooks.slack.com@evil.example/services/T/B/canary", expected],
    ["of a workflow", "https://hooks.slack.com/triggers/T/1/canary", `${expected}, but of a workflow`],
    ["of a page", "https://hooks.slack.com/canary", expected],
    ["a bot's token", "xoxb-canary", `${expected}: for the token of a bot, use the kind slack`],
    ["no address", "canary", expected],
    ["of this machine, without allowNetworks", "http://127.0.0.1:1/services/T/B/canary", expected],
  ])("%s is a problem that does not show it", (_, secret, problem) => {
    expect(opened(undefined, secret).problem).toBe(problem);
  });

  it.each([
    ["of GovSlack", "https://hooks.slack-gov.com/services/T/B/canary", undefined],
    ["followed by a line break", `${url}\n`, undefined],
    ["of this machine, with allowNetworks", "http://127.0.0.1:1/services/T/B/canary", ["127.0.0.0/8"]],
  ])("%s is used", async (_, secret, networks) => {
    const { sender, requests } = opened(undefined, secret, networks);
    expect(await sender.post(message)).toEqual({ kind: "told" });
    expect(requests).toMatchObject([{ url: secret.trim(), allowNetworks: networks }]);
  });
});
