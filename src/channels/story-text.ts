import { formerTag, short, type Step } from "#domain/history/steps";
import { isAsked, mostNamed, type Story, type UpdateStory } from "#domain/notify/story";
import type { Outcome } from "#domain/notify/words";
import { formatDuration } from "#domain/shared/duration";
import { reasons } from "#domain/shared/reasons";
import { printableText, shortened } from "#domain/shared/shown-text";
import { since, toIso } from "#domain/shared/time";
import { isLimit } from "#domain/workload/pull-limit";
import type { ImageChange } from "#domain/workload/patch";

/*
 * The words of a story, for chats. Each chat says how a text from outside is shown literally, and puts
 * the words into its own blocks.
 */

/**
 * Returns a text from outside as a chat shows it literally, in one line: without mentions, links and
 * marks. `most` counts the characters of the result.
 */
export type Inert = (text: string, most: number) => string;

/** The longest name of a workload or a tag. */
export const longestName = 100;
const longestText = 250;
const mostSteps = 12;
/** The steps at the beginning that a long story keeps: the push and the selection. */
const firstSteps = 2;
const mostChanges = 5;
const mostRemedies = 3;
const mostLinks = 3;

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

/** Returns the update of a story that is about one update. Undefined for a story about several. */
export function onlyUpdate({ updates, total }: Story): UpdateStory | undefined {
  const [update, other] = updates;
  return total <= 1 && other === undefined ? update : undefined;
}

/** Returns a text in one line without control characters. */
export function oneLine(text: string, most: number): string {
  return printableText(shortened(text, most)).replaceAll(/ {2,}/g, " ").trim();
}

/** How a name of a workload is written: with its cluster, or without. */
type NameForm = "with-cluster" | "short";

/** Returns how an update stands, in a few words: `✅ prod/shop/api: succeeded`. It may hold text from outside. */
export function titleOf(update: UpdateStory, form: NameForm = "with-cluster"): string {
  const { mark, title } = isAsked(update) ? approvalTitle : outcomes[update.outcome];
  return `${mark} ${nameOf(update, form)}: ${title}`;
}

function nameOf({ workload: { cluster, namespace, name } }: UpdateStory, form: NameForm): string {
  return shortened(form === "short" ? `${namespace}/${name}` : `${cluster}/${namespace}/${name}`, longestName);
}

/** Returns an update in one line, for notifications. */
export function inertSummary(update: UpdateStory, inert: Inert): string {
  return inert([titleOf(update), ...update.changes.map(versionsOf)].join(", "), longestText);
}

/** Returns the old tag and the new one: `1.2.0 → 1.3.0`. */
function versionsOf(change: ImageChange): string {
  const [former = "", tag = ""] = [formerTag(change), change.tag].map((text) => shortened(text, longestName));
  return former === tag ? `${tag} (new digest)` : `${former} → ${tag}`;
}

/** Returns what an update is about, each with its label. A value has several lines. */
export function fieldsOf(
  { workload, changes }: UpdateStory,
  width: number,
  inert: Inert,
): readonly (readonly [label: string, value: string])[] {
  const where = ["Where", inert(`${workload.cluster}/${workload.namespace} (${workload.kind})`, width)] as const;
  if (changes.length === 0) return [where];
  const lines = (textOf: (change: ImageChange) => string) => {
    const texts = [...new Set(changes.map((change) => inert(textOf(change), width)))];
    return withMore(texts.slice(0, mostChanges), texts.length - mostChanges).join("\n");
  };
  const named = (text: string, { name }: ImageChange) => (changes.length === 1 ? text : `${name}: ${text}`);
  return [
    where,
    ["Image", lines((change) => named(versionsOf(change), change))],
    ["Digest", lines((change) => named(short(change.digest), change))],
    ["Policy", lines(({ policy }) => policy)],
  ];
}

function withMore(lines: readonly string[], more: number): readonly string[] {
  return more > 0 ? [...lines, `… ${more} more`] : lines;
}

/** Returns the number of an update, where it came from, and how long that was before. */
export function contextOf({ seq, found, at }: UpdateStory, width: number, inert: Inert): string {
  const begin = found?.source.startsWith("webhook") === true ? "the push" : "it was found";
  const origin = found && [inert(found.source, width), `${formatDuration(since(found.at, at))} after ${begin}`];
  return [`update ${seq}`, ...(origin ?? []), "times in UTC"].join(" · ");
}

/** Returns the pages with the commits between the images, as far as the images name them and the form allows. */
export function comparisonsOf(updates: readonly UpdateStory[], form: RegExp): readonly string[] {
  const urls = updates.flatMap(({ changes }) => changes.flatMap(({ whatChanged }) => whatChanged?.url ?? []));
  return [...new Set(urls)].filter((url) => form.test(url)).slice(0, mostLinks);
}

/** Returns the steps of an update as lines. A long story keeps its begin and its end. */
export function stepLines(steps: readonly Step[], width: number, inert: Inert): readonly string[] {
  const lines = steps.map((step, index) => lineOf(step, width, inert, steps[index - 1]));
  const more = steps.length - mostSteps;
  if (more <= 0) return lines;
  return [...lines.slice(0, firstSteps), `… ${more} more`, ...lines.slice(firstSteps + more)];
}

/** Returns the last steps that tell of a failure or of its end, as lines. */
export function badLines({ steps }: UpdateStory, width: number, inert: Inert): readonly string[] {
  const bad = steps.filter(({ mark }) => mark === "bad" || mark === "undone").slice(-mostRemedies);
  return bad.map((step) => lineOf(step, width, inert));
}

