import type { Story, UpdateStory } from "#domain/notify/story";
import type { Outcome } from "#domain/notify/words";
import { isObject, parseJson } from "#domain/shared/json";
import { shortened } from "#domain/shared/shown-text";
import type { Answer, UpdatesSender } from "#ports/channels";
import type { PostAnswer } from "#ports/post";
import { answerOf } from "../answers.ts";
import { jsonText, longestJson } from "../json-text.ts";
import type { EntryOf, Tools } from "../kind.ts";
import { isOnThisMachine } from "../this-machine.ts";
import {
  badLines,
  comparisonsOf,
  contextOf,
  fieldsOf,
  fitting,
  inertSummary,
  longestName,
  nextSteps,
  oneLine,
  onlyUpdate,
  severalUpdates,
  stepLines,
  updateLines,
} from "../story-text.ts";
import type { discord } from "./configuration.ts";

/** What a message of Discord shows. @see https://docs.discord.com/developers/resources/webhook */
interface DiscordMessage {
  readonly content: string;
  readonly embeds: readonly Embed[];
}

interface Embed {
  readonly color: number;
  readonly description: string;
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
  readonly footer?: { readonly text: string };
}

/** Nobody is notified, whatever a text says. */
const literal = { allowed_mentions: { parse: [] } } as const;

/** Opens a channel that shows updates in messages of a webhook of Discord, and changes them. */
export function open(
  { name, allowNetworks }: EntryOf<typeof discord>,
  { secret, post }: Tools,
): UpdatesSender | { readonly problem: string } {
  const given = secret.trim();
  const problem = problemOf(given, allowNetworks !== undefined);
  if (problem !== undefined) return { problem };
  const call = (method: "POST" | "PATCH", message: object, path = ""): Promise<PostAnswer> => {
    const address = new URL(given);
    address.pathname += path;
    // Without it, Discord does not name the new message.
    if (method === "POST") address.searchParams.set("wait", "true");
    const headers = { "content-type": "application/json", "user-agent": "lookout" };
    return post({ method, url: address.href, headers, body: jsonText({ ...message, ...literal }), allowNetworks });
  };
  const postAnew = async (message: object): Promise<Answer> => {
    const answer = meaningOf(await call("POST", message), "POST");
    // There is no older message that could be gone.
    return answer.kind === "gone" ? { ...answer, kind: "refused" } : answer;
  };
  return {
    form: "updates",
    render,
    renderFailure,
    // A webhook can't answer a message.
    post: (message) => postAnew(message),
    async edit(message, reference) {
      if (!isId(reference)) return { kind: "gone", why: "the message has no name that Discord knows" };
      const answer = meaningOf(await call("PATCH", message, `/messages/${reference}`), "PATCH");
      // The message keeps its name.
      return answer.kind === "told" ? { kind: "told" } : answer;
    },
    tryOut: () => postAnew(trialOf(name)),
  };
}

const hosts: readonly string[] = ["discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"];

/** Returns why an address can't be used. The text does not show the address. */
function problemOf(secret: string, allowsNetworks: boolean): string | undefined {
  const expected = "the secret is not the address of a webhook (https://discord.com/api/webhooks/…)";
  if (!URL.canParse(secret)) return expected;
  const url = new URL(secret);
  const path = /^\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/[\w-]{1,200}(?<end>\/(?:slack|github))?$/.exec(url.pathname);
  if (path === null || !isAllowed(url, allowsNetworks) || url.username + url.password + url.hash !== "")
    return expected;
  const end = path.groups?.["end"];
  if (end !== undefined) return `${expected}: leave out ${end} at its end`;
  return url.search === "" || /^\?thread_id=\d{1,20}$/.test(url.search)
    ? undefined
    : `${expected}, which may end in ?thread_id= and the id of a thread`;
}

function isAllowed(url: URL, allowsNetworks: boolean): boolean {
  return (allowsNetworks && isOnThisMachine(url)) || (url.protocol === "https:" && hosts.includes(url.host));
}

function isId(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,20}$/.test(value);
}

