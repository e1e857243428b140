import { isObject, parseJson } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import { areTooLong, blockFaults, type CheckedBlock } from "./slack-blocks.ts";
import { readBlocks, type Reading, readMrkdwn } from "./slack-reading.ts";
import {
  type Arrived,
  type Outcome,
  rateLimit,
  type Reply,
  standIn,
  type StandIn,
  type StandInOptions,
  tooMany,
} from "./stand-in.ts";

/** A channel's state for the app; a channel without a state does not exist. */
export type ChannelState = "open" | "archived" | "not-invited";

export interface SlackOptions extends StandInOptions {
  /** The bot's token. */
  readonly token?: string;
  /** By their ids. Without them there is `C0123456789`, which is open. */
  readonly channels?: Readonly<Record<string, ChannelState>>;
  /** Allows one post a second in a channel, and 50 edits a minute in the workspace. */
  readonly limitsRate?: boolean;
}

/** One content of a message. */
export interface SlackVersion {
  readonly text: string;
  readonly blocks: readonly CheckedBlock[];
  readonly at: EpochMs;
}

/** A message as it reads now. `text` and its links are of the blocks, or of `text` if there are none. */
export interface SlackMessage extends Reading {
  readonly ts: string;
  /** What a notification shows and a screen reader says. */
  readonly notification: Reading;
  /** Slack adds previews of its links. */
  readonly isUnfurled: boolean;
  /** All contents, the first one is the post's. */
  readonly versions: readonly SlackVersion[];
  readonly replies: readonly SlackMessage[];
}

export interface SlackStandIn extends StandIn {
  readonly token: string;
  /** The address of an incoming webhook that posts to a channel; by default to the first one. */
  readonly webhookUrl: (channel?: string) => string;
  /** The messages of a channel, the oldest first, without the replies in their threads. */
  readonly channel: (id: string) => readonly SlackMessage[];
}

/** An error of the Web API: HTTP 200, with `ok` false. */
export const slackError = (error: string, more: Readonly<Record<string, unknown>> = {}): Reply =>
  json({ ok: false, error, ...more });

/** 429 as the Web API answers it. */
export const slackTooMany = (retryAfter?: number | string): Reply =>
  tooMany(retryAfter, JSON.stringify({ ok: false, error: "ratelimited" }));

const webhookStatus = {
  invalid_payload: 400,
  no_text: 400,
  invalid_blocks: 400,
  invalid_token: 403,
  action_prohibited: 403,
  no_service: 404,
  channel_not_found: 404,
  channel_is_archived: 410,
  rollup_error: 500,
} as const;

/** An error of an incoming webhook: a text with its status. */
export const slackWebhookError = (error: keyof typeof webhookStatus): Reply => ({
  status: webhookStatus[error],
  headers: { "content-type": "text/html" },
  body: error,
});

interface Posted {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | undefined;
  readonly by: "bot" | "webhook";
  readonly isUnfurled: boolean;
  readonly versions: SlackVersion[];
}

type Values = Readonly<Record<string, unknown>>;

/** What a method does with its arguments. */
type Method = (values: Values, at: EpochMs) => Outcome;

const team = "T0123456789";
const bot = { user: "lookout", user_id: "U0123456789", bot_id: "B0123456789" };