/** Returns a step as a line. The first step of a day has its date. */
function lineOf({ at, mark, word, text }: Step, width: number, inert: Inert, before?: Step): string {
  const [day, time] = [toIso(at).slice(0, 10), toIso(at).slice(11, 19)];
  const isSameDay = before !== undefined && toIso(before.at).startsWith(day);
  return inert(`${isSameDay ? "" : `${day} `}${time} ${stepMarks[mark]} ${word} ${shortened(text, width)}`, width);
}

/** The parts of a message about several updates. */
interface SeveralUpdates {
  /** The mark of the worst outcome and the number of workloads: `⏪ 12 workloads`. */
  readonly title: string;
  /** The worst outcome of all. */
  readonly worst: Outcome;
  /** The numbers of updates by outcome, the worst first: `2 rolled back`. */
  readonly counts: readonly string[];
  /** The updates to name. */
  readonly shown: readonly UpdateStory[];
}

/** Returns the parts of a message about several updates. */
export function severalUpdates({ updates, counts, total }: Story): SeveralUpdates {
  const present = worstFirst.filter((outcome) => (counts[outcome] ?? 0) > 0);
  const worst = present[0] ?? "none";
  return {
    title: `${outcomes[worst].mark} ${total} workloads`,
    worst,
    counts: present.map((outcome) => `${counts[outcome] ?? 0} ${outcomes[outcome].title}`),
    shown: updates.slice(0, mostNamed),
  };
}

/** Returns each of some updates as a line, and the number of those that are not shown. */
export function updateLines(
  shown: readonly UpdateStory[],
  total: number,
  width: number,
  inert: Inert,
): readonly string[] {
  return withMore(
    shown.map((update) => inShort(update, width, inert)),
    total - shown.length,
  );
}

function inShort(update: UpdateStory, width: number, inert: Inert): string {
  const images = update.changes.map(versionsOf).join(", ");
  const why = update.steps.findLast(({ mark }) => mark === "bad" || mark === "waits")?.text;
  const isOpenOrBad = update.outcome !== "succeeded" && why !== undefined;
  const parts = [titleOf(update), ...(images === "" ? [] : [images]), ...(isOpenOrBad ? [shortened(why, width)] : [])];
  return inert(parts.join(" · "), width);
}

/** A command to copy, and what it does in Lookout's own words. */
export interface CommandLine {
  readonly word: string;
  readonly command: string;
}

/** The characters around a command in a line: a colon, a space and two marks, and the end of the line. */
const aroundCommand = 5;

/** What people can do about updates: commands to copy, else what the reasons of a single update say. */
interface NextSteps {
  readonly commands: readonly CommandLine[];
  readonly remedies: readonly string[];
}

/** Returns what people can do. `most`: the longest text of all commands. */
export function nextSteps(updates: readonly UpdateStory[], most: number, width: number, inert: Inert): NextSteps {
  let left = most;
  const commands = updates
    .flatMap((update) => commandsOf(update, updates.length === 1))
    .filter(({ word, command }) => {
      left -= word.length + command.length + aroundCommand;
      return left >= 0;
    });
  const [only] = updates;
  const isAlone = updates.length === 1 && only !== undefined && commands.length === 0;
  return { commands, remedies: isAlone ? remediesOf(only, width, inert) : [] };
}

/** A command with a name that Kubernetes would not take could do something else in a shell. */
const safeName = /^[a-z0-9][a-z0-9.-]*$/;

function commandsOf(update: UpdateStory, isAlone: boolean): readonly CommandLine[] {
  const { outcome, seq, workload } = update;
  if (!safeName.test(workload.namespace) || !safeName.test(workload.name)) return [];
  const name = `${workload.namespace}/${workload.name}`;
  if (isAsked(update)) {
    const reject = { word: "Reject it", command: `lookout reject ${name} --update ${seq} --why REASON` };
    return [{ word: "Approve it", command: `lookout approve ${name} --update ${seq}` }, ...(isAlone ? [reject] : [])];
  }
  if (outcome === "rolled-back" && !update.reasons.some(({ reason }) => isLimit(reason)))
    return [{ word: "Let this image be tried again", command: `lookout unblock ${name}` }];
  return [];
}

const withoutRemedies: readonly Outcome[] = ["none", "in-progress", "succeeded", "superseded"];

function remediesOf(update: UpdateStory, width: number, inert: Inert): readonly string[] {
  const { outcome, reasons: causes } = update;
  if (withoutRemedies.includes(outcome)) return [];
  // A newer Lookout may store reasons that this one does not know.
  const known: Readonly<Partial<Record<string, { readonly remedy: string }>>> = reasons;
  const texts = new Set(causes.flatMap(({ reason }) => known[reason]?.remedy ?? []));
  const name = nameOf(update, "short");
  return [...texts].slice(0, mostRemedies).map((remedy) =>
    inert(
      remedy.replaceAll("WORKLOAD", () => name),
      width,
    ),
  );
}

/**
 * Returns the message with the longest texts from outside that a chat takes.
 *
 * @param widths - the lengths to which such texts are cut, the longest first
 * @param fits - whether the chat takes a message. The last one is taken anyway.
 */
export function fitting<Message>(
  [first, ...others]: readonly [number, ...number[]],
  messageAt: (width: number) => Message,
  fits: (message: Message) => boolean,
): Message {
  let message = messageAt(first);
  for (const width of others) {
    if (fits(message)) break;
    message = messageAt(width);
  }
  return message;
}