/** What an error of Discord means, and what a person can do about it. */
interface ErrorRow {
  readonly kind: Exclude<Answer["kind"], "told">;
  readonly remedy?: string;
}

const deleted: ErrorRow = { kind: "off", remedy: "the webhook was deleted: add one, and store its address" };
const needsThread: ErrorRow = { kind: "off", remedy: "end the address in ?thread_id= and the id of a thread" };

/** The errors that say more than their status. @see https://docs.discord.com/developers/topics/opcodes-and-status-codes */
const errorRows: ReadonlyMap<unknown, ErrorRow> = new Map<unknown, ErrorRow>([
  [10003, { kind: "off", remedy: "the channel or the thread was deleted: add a webhook to another one" }],
  [10008, { kind: "gone" }],
  [10015, deleted],
  // An old message takes few edits.
  [30046, { kind: "gone" }],
  [50005, { kind: "gone" }],
  [50027, { kind: "off", remedy: "copy the address of the webhook again" }],
  [50083, { kind: "gone" }],
  [160005, { kind: "off", remedy: "unlock the thread" }],
  [220001, needsThread],
  [220003, { kind: "off", remedy: "leave out ?thread_id= at the end of the address" }],
]);

/** Returns what Discord made of a message. Discord's own texts could be from outside, and are not shown. */
function meaningOf(reply: PostAnswer, method: "POST" | "PATCH"): Answer {
  if (reply.kind !== "answered") return answerOf(reply);
  const parsed = parseJson(reply.body);
  const value = isObject(parsed) ? parsed : {};
  const answer = answerOf(withPause(reply, value["retry_after"]));
  if (answer.kind === "told") return toldBy(reply.body, value);
  const { code } = value;
  const row = errorRows.get(code) ?? (reply.status === 404 ? unnamed404[method] : undefined);
  const named = typeof code === "number" && Number.isSafeInteger(code) && code > 0 ? ` (${code})` : "";
  if (row === undefined) return named === "" ? answer : { ...answer, why: `Discord answered ${reply.status}${named}` };
  const remedy = row.remedy === undefined ? "" : `: ${row.remedy}`;
  return { kind: row.kind, why: `Discord answered ${reply.status}${named}${remedy}` };
}

/** What 404 means without an error that Lookout knows. After an edit, a new message shows which part is gone. */
const unnamed404: Readonly<Record<"POST" | "PATCH", ErrorRow>> = { POST: deleted, PATCH: { kind: "gone" } };

/** Discord's body has the pause as a number of seconds with fractions. A proxy's answer has only the header. */
function withPause(reply: Extract<PostAnswer, { kind: "answered" }>, asked: unknown): typeof reply {
  if (typeof asked !== "number" || !(asked >= 0)) return reply;
  const seconds = String(Math.min(Math.ceil(asked), 999_999_999));
  return { ...reply, headers: { ...reply.headers, "retry-after": seconds } };
}

function toldBy(body: string, { id }: Readonly<Record<string, unknown>>): Answer {
  if (isId(id)) return { kind: "told", reference: id };
  // An answer that is too long to read has no body, and the message is there.
  return body === "" ? { kind: "told" } : { kind: "later", why: "the server gave no answer of Discord's API" };
}

/**
 * The longest JSON of a message. Discord takes more, but its answer repeats the message, and 16 KiB of
 * an answer are read.
 */
const longestMessage = 12_000;
/** Discord's limit of all texts of the embeds of a message. */
const longestEmbeds = 6_000;
/** The lengths to which texts from outside are cut, until the message fits. */
const widths = [180, 120, 60, 30] as const;
const longestCommands = 1_500;

const colors = { red: 0xd83a42, amber: 0xe8a317, blue: 0x3b82f6, green: 0x2da44e, grey: 0x80848e } as const;

const colorOf: Readonly<Record<Outcome, number>> = {
  "rollback-failed": colors.red,
  failed: colors.red,
  "rolled-back": colors.red,
  reverted: colors.amber,
  rejected: colors.amber,
  waiting: colors.amber,
  "in-progress": colors.blue,
  succeeded: colors.green,
  superseded: colors.grey,
  none: colors.grey,
};

