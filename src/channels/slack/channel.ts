import { isObject, parseJson } from "#domain/shared/json";
import type { Answer, UpdatesSender } from "#ports/channels";
import type { PostAnswer } from "#ports/post";
import { answerOf, pauseIn } from "../answers.ts";
import type { EntryOf, Tools } from "../kind.ts";
import { render, renderFailure, trialOf } from "../slack-message.ts";
import type { slack } from "./configuration.ts";
import { answerKindOf, threadIsGone } from "./errors.ts";

/** The forms of Slack's other secrets, which the bot's token is confused with. */
const otherSecrets: readonly (readonly [form: RegExp, problem: string])[] = [
  [/^xox[ep]/, "the secret is the token of a user, or one that rotates: use the token of the bot (xoxb-…)"],
  [/^xapp-/, "the secret is a token of the app: use the token of the bot (xoxb-…)"],
  [/^https?:/, "the secret is an address: use the token of the bot (xoxb-…), or the kind slack-webhook"],
];

/** The arguments of both methods. Slack makes no links and no mentions of plain words. */
const literal = { parse: "none", link_names: false } as const;
const withoutPreviews = { unfurl_links: false, unfurl_media: false } as const;

/** Opens a channel that shows updates in messages of Slack, and changes them. */
export function open(
  { name, channel, address, allowNetworks }: EntryOf<typeof slack>,
  { secret, post }: Tools,
): UpdatesSender | { readonly problem: string } {
  const token = secret.trim();
  if (!/^xoxb-[A-Za-z0-9-]{4,250}$/.test(token)) {
    const other = otherSecrets.find(([form]) => form.test(token));
    return { problem: other?.[1] ?? "the secret is not the token of a bot (xoxb-…)" };
  }
  const call = async (method: "chat.postMessage" | "chat.update", values: object): Promise<Called> => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json; charset=utf-8",
      "user-agent": "lookout",
    };
    const url = `${address.replace(/\/+$/, "")}/${method}`;
    return calledOf(await post({ url, headers, body: JSON.stringify({ ...literal, ...values }), allowNetworks }));
  };
  const postTo = (to: string, message: object) =>
    call("chat.postMessage", { channel: to, ...withoutPreviews, ...message });
  const postAnew = async (message: object): Promise<Answer> => (await postTo(channel, message)).answer;
  return {
    form: "updates",
    render,
    renderFailure,
    async post(message, thread) {
      const parent = thread === undefined ? undefined : placeOf(thread);
      if (parent === undefined) return postAnew(message);
      const { answer, error } = await postTo(parent.channel, { ...message, thread_ts: parent.ts });
      // A failure is told, also if somebody deleted the message that it answers.
      return error !== undefined && threadIsGone(error) ? postAnew(message) : answer;
    },
    async edit(message, reference) {
      const place = placeOf(reference);
      if (place === undefined) return { kind: "gone", why: "the message has no name that Slack knows" };
      const { answer } = await call("chat.update", { ...place, ...message });
      // The message keeps its name.
      return answer.kind === "told" ? { kind: "told" } : answer;
    },
    tryOut: async () => postAnew(trialOf(name)),
  };
}

interface Place {
  readonly channel: string;
  readonly ts: string;
}

/** Returns the channel and the time of a message, which name it in Slack. */
function placeOf(reference: string): Place | undefined {
  const [, channel, ts] = /^([A-Z0-9]+)\/(\d+\.\d+)$/.exec(reference) ?? [];
  return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

interface Called {
  readonly answer: Answer;
  /** Slack's word for what went wrong. */
  readonly error?: string;
}

/** Returns what Slack made of a call. Slack reports most errors with the status 200. */
function calledOf(reply: PostAnswer): Called {
  if (reply.kind !== "answered" || reply.status !== 200) return { answer: answerOf(reply) };
  const value = parseJson(reply.body);
  if (!isObject(value)) return { answer: { kind: "later", why: "the server gave no answer of Slack's Web API" } };
  if (value["ok"] !== true) return refusalOf(value, reply);
  const reference = `${String(value["channel"])}/${String(value["ts"])}`;
  return { answer: { kind: "told", ...(placeOf(reference) === undefined ? {} : { reference }) } };
}

function refusalOf(
  { error: given, needed: scope }: Readonly<Record<string, unknown>>,
  reply: Extract<PostAnswer, { kind: "answered" }>,
): Called {
  const error = wordOf(given) ?? "an error without a name";
  const needed = wordOf(scope);
  const { kind, remedy } = answerKindOf(error);
  const what = needed === undefined ? error : `${error} (${needed})`;
  const why = `Slack answered ${what}${remedy === undefined ? "" : `: ${remedy}`}`;
  return { answer: { kind, why, ...(error === "ratelimited" ? pauseIn(reply) : {}) }, error };
}

/** Returns a word of Slack's answer. Any other text could be from outside. */
function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z][a-z0-9_:.,]{0,79}$/.test(value) ? value : undefined;
}
