import { formerTag, short, type Step } from "#domain/history/steps";
import { isAsked, mostNamed, type Story, type UpdateStory } from "#domain/notify/story";
import type { Outcome } from "#domain/notify/words";
import { formatDuration } from "#domain/shared/duration";
import { isObject, parseJson } from "#domain/shared/json";
import { reasons } from "#domain/shared/reasons";
import { printableText, shortened } from "#domain/shared/shown-text";
import { since, toIso } from "#domain/shared/time";
import type { ImageChange } from "#domain/workload/patch";
import { isLimit } from "#domain/workload/pull-limit";
import type { Answer, UpdatesSender } from "#ports/channels";
import type { PostAnswer } from "#ports/post";
import { answerOf } from "../answers.ts";
import { jsonText } from "../json-text.ts";
import type { EntryOf, Tools } from "../kind.ts";
import { longestJson } from "../slack-text.ts";
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
const thisMachine: readonly string[] = ["127.0.0.1", "[::1]", "localhost"];

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

function isAllowed({ protocol, host, hostname }: URL, allowsNetworks: boolean): boolean {
  const isLocal = allowsNetworks && thisMachine.includes(hostname) && /^https?:$/.test(protocol);
  return isLocal || (protocol === "https:" && hosts.includes(host));
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
const longestText = 250;
const longestName = 100;
const longestCommands = 1_500;
const mostSteps = 12;
/** The steps at the beginning that a long story keeps: the push and the selection. */
const firstSteps = 2;
const mostChanges = 5;
const mostRemedies = 3;
const mostLinks = 3;

interface Look {
  readonly mark: string;
  readonly title: string;
  readonly color: number;
}

const colors = { red: 0xd83a42, amber: 0xe8a317, blue: 0x3b82f6, green: 0x2da44e, grey: 0x80848e } as const;

/** How each outcome looks, the worst first. */
const looks: Readonly<Record<Outcome, Look>> = {
  "rollback-failed": { mark: "🚨", title: "not recovered", color: colors.red },
  failed: { mark: "❌", title: "failed", color: colors.red },
  "rolled-back": { mark: "⏪", title: "rolled back", color: colors.red },
  reverted: { mark: "👤", title: "reverted by a user", color: colors.amber },
  rejected: { mark: "🚫", title: "rejected", color: colors.amber },
  waiting: { mark: "⏳", title: "waiting", color: colors.amber },
  "in-progress": { mark: "🔄", title: "in progress", color: colors.blue },
  succeeded: { mark: "✅", title: "succeeded", color: colors.green },
  superseded: { mark: "⏩", title: "superseded", color: colors.grey },
  none: { mark: "📦", title: "without an update", color: colors.grey },
};
const asked: Look = { mark: "✋", title: "waiting for approval", color: colors.amber };
const worstFirst = Object.keys(looks) as readonly Outcome[];

const stepMarks: Readonly<Record<Step["mark"], string>> = { plain: "·", good: "✓", bad: "✗", waits: "⏸", undone: "↩" };

/** The same story gives the same message. */
function render(story: Story): DiscordMessage {
  const [update, other] = story.updates;
  return story.total <= 1 && update !== undefined && other === undefined ? aboutOne(update) : aboutMany(story);
}

function renderFailure(update: UpdateStory): DiscordMessage {
  const bad = update.steps.filter(({ mark }) => mark === "bad" || mark === "undone").slice(-mostRemedies);
  const content = summaryOf(update);
  return fitting((width) => {
    const description = [...bad.map((step) => lineOf(step, width)), ...nextSteps([update], width)].join("\n");
    // Discord refuses an embed without a text.
    return {
      content,
      embeds: description === "" ? [] : [{ color: lookOf(update).color, description }],
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
  const content = summaryOf(update);
  return fitting((width) => ({
    content,
    embeds: [
      {
        color: lookOf(update).color,
        description: [...stepLines(update.steps, width), ...nextSteps([update], width)].join("\n"),
        fields: [...fieldsOf(update, width), ...linkField([update])],
        footer: { text: contextOf(update, width) },
      },
    ],
  }));
}

function aboutMany({ updates, counts, total }: Story): DiscordMessage {
  const present = worstFirst.filter((outcome) => (counts[outcome] ?? 0) > 0);
  const texts = present.map((outcome) => `${counts[outcome] ?? 0} ${looks[outcome].title}`);
  const { mark, color } = looks[present[0] ?? "none"];
  const shown = updates.slice(0, mostNamed);
  const more = total - shown.length;
  return fitting((width) => ({
    content: `${mark} ${total} workloads${texts.length === 0 ? "" : `: ${texts.join(", ")}`}`,
    embeds: [
      {
        color,
        description: [
          ...shown.map((update) => inShort(update, width)),
          ...(more > 0 ? [`… ${more} more`] : []),
          ...nextSteps(shown, width),
        ].join("\n"),
        fields: linkField(shown),
      },
    ],
  }));
}

/** Returns the message with the longest texts that Discord takes. */
function fitting(messageAt: (width: number) => DiscordMessage): DiscordMessage {
  const fits = (message: DiscordMessage): boolean =>
    message.embeds.every((embed) => lengthOf(embed) <= longestEmbeds) && longestJson(message) <= longestMessage;
  const [first, ...others] = widths;
  let message = messageAt(first);
  for (const width of others) {
    if (fits(message)) break;
    message = messageAt(width);
  }
  return message;
}

function lengthOf({ description, fields = [], footer }: Embed): number {
  return [description, footer?.text ?? "", ...fields.flatMap(({ name, value }) => [name, value])].join("").length;
}

function lookOf(update: UpdateStory): Look {
  return isAsked(update) ? asked : looks[update.outcome];
}

function titleOf(update: UpdateStory): string {
  const { cluster, namespace, name } = update.workload;
  const { mark, title } = lookOf(update);
  return `${mark} ${shortened(`${cluster}/${namespace}/${name}`, longestName)}: ${title}`;
}

function summaryOf(update: UpdateStory): string {
  return inert([titleOf(update), ...movesOf(update)].join(", "), longestText);
}

function movesOf({ changes }: UpdateStory): readonly string[] {
  return changes.map(versionsOf);
}

/** Returns the old tag and the new one: `1.2.0 → 1.3.0`. */
function versionsOf(change: ImageChange): string {
  const [former = "", tag = ""] = [formerTag(change), change.tag].map((text) => shortened(text, longestName));
  return former === tag ? `${tag} (new digest)` : `${former} → ${tag}`;
}

function fieldsOf({ workload, changes }: UpdateStory, width: number): NonNullable<Embed["fields"]> {
  const field = (name: string, texts: readonly string[]) => {
    const lines = [...new Set(texts.map((text) => inert(text, width)))];
    const more = lines.length - mostChanges;
    const value = [...lines.slice(0, mostChanges), ...(more > 0 ? [`… ${more} more`] : [])].join("\n");
    return { name, value: value === "" ? "–" : value, inline: true };
  };
  const named = (text: string, { name }: ImageChange) => (changes.length === 1 ? text : `${name}: ${text}`);
  const where = field("Where", [`${workload.cluster}/${workload.namespace} (${workload.kind})`]);
  if (changes.length === 0) return [where];
  return [
    where,
    field(
      "Image",
      changes.map((change) => named(versionsOf(change), change)),
    ),
    field(
      "Digest",
      changes.map((change) => named(short(change.digest), change)),
    ),
    field(
      "Policy",
      changes.map(({ policy }) => policy),
    ),
  ];
}

/** A footer has no markup. */
function contextOf({ seq, found, at }: UpdateStory, width: number): string {
  const begin = found?.source.startsWith("webhook") === true ? "the push" : "it was found";
  const origin = found && [oneLine(found.source, width), `${formatDuration(since(found.at, at))} after ${begin}`];
  return [`update ${seq}`, ...(origin ?? []), "times in UTC"].join(" · ");
}

/** A reader can't see where a longer address leads, and a bracket ends a link. */
const pageForm = /^https:\/\/[a-z0-9.-]+\/[\w./%~-]{1,250}$/;

/** Returns links to the commits between the images, as far as the images name them. */
function linkField(updates: readonly UpdateStory[]): NonNullable<Embed["fields"]> {
  const urls = updates.flatMap(({ changes }) => changes.flatMap(({ whatChanged }) => whatChanged?.url ?? []));
  const links = [...new Set(urls)].filter((url) => pageForm.test(url)).map((url) => `[what changed](${url})`);
  return links.length === 0 ? [] : [{ name: "Commits", value: links.slice(0, mostLinks).join("\n"), inline: false }];
}

function stepLines(steps: readonly Step[], width: number): readonly string[] {
  const lines = steps.map((step, index) => lineOf(step, width, steps[index - 1]));
  const more = steps.length - mostSteps;
  if (more <= 0) return lines;
  return [...lines.slice(0, firstSteps), `… ${more} more`, ...lines.slice(firstSteps + more)];
}

/** Returns a step as a line. The first step of a day has its date. */
function lineOf({ at, mark, word, text }: Step, width: number, before?: Step): string {
  const [day, time] = [toIso(at).slice(0, 10), toIso(at).slice(11, 19)];
  const isSameDay = before !== undefined && toIso(before.at).startsWith(day);
  return inert(`${isSameDay ? "" : `${day} `}${time} ${stepMarks[mark]} ${word} ${shortened(text, width)}`, width);
}

function inShort(update: UpdateStory, width: number): string {
  const why = update.steps.findLast(({ mark }) => mark === "bad" || mark === "waits")?.text;
  const isOpenOrBad = update.outcome !== "succeeded" && why !== undefined;
  const images = movesOf(update).join(", ");
  const parts = [titleOf(update), ...(images === "" ? [] : [images]), ...(isOpenOrBad ? [shortened(why, width)] : [])];
  return inert(parts.join(" · "), width);
}

/** Returns what people can do about updates: commands to copy, or what the reasons say. */
function nextSteps(updates: readonly UpdateStory[], width: number): readonly string[] {
  let left = longestCommands;
  const commands = updates
    .flatMap((update) => commandsOf(update, updates.length === 1))
    .filter((line) => {
      left -= line.length + 1;
      return left >= 0;
    });
  const [only] = updates;
  return updates.length === 1 && only !== undefined && commands.length === 0 ? remediesOf(only, width) : commands;
}

/** A command with a name that Kubernetes would not take could do something else in a shell. */
const safeName = /^[a-z0-9][a-z0-9.-]*$/;

function commandsOf(update: UpdateStory, isAlone: boolean): readonly string[] {
  const { outcome, seq, workload } = update;
  if (!safeName.test(workload.namespace) || !safeName.test(workload.name)) return [];
  const name = `${workload.namespace}/${workload.name}`;
  if (isAsked(update))
    return [
      `Approve it: \`lookout approve ${name} --update ${seq}\``,
      ...(isAlone ? [`Reject it: \`lookout reject ${name} --update ${seq} --why REASON\``] : []),
    ];
  return outcome === "rolled-back" && !update.reasons.some(({ reason }) => isLimit(reason))
    ? [`Let this image be tried again: \`lookout unblock ${name}\``]
    : [];
}

const withoutRemedies: readonly Outcome[] = ["none", "in-progress", "succeeded", "superseded"];

function remediesOf({ outcome, reasons: causes, workload }: UpdateStory, width: number): readonly string[] {
  if (withoutRemedies.includes(outcome)) return [];
  // A newer Lookout may store reasons that this one does not know.
  const known: Readonly<Partial<Record<string, { readonly remedy: string }>>> = reasons;
  const texts = new Set(causes.flatMap(({ reason }) => known[reason]?.remedy ?? []));
  const name = shortened(`${workload.namespace}/${workload.name}`, longestName);
  return [...texts].slice(0, mostRemedies).map((remedy) =>
    inert(
      remedy.replaceAll("WORKLOAD", () => name),
      width,
    ),
  );
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
  const whole = oneLine(text, most).replaceAll(markup, "\\$&");
  if (whole.length <= most) return whole;
  let kept = "";
  for (const [character] of whole.matchAll(/\\?./gsu)) {
    if (kept.length + character.length >= most) break;
    kept += character;
  }
  return `${kept}…`;
}

function oneLine(text: string, most: number): string {
  return shortened(printableText(shortened(text, most)).replaceAll(/ {2,}/g, " ").trim(), most - 1);
}
