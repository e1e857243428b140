import type { Answer, UpdatesSender } from "#ports/channels";
import { answerOf } from "../answers.ts";
import type { EntryOf, Tools } from "../kind.ts";
import { render, renderFailure, trialOf } from "../slack-message.ts";
import { isOnThisMachine } from "../this-machine.ts";
import type { slackWebhook } from "./configuration.ts";

const hosts: readonly string[] = ["hooks.slack.com", "hooks.slack-gov.com"];

/** What people can do about the words with which an incoming webhook refuses. */
const remedies: Readonly<Record<string, string>> = {
  invalid_token: "add an incoming webhook to the app, and store its address",
  no_service: "add an incoming webhook to the app, and store its address",
  no_active_hooks: "add an incoming webhook to the app, and store its address",
  action_prohibited: "ask an administrator of the workspace",
  posting_to_general_channel_denied: "ask an administrator of the workspace",
  channel_not_found: "add an incoming webhook for another channel",
  channel_is_archived: "add an incoming webhook for another channel",
};

/** Opens a channel that posts to an incoming webhook of Slack. */
export function open(
  { name, allowNetworks }: EntryOf<typeof slackWebhook>,
  { secret, post }: Tools,
): UpdatesSender | { readonly problem: string } {
  const url = secret.trim();
  const problem = problemOf(url, allowNetworks !== undefined);
  if (problem !== undefined) return { problem };
  const send = async (message: object): Promise<Answer> => {
    const headers = { "content-type": "application/json; charset=utf-8", "user-agent": "lookout" };
    const body = JSON.stringify({ unfurl_links: false, unfurl_media: false, ...message });
    const reply = await post({ url, headers, body, allowNetworks });
    const answer = answerOf(reply);
    if (answer.kind === "told" || reply.kind !== "answered" || !/^[a-z_]{1,60}$/.test(reply.body)) return answer;
    // Slack says which part of the address is gone, so no later try helps.
    const { status } = reply;
    const kind = status === 404 && Object.hasOwn(remedies, reply.body) ? "off" : answer.kind;
    const remedy = Object.hasOwn(remedies, reply.body) ? `: ${remedies[reply.body] ?? ""}` : "";
    return { ...answer, kind, why: `Slack answered ${status} ${reply.body}${remedy}` };
  };
  return {
    form: "updates",
    render,
    renderFailure,
    post: (message) => send(message),
    tryOut: async () => send(trialOf(name)),
  };
}

/** Returns why an address can't be used. The text does not show the address. */
function problemOf(secret: string, allowsNetworks: boolean): string | undefined {
  const expected = "the secret is not the address of an incoming webhook (https://hooks.slack.com/services/…)";
  if (secret.startsWith("xox")) return `${expected}: for the token of a bot, use the kind slack`;
  if (!URL.canParse(secret)) return expected;
  const url = new URL(secret);
  const { protocol, hostname, pathname, username, password } = url;
  if (username + password !== "") return expected;
  if (allowsNetworks && isOnThisMachine(url)) return undefined;
  if (protocol !== "https:" || !hosts.includes(hostname)) return expected;
  if (/^\/(triggers|workflows)\//.test(pathname)) return `${expected}, but of a workflow`;
  return pathname.startsWith("/services/") ? undefined : expected;
}
