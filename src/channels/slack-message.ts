import type { ContextBlock, HeaderBlock, MrkdwnElement, SectionBlock } from "@slack/types";
import { formerTag, short, type Step } from "#domain/history/steps";
import { mostNamed, isAsked, type Story, type UpdateStory } from "#domain/notify/story";
import type { Outcome } from "#domain/notify/words";
import { formatDuration } from "#domain/shared/duration";
import { reasons } from "#domain/shared/reasons";
import { shortened } from "#domain/shared/shown-text";
import { since, toIso } from "#domain/shared/time";
import { isLimit } from "#domain/workload/pull-limit";
import type { ImageChange } from "#domain/workload/patch";
import { commandLines, inert, label, link, longestJson, plain } from "./slack-text.ts";

/** The blocks that Lookout's messages have. */
export type SlackBlock = ContextBlock | HeaderBlock | SectionBlock;

/** What a message of Slack shows. `text` is for notifications and screen readers. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

/**
 * The longest JSON of the blocks of a message. Slack takes about 13,000 characters of text, and its
 * answer repeats the blocks.
 */
const longestBlocks = 10_000;
/** The lengths to which texts from outside are cut, until the blocks fit. */
const widths = [220, 160, 80, 40] as const;
const longestText = 250;
const longestName = 100;
/** Slack's limit of a header. */
const longestHeader = 150;
const mostSteps = 12;
/** The steps at the beginning that a long story keeps: the push and the selection. */
const firstSteps = 2;
const mostChanges = 5;
const mostRemedies = 3;
const mostLinks = 3;
/** Slack's limit of a section. */
const longestSection = 3_000;

const outcomes: Readonly<Record<Outcome, { readonly mark: string; readonly title: string }>> = {
  "rollback-failed": { mark: "🚨", title: "not recovered" },
  failed: { mark: "❌", title: "failed" },
  "rolled-back": { mark: "⏪", title: "rolled back" },
  reverted: { mark: "👤", title: "reverted by a user" },
  rejected: { mark: "🚫", title: "rejected" },
  waiting: { mark: "⏳", title: "waiting" },
  "in-progress": { mark: "🔄", title: "in progress" },
  succeeded: { mark: "✅", title: "succeeded" },
  superseded: { mark: "⏩", title: "superseded" },
  none: { mark: "📦", title: "without an update" },
};
const approvalTitle = { mark: "✋", title: "waiting for approval" } as const;

/** All outcomes, the worst first. */
const worstFirst = Object.keys(outcomes) as readonly Outcome[];

const stepMarks: Readonly<Record<Step["mark"], string>> = { plain: "·", good: "✓", bad: "✗", waits: "⏸", undone: "↩" };

/** Returns the message about a story. The same story gives the same message. */
export function render(story: Story): SlackMessage {
  const [update, other] = story.updates;
  return story.total <= 1 && update !== undefined && other === undefined ? aboutOne(update) : aboutMany(story);
}

/** Returns the message about one failure, for the thread of its message or on its own. */
export function renderFailure(update: UpdateStory): SlackMessage {
  const bad = update.steps.filter(({ mark }) => mark === "bad" || mark === "undone").slice(-mostRemedies);
  return {
    text: summaryOf(update),
    blocks: fitting((width) => [
      section([inert(titleOf(update, placeOf(update)), width), ...bad.map((step) => lineOf(step, width))]),
      ...nextSteps([update], width),
    ]),
  };
}

/** Returns a harmless message. */
export function trialOf(channel: string): SlackMessage {
  const text = `A test of the channel ${inert(channel, longestName)}: it can tell how updates stand.`;
  return { text, blocks: [section([text])] };
}

function aboutOne(update: UpdateStory): SlackMessage {
  return {
    text: summaryOf(update),
    blocks: fitting((width) => [
      { type: "header", text: plain(inert(titleOf(update, nameOf(update)), longestHeader)) },
      { type: "section", fields: fieldsOf(update, width).flatMap(([word, value]) => [label(word), plain(value)]) },
      { type: "context", elements: [plain(contextOf(update, width)), ...linksOf([update])] },
      ...(update.steps.length === 0 ? [] : [section(stepLines(update.steps, width))]),
      ...nextSteps([update], width),
    ]),
  };
}