/** Starts a Slack with `chat.postMessage`, `chat.update`, `auth.test` and incoming webhooks. */
export async function slackStandIn({
  token = "xoxb-stand-in",
  channels = { C0123456789: "open" },
  limitsRate = false,
  ...options
}: SlackOptions = {}): Promise<SlackStandIn> {
  const posts: Posted[] = [];
  const unlimited = (): undefined => undefined;
  const waitForPost = limitsRate ? rateLimit(1, 1_000) : unlimited;
  const waitForEdit = limitsRate ? rateLimit(50, 60_000) : unlimited;

  const post = (values: Values, content: Content, at: EpochMs, by: Posted["by"]): Posted => {
    const posted: Posted = {
      channel: String(values["channel"]),
      ts: `${String(Math.floor(at / 1_000))}.${String(posts.length + 1).padStart(6, "0")}`,
      thread: typeof values["thread_ts"] === "string" ? values["thread_ts"] : undefined,
      by,
      isUnfurled: values["unfurl_links"] === true || values["unfurl_media"] !== false,
      versions: [{ text: content.text ?? "", blocks: content.blocks ?? [], at }],
    };
    posts.push(posted);
    return posted;
  };

  const postMessage: Method = (values, at) => {
    const channel = String(values["channel"]);
    const stateError = channelError(channels[channel]);
    if (stateError !== undefined) return refusal(slackError(stateError), stateError);
    const waitS = waitForPost(channel, at);
    if (waitS !== undefined) return refusal(slackTooMany(waitS), "ratelimited");
    const thread = values["thread_ts"];
    if (thread !== undefined && !posts.some((one) => one.channel === channel && one.ts === thread))
      return refusal(slackError("thread_not_found"), "thread_not_found");
    const content = contentOf(values);
    if ("error" in content) return contentRefusal(content);
    if (content.text === undefined && content.blocks === undefined) return refusal(slackError("no_text"), "no_text");
    const { ts } = post(values, content, at, "bot");
    const { text = "", blocks } = content;
    const message = { type: "message", subtype: "bot_message", ts, bot_id: bot.bot_id, text, blocks };
    return success({ channel, ts, message }, warningsOf(content, values));
  };

  const update: Method = (values, at) => {
    const channel = String(values["channel"]);
    const stateError = channelError(channels[channel]);
    if (stateError !== undefined) return refusal(slackError(stateError), stateError);
    const waitS = waitForEdit("workspace", at);
    if (waitS !== undefined) return refusal(slackTooMany(waitS), "ratelimited");
    const posted = posts.find((one) => one.channel === channel && one.ts === values["ts"]);
    if (posted === undefined) return refusal(slackError("message_not_found"), "message_not_found");
    if (posted.by !== "bot") return refusal(slackError("cant_update_message"), "cant_update_message");
    const content = contentOf(values);
    if ("error" in content) return contentRefusal(content);
    const { text, blocks } = content;
    if (text === undefined && blocks === undefined) return refusal(slackError("no_text"), "no_text");
    // Slack escapes a text before it counts its bytes.
    if (Buffer.byteLength(text ?? "") > 4_000) return refusal(slackError("msg_too_long"), "msg_too_long");
    const before = posted.versions.at(-1) as SlackVersion;
    const version = { text: text ?? "", blocks: blocks ?? before.blocks, at };
    posted.versions.push(version);
    return success({ channel, ts: posted.ts, text: version.text, message: version }, [
      ...warningsOf(content, values),
      ...reusedIds(before.blocks, version.blocks),
    ]);
  };

  const methods: Readonly<Record<string, Method>> = {
    "auth.test": () =>
      success({
        url: "https://stand-in.slack.com/",
        team: "Stand-in",
        team_id: team,
        ...bot,
        is_enterprise_install: false,
      }),
    "chat.postMessage": postMessage,
    "chat.update": update,
  };

  const api = (request: Arrived): Outcome => {
    const [, name = ""] = /^\/api\/([\w.]+)$/.exec(request.path) ?? [];
    const method = methods[name];
    if (method === undefined) return refusal(slackError("unknown_method", { req_method: name }), "unknown_method");
    const read = readArguments(request);
    if ("error" in read) return refusal(slackError(read.error), read.error);
    const given = /^Bearer (\S+)$/.exec(request.headers["authorization"] ?? "")?.[1] ?? read.values["token"];
    if (given === undefined) return refusal(slackError("not_authed"), "not_authed");
    if (given !== token) return refusal(slackError("invalid_auth"), "invalid_auth");
    const outcome = method(read.values, request.at);
    return { ...outcome, warnings: [...read.warnings, ...(outcome.warnings ?? [])] };
  };

  const webhookPath = (channel: string): string => `/services/${team}/B${channel.slice(1)}/secretOfTheWebhook`;
  const webhook = (request: Arrived): Outcome => {
    const no = (error: keyof typeof webhookStatus): Outcome => refusal(slackWebhookError(error), error);
    const channel = Object.keys(channels).find((id) => webhookPath(id) === request.path);
    if (channel === undefined) {
      const isKnown = Object.keys(channels).some((id) =>
        request.path.startsWith(webhookPath(id).replace(/[^/]+$/, "")),
      );
      return no(isKnown ? "invalid_token" : "no_service");
    }
    if (channels[channel] === "archived") return no("channel_is_archived");
    const waitS = waitForPost(channel, request.at);
    if (waitS !== undefined) return refusal(tooMany(waitS, "rate_limited"), "rate_limited");
    const isForm = mediaType(request) === "application/x-www-form-urlencoded";
    const values = parseJson(isForm ? (new URLSearchParams(request.body).get("payload") ?? "") : request.body);
    if (!isObject(values)) return no("invalid_payload");
    const content = contentOf(values);
    if ("error" in content) return { ...no("invalid_blocks"), refused: [content.error, ...content.faults].join("; ") };
    if (content.text === undefined && content.blocks === undefined) return no("no_text");
    post({ ...values, channel, thread_ts: undefined }, content, request.at, "webhook");
    return {
      reply: { status: 200, headers: { "content-type": "text/html" }, body: "ok" },
      warnings: warningsOf(content, values),
    };
  };

  const server = await standIn(options, (request) => {
    if (request.method !== "POST") return refusal({ status: 405 }, "the stand-in knows only POST");
    return request.path.startsWith("/services/") ? webhook(request) : api(request);
  });
  const messages = (channel: string, thread?: string): readonly SlackMessage[] =>
    posts
      .filter((one) => one.channel === channel && one.thread === thread)
      .map((one) => ({ ...shown(one), replies: thread === undefined ? messages(channel, one.ts) : [] }));
  return Object.assign(server, {
    token,
    webhookUrl: (channel = Object.keys(channels)[0] ?? "") => `${server.url}${webhookPath(channel)}`,
    channel: (id: string) => messages(id),
  });
}