/** The same story gives the same message. */
function render(story: Story): DiscordMessage {
  const update = onlyUpdate(story);
  return update === undefined ? aboutMany(story) : aboutOne(update);
}

function renderFailure(update: UpdateStory): DiscordMessage {
  const content = inertSummary(update, inert);
  return fittingMessage((width) => {
    const description = [...badLines(update, width, inert), ...stepsToDo([update], width)].join("\n");
    // Discord refuses an embed without a text.
    return {
      content,
      embeds: description === "" ? [] : [{ color: colorOf[update.outcome], description }],
    };
  });
}

function trialOf(channel: string): DiscordMessage {
  return {
    content: `A test of the channel ${inert(channel, longestName)}: it can tell how updates stand.`,
    embeds: [],
  };
}

function aboutOne(update: UpdateStory): DiscordMessage {
  const content = inertSummary(update, inert);
  return fittingMessage((width) => ({
    content,
    embeds: [
      {
        color: colorOf[update.outcome],
        description: [...stepLines(update.steps, width, inert), ...stepsToDo([update], width)].join("\n"),
        fields: [
          // Discord refuses a field without a text.
          ...fieldsOf(update, width, inert).map(([name, value]) => ({ name, value: value || "–", inline: true })),
          ...linkField([update]),
        ],
        // A footer has no markup.
        footer: { text: contextOf(update, width, literalLine) },
      },
    ],
  }));
}

function aboutMany(story: Story): DiscordMessage {
  const { title, worst, counts, shown } = severalUpdates(story);
  return fittingMessage((width) => ({
    content: `${title}${counts.length === 0 ? "" : `: ${counts.join(", ")}`}`,
    embeds: [
      {
        color: colorOf[worst],
        description: [...updateLines(shown, story.total, width, inert), ...stepsToDo(shown, width)].join("\n"),
        fields: linkField(shown),
      },
    ],
  }));
}

function fittingMessage(messageAt: (width: number) => DiscordMessage): DiscordMessage {
  return fitting(
    widths,
    messageAt,
    (message) =>
      message.embeds.every((embed) => lengthOf(embed) <= longestEmbeds) && longestJson(message) <= longestMessage,
  );
}

function lengthOf({ description, fields = [], footer }: Embed): number {
  return [description, footer?.text ?? "", ...fields.flatMap(({ name, value }) => [name, value])].join("").length;
}

/** A reader can't see where a longer address leads, and a bracket ends a link. */
const pageForm = /^https:\/\/[a-z0-9.-]+\/[\w./%~-]{1,250}$/;

/** Returns links to the commits between the images, as far as the images name them. */
function linkField(updates: readonly UpdateStory[]): NonNullable<Embed["fields"]> {
  const links = comparisonsOf(updates, pageForm).map((url) => `[what changed](${url})`);
  return links.length === 0 ? [] : [{ name: "Commits", value: links.join("\n"), inline: false }];
}

function stepsToDo(updates: readonly UpdateStory[], width: number): readonly string[] {
  const { commands, remedies } = nextSteps(updates, longestCommands, width, inert);
  return [...commands.map(({ word, command }) => `${word}: \`${command}\``), ...remedies];
}

/**
 * What Discord takes for markup, a mention or a link: its marks anywhere, an address, an invitation
 * without `https`, and what begins a list or a quotation.
 */
const markup = /[\\`*_~|<>[\]()@#]|:(?=\/\/)|(?<=\.[a-z]{2,})\/|(?<=\bwww)\.|^[-+]|(?<=^\d+)\.(?= )/gi;

/**
 * Returns a text from outside as Discord shows it literally, in one line, and cut between two
 * characters. `most` counts the marks that make it literal.
 */
function inert(text: string, most: number): string {
  const whole = literalLine(text, most).replaceAll(markup, "\\$&");
  if (whole.length <= most) return whole;
  let kept = "";
  for (const [character] of whole.matchAll(/\\?./gsu)) {
    if (kept.length + character.length >= most) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Returns a text from outside for a place without markup. */
function literalLine(text: string, most: number): string {
  return shortened(oneLine(text, most), most - 1);
}