function aboutMany(story: Story): SlackMessage {
  const counts = worstFirst.flatMap((outcome) => {
    const count = story.counts[outcome] ?? 0;
    return count === 0 ? [] : [`${count} ${outcomes[outcome].title}`];
  });
  const worst = worstFirst.find((outcome) => (story.counts[outcome] ?? 0) > 0) ?? "none";
  const title = `${outcomes[worst].mark} ${story.total} workloads${counts[0] === undefined ? "" : `: ${counts[0]}`}`;
  const shown = story.updates.slice(0, mostNamed);
  const more = story.total - shown.length;
  const links = linksOf(shown);
  return {
    text: [title, ...counts.slice(1)].join(", "),
    blocks: fitting((width) => [
      { type: "header", text: plain(title) },
      ...(links.length === 0 ? [] : [{ type: "context" as const, elements: [...links] }]),
      ...(counts.length === 0 ? [] : [section([counts.join(" · ")])]),
      section([...shown.map((update) => inShort(update, width)), ...(more > 0 ? [`… ${more} more`] : [])]),
      ...nextSteps(shown, width),
    ]),
  };
}

/** Returns blocks with the longest texts that fit into a message. */
function fitting(blocksAt: (width: number) => readonly SlackBlock[]): readonly SlackBlock[] {
  let blocks: readonly SlackBlock[] = [];
  for (const width of widths) {
    blocks = blocksAt(width);
    if (longestJson(blocks) <= longestBlocks) break;
  }
  return blocks;
}

function section(lines: readonly string[]): SectionBlock {
  return { type: "section", text: plain(lines.join("\n")) };
}

function summaryOf(update: UpdateStory): string {
  const images = update.changes.map(versionsOf).join(", ");
  return inert(
    `${titleOf(update, placeOf(update))}${images === "" ? "" : `, ${images}`}`.replaceAll("://", ": //"),
    longestText,
  );
}

function titleOf(update: UpdateStory, name: string): string {
  const { mark, title } = isAsked(update) ? approvalTitle : outcomes[update.outcome];
  return `${mark} ${name}: ${title}`;
}

function nameOf({ workload: { namespace, name } }: UpdateStory): string {
  return shortened(`${namespace}/${name}`, longestName);
}

function placeOf({ workload: { cluster, namespace, name } }: UpdateStory): string {
  return shortened(`${cluster}/${namespace}/${name}`, longestName);
}

function fieldsOf(
  { workload, changes }: UpdateStory,
  width: number,
): readonly (readonly [word: string, value: string])[] {
  const place = inert(`${workload.cluster}/${workload.namespace} (${workload.kind})`, width);
  if (changes.length === 0) return [["Where", place]];
  const lines = (textOf: (change: ImageChange) => string) => {
    const texts = [...new Set(changes.map((change) => shortened(textOf(change), width)))];
    const more = texts.length - mostChanges;
    return [
      ...texts.slice(0, mostChanges).map((text) => inert(text, width)),
      ...(more > 0 ? [`… ${more} more`] : []),
    ].join("\n");
  };
  const named = (text: string, { name }: ImageChange) => (changes.length === 1 ? text : `${name}: ${text}`);
  return [
    ["Where", place],
    ["Image", lines((change) => named(versionsOf(change), change))],
    ["Digest", lines((change) => named(short(change.digest), change))],
    ["Policy", lines(({ policy }) => policy)],
  ];
}

/** Returns the old tag and the new one: `1.2.0 → 1.3.0`. */
function versionsOf(change: ImageChange): string {
  const [former, tag] = [formerTag(change), change.tag].map((text) => shortened(text, longestName));
  return former === tag ? `${tag ?? ""} (new digest)` : `${former ?? ""} → ${tag ?? ""}`;
}

