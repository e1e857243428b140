import { isObject, parseJson } from "#domain/shared/json";
import { type Arrived, type Outcome, type Reply, standIn, type StandIn, type StandInOptions } from "./stand-in.ts";

/** A message of the stand-in: its contents, the first one is the post's. */
export interface DiscordPosted {
  readonly id: string;
  readonly versions: readonly Values[];
}

export interface DiscordStandIn extends StandIn {
  readonly webhookUrl: string;
  readonly messages: readonly DiscordPosted[];
  /** Deletes a message, as a person does. */
  readonly deleteMessage: (id: string) => void;
  readonly deleteWebhook: () => void;
}

type Values = Readonly<Record<string, unknown>>;

/** An error as Discord's API answers it. */
export const discordError = (status: number, code: number, message = "an error"): Reply =>
  json(status, { message, code });

/** 429 as Discord's API answers it: the header has whole seconds, the body has fractions. */
export const discordTooMany = (seconds: number): Reply => ({
  status: 429,
  headers: { "content-type": "application/json", "retry-after": String(Math.ceil(seconds)) },
  body: JSON.stringify({ message: "You are being rate limited.", retry_after: seconds, global: false }),
});

const path = "/api/webhooks/1234567890123456789/canary-of_the-webhook";

/** Starts a Discord with one webhook. */
export async function discordStandIn(options: StandInOptions = {}): Promise<DiscordStandIn> {
  const messages: { readonly id: string; readonly versions: Values[] }[] = [];
  let isDeleted = false;
  let count = 0;
  const answer = (request: Arrived): Outcome => {
    const { pathname, searchParams } = new URL(request.path, "http://127.0.0.1");
    if (request.headers["user-agent"] === undefined) return refusal({ status: 403 }, "there is no User-Agent");
    if (isDeleted || !pathname.startsWith(path)) return refusal(discordError(404, 10_015), "Unknown Webhook");
    const content = parseJson(request.body);
    if (!isObject(content)) return refusal(discordError(400, 50_109), "the body is no JSON");
    const faults = messageFaults(content);
    if (faults.length > 0) return refusal(discordError(400, 50_035), faults.join("; "));
    if (request.method === "POST" && pathname === path) {
      count += 1;
      const id = `9${String(count).padStart(18, "0")}`;
      messages.push({ id, versions: [content] });
      return { reply: searchParams.get("wait") === "true" ? json(200, { id, ...content }) : { status: 204 } };
    }
    const message = messages.find(({ id }) => pathname === `${path}/messages/${id}`);
    if (request.method !== "PATCH" || message === undefined)
      return refusal(discordError(404, 10_008), "Unknown Message");
    message.versions.push(content);
    return { reply: json(200, { id: message.id, ...content }) };
  };
  const server = await standIn(options, answer);
  return Object.assign(server, {
    webhookUrl: `${server.url}${path}`,
    messages,
    deleteMessage: (id: string) =>
      void messages.splice(
        messages.findIndex((one) => one.id === id),
        1,
      ),
    deleteWebhook: () => void (isDeleted = true),
  });
}

const embedLimits = { title: 256, description: 4_096 } as const;

/** Returns what Discord refuses in a message, and what makes it mention people. */
export function messageFaults({ content = "", embeds = [], allowed_mentions: mentions }: Values): readonly string[] {
  const list = (Array.isArray(embeds) ? embeds : []) as readonly Values[];
  const sizes = list.map(textsOf).map((texts) => texts.reduce((sum, text) => sum + text.length, 0));
  return [
    ...(JSON.stringify(mentions) === '{"parse":[]}' ? [] : ["the message may mention people"]),
    ...(typeof content === "string" && content.length <= 2_000 ? [] : ["content: at most 2000"]),
    ...(content === "" && list.length === 0 ? ["the message is empty"] : []),
    ...(list.length <= 10 ? [] : ["embeds: at most 10"]),
    ...(sizes.reduce((sum, size) => sum + size, 0) <= 6_000 ? [] : ["embeds: at most 6000 in all"]),
    ...list.flatMap(embedFaults),
  ];
}