function shown({ ts, isUnfurled, versions }: Posted): Omit<SlackMessage, "replies"> {
  const { text, blocks } = versions.at(-1) as SlackVersion;
  const notification = readMrkdwn(text);
  return { ...(blocks.length === 0 ? notification : readBlocks(blocks)), ts, notification, isUnfurled, versions };
}

interface Content {
  /** Cut where Slack cuts; undefined if it is absent or empty. */
  readonly text: string | undefined;
  readonly blocks: readonly CheckedBlock[] | undefined;
  readonly isCut: boolean;
}

interface ContentError {
  readonly error: string;
  readonly faults: readonly string[];
}

function contentOf(values: Values): Content | ContentError {
  const text = typeof values["text"] === "string" && values["text"] !== "" ? values["text"] : undefined;
  const given = typeof values["blocks"] === "string" ? parseJson(values["blocks"]) : values["blocks"];
  if (values["blocks"] !== undefined && !Array.isArray(given)) return { error: "invalid_blocks_format", faults: [] };
  const faults = given === undefined ? [] : blockFaults(given);
  if (faults.length > 0) return { error: "invalid_blocks", faults };
  const blocks = given as readonly CheckedBlock[] | undefined;
  if (areTooLong(blocks ?? [])) return { error: "msg_blocks_too_long", faults: [] };
  return { text: text?.slice(0, 40_000), blocks, isCut: (text?.length ?? 0) > 40_000 };
}

function contentRefusal({ error, faults }: ContentError): Outcome {
  const more = { errors: faults, response_metadata: { messages: faults.map((one) => `[ERROR] ${one}`) } };
  return refusal(slackError(error, faults.length === 0 ? {} : more), [error, ...faults].join("; "));
}

function warningsOf({ text, isCut }: Content, values: Values): readonly string[] {
  return [
    ...(isCut ? ["message_truncated"] : []),
    ...(text === undefined ? ["there is no text for notifications and screen readers"] : []),
    ...["parse", "link_names"]
      .filter((name) => ![undefined, false, "none", 0].includes(values[name] as never))
      .map((name) => `${name} makes links and mentions of plain words`),
  ];
}

/** A client may show the old block for an id that an edit keeps. */
function reusedIds(before: readonly CheckedBlock[], after: readonly CheckedBlock[]): readonly string[] {
  const old = new Map(before.map((block) => [block.block_id, JSON.stringify(block)]));
  return after
    .filter(
      (block) =>
        block.block_id !== undefined && (old.get(block.block_id) ?? JSON.stringify(block)) !== JSON.stringify(block),
    )
    .map(({ block_id: id }) => `an edited block keeps its block_id: ${String(id)}`);
}

function channelError(state: ChannelState | undefined): string | undefined {
  if (state === undefined) return "channel_not_found";
  if (state === "archived") return "is_archived";
  return state === "not-invited" ? "not_in_channel" : undefined;
}

const mediaType = ({ headers }: Arrived): string => (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";

/** Reads the arguments of a method, from JSON or a form. */
function readArguments(
  request: Arrived,
): { readonly values: Values; readonly warnings: readonly string[] } | { readonly error: string } {
  const { body, headers } = request;
  const charset = /;\s*charset=([^;\s]+)/i.exec(headers["content-type"] ?? "")?.[1]?.toLowerCase();
  if (body === "") return { values: {}, warnings: [] };
  switch (mediaType(request)) {
    case "":
      return { error: "missing_post_type" };
    case "application/json": {
      if (charset !== undefined && charset !== "utf-8") return { error: "invalid_charset" };
      const values = parseJson(body);
      if (values === undefined) return { error: "invalid_json" };
      if (!isObject(values)) return { error: "json_not_object" };
      // A token in a JSON body does not count.
      return { values: { ...values, token: undefined }, warnings: charset === undefined ? ["missing_charset"] : [] };
    }
    case "application/x-www-form-urlencoded":
      return {
        values: Object.fromEntries(new URLSearchParams(body)),
        warnings: charset === undefined ? [] : ["superfluous_charset"],
      };
    default:
      return { error: "invalid_post_type" };
  }
}

function json(value: unknown): Reply {
  return { status: 200, headers: { "content-type": "application/json; charset=utf-8" }, body: JSON.stringify(value) };
}

const success = (value: object, warnings: readonly string[] = []): Outcome => ({
  reply: json({ ok: true, ...value }),
  warnings,
});
const refusal = (reply: Reply, refused: string): Outcome => ({ reply, refused });