function contextOf({ seq, found, at }: UpdateStory, width: number): string {
  const begin = found?.source.startsWith("webhook") === true ? "the push" : "it was found";
  const origin = found && [inert(found.source, width), `${formatDuration(since(found.at, at))} after ${begin}`];
  return [`update ${seq}`, ...(origin ?? []), "times in UTC"].join(" · ");
}

/** Returns links to the commits between the images, as far as the images name them. */
function linksOf(updates: readonly UpdateStory[]): readonly MrkdwnElement[] {
  const urls = updates.flatMap(({ changes }) => changes.flatMap(({ whatChanged }) => whatChanged?.url ?? []));
  const links = [...new Set(urls)].flatMap((url) => link("what changed", url) ?? []);
  return links.slice(0, mostLinks);
}

function stepLines(steps: readonly Step[], width: number): readonly string[] {
  const line = (step: Step, index: number) => lineOf(step, width, steps[index - 1]);
  const lines = steps.map(line);
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
  const images = update.changes.map(versionsOf).join(", ");
  const why = update.steps.findLast(({ mark }) => mark === "bad" || mark === "waits")?.text;
  const isOpenOrBad = update.outcome !== "succeeded" && why !== undefined;
  const parts = [
    titleOf(update, placeOf(update)),
    ...(images === "" ? [] : [images]),
    ...(isOpenOrBad ? [shortened(why, width)] : []),
  ];
  return inert(parts.join(" · "), width);
}

/** Returns what people can do about updates: commands to copy, or what the reasons say. */
function nextSteps(updates: readonly UpdateStory[], width: number): readonly SlackBlock[] {
  let left = longestSection;
  const commands = updates.flatMap(commandsOf).filter(({ word, command }) => {
    left -= word.length + command.length + 5;
    return left >= 0;
  });
  const [only] = updates;
  const remedies = updates.length === 1 && only !== undefined && commands.length === 0 ? remediesOf(only, width) : [];
  return [
    ...(commands.length === 0 ? [] : [{ type: "section" as const, text: commandLines(commands) }]),
    ...(remedies.length === 0 ? [] : [section(remedies)]),
  ];
}

/** A command with a name that Kubernetes would not take could do something else in a shell. */
const safeName = /^[a-z0-9][a-z0-9.-]*$/;

interface CommandLine {
  readonly word: string;
  readonly command: string;
}

function commandsOf(update: UpdateStory, _: number, all: readonly UpdateStory[]): readonly CommandLine[] {
  const { outcome, seq, workload } = update;
  if (!safeName.test(workload.namespace) || !safeName.test(workload.name)) return [];
  const name = `${workload.namespace}/${workload.name}`;
  if (isAsked(update)) {
    const reject = { word: "Reject it", command: `lookout reject ${name} --update ${seq} --why REASON` };
    return [
      { word: "Approve it", command: `lookout approve ${name} --update ${seq}` },
      ...(all.length === 1 ? [reject] : []),
    ];
  }
  if (outcome === "rolled-back" && !update.reasons.some(({ reason }) => isLimit(reason)))
    return [{ word: "Let this image be tried again", command: `lookout unblock ${name}` }];
  return [];
}

const withRemedies: ReadonlySet<Outcome> = new Set<Outcome>([
  "waiting",
  "failed",
  "rolled-back",
  "rollback-failed",
  "reverted",
  "rejected",
]);

function remediesOf(update: UpdateStory, width: number): readonly string[] {
  const { outcome, reasons: causes } = update;
  if (!withRemedies.has(outcome)) return [];
  // A newer Lookout may store reasons that this one does not know.
  const known: Readonly<Partial<Record<string, { readonly remedy: string }>>> = reasons;
  const texts = new Set(causes.flatMap(({ reason }) => known[reason]?.remedy ?? []));
  const name = nameOf(update);
  return [...texts].slice(0, mostRemedies).map((remedy) =>
    inert(
      remedy.replaceAll("WORKLOAD", () => name),
      width,
    ),
  );
}