function textsOf({ title, description, fields = [], footer }: Values): readonly string[] {
  const texts = (fields as readonly Values[]).flatMap(({ name, value }) => [name, value]);
  return [title, description, (footer as Values | undefined)?.["text"], ...texts].filter(
    (text) => typeof text === "string",
  );
}

function embedFaults(embed: Values): readonly string[] {
  const fields = (embed["fields"] ?? []) as readonly Values[];
  const isText = (text: unknown, most: number) => typeof text === "string" && text.trim() !== "" && text.length <= most;
  return [
    ...Object.entries(embedLimits).flatMap(([name, most]) =>
      embed[name] === undefined || isText(embed[name], most) ? [] : [`${name}: 1 to ${most}`],
    ),
    ...(textsOf(embed).length > 0 ? [] : ["the embed is empty"]),
    ...(fields.length <= 25 ? [] : ["fields: at most 25"]),
    ...fields.flatMap(({ name, value }) => [
      ...(isText(name, 256) ? [] : ["name: 1 to 256"]),
      ...(isText(value, 1_024) ? [] : ["value: 1 to 1024"]),
    ]),
  ];
}

function json(status: number, value: unknown): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

const refusal = (reply: Reply, refused: string): Outcome => ({ reply, refused });

/** What a person sees of a text with Discord's Markdown. */
export interface DiscordReading {
  readonly text: string;
  /** Who is named: `@everyone`, `<@1>`, `<#1>`. */
  readonly mentions: readonly string[];
  readonly links: readonly { readonly url: string; readonly label: string }[];
  /** The marks that have a meaning, and the text within code. */
  readonly styled: readonly string[];
}

type Rule = readonly [form: RegExp, kind: "escape" | "mention" | "link" | "page" | "code" | "style"];

/** Tried in this order at each place of a text, as Discord's clients do. */
const rules: readonly Rule[] = [
  [/\\([^0-9A-Za-z\s])/y, "escape"],
  [/```([\s\S]+?)```|`([^`]+)`/y, "code"],
  [/@everyone|@here|<(?:@[!&]?|#)\d+>|<(?:id|t|a?:\w+):[^>]*>|<\/[^>]+:\d+>/y, "mention"],
  [/\[([^\]\n]+)\]\(([^)\s]+)\)/y, "page"],
  [/<?(?:https?|steam|discord):\/\/[^\s<>]+>?|(?:\bdiscord\.gg|discord(?:app)?\.com\/invite)\/[\w-]+/iy, "link"],
  [/(\*\*\*|\*\*|\*|__|_|~~|\|\|)(?=\S)[^\n]*?\1/y, "style"],
  [/(?<=^|\n)(?:#{1,3}|-#|>>>|>|[-*+]|\d+\.) /y, "style"],
];

/** Reads a text as Discord's clients show it. */
export function readDiscord(source: string): DiscordReading {
  const reading = { text: "", mentions: [] as string[], links: [] as DiscordReading["links"][number][] };
  const styled: string[] = [];
  let at = 0;
  while (at < source.length) {
    const found = firstRule(source, at);
    const [whole = source[at] ?? "", one = "", two = ""] = found?.match ?? [];
    switch (found?.kind) {
      case "escape":
        reading.text += one;
        break;
      case "code":
        styled.push(`code ${one}${two}`);
        reading.text += `${one}${two}`;
        break;
      case "mention":
        reading.mentions.push(whole);
        reading.text += whole;
        break;
      case "page":
        reading.links.push({ url: two, label: one });
        reading.text += one;
        break;
      case "link":
        reading.links.push({ url: whole, label: whole });
        reading.text += whole;
        break;
      case "style":
        styled.push(whole);
        reading.text += whole;
        break;
      case undefined:
        reading.text += whole;
    }
    at += whole.length;
  }
  return { ...reading, styled };
}

function firstRule(
  source: string,
  at: number,
): { readonly kind: Rule[1]; readonly match: RegExpExecArray } | undefined {
  for (const [form, kind] of rules) {
    form.lastIndex = at;
    const match = form.exec(source);
    if (match !== null) return { kind, match };
  }
  return undefined;
}
