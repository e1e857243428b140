import type { ContextBlock, HeaderBlock, MrkdwnElement, SectionBlock } from "@slack/types";
import type { Story, UpdateStory } from "#domain/notify/story";
import { longestJson } from "./json-text.ts";
import { commandLines, inert, label, link, pageForm, plain } from "./slack-text.ts";
import {
  badLines,
  comparisonsOf,
  contextOf,
  fieldsOf,
  fitting,
  longestName,
  nextSteps,
  onlyUpdate,
  severalUpdates,
  stepLines,
  inertSummary,
  titleOf,
  updateLines,
} from "./story-text.ts";

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
/** Slack's limit of a header. */
const longestHeader = 150;
/** Slack's limit of a section. */
const longestSection = 3_000;

/** Returns the message about a story. The same story gives the same message. */
export function render(story: Story): SlackMessage {
  const update = onlyUpdate(story);
  return update === undefined ? aboutMany(story) : aboutOne(update);
}

/** Returns the message about one failure, for the thread of its message or on its own. */
export function renderFailure(update: UpdateStory): SlackMessage {
  return {
    text: summaryOf(update),
    blocks: fittingBlocks((width) => [
      section([inert(titleOf(update), width), ...badLines(update, width, inert)]),
      ...stepsBlocks([update], width),
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
    blocks: fittingBlocks((width) => [
      { type: "header", text: plain(inert(titleOf(update, "short"), longestHeader)) },
      {
        type: "section",
        fields: fieldsOf(update, width, inert).flatMap(([word, value]) => [label(word), plain(value)]),
      },
      { type: "context", elements: [plain(contextOf(update, width, inert)), ...linksOf([update])] },
      ...(update.steps.length === 0 ? [] : [section(stepLines(update.steps, width, inert))]),
      ...stepsBlocks([update], width),
    ]),
  };
}

function aboutMany(story: Story): SlackMessage {
  const { title: beginning, counts, shown } = severalUpdates(story);
  const title = `${beginning}${counts[0] === undefined ? "" : `: ${counts[0]}`}`;
  const links = linksOf(shown);
  return {
    text: [title, ...counts.slice(1)].join(", "),
    blocks: fittingBlocks((width) => [
      { type: "header", text: plain(title) },
      ...(links.length === 0 ? [] : [{ type: "context" as const, elements: [...links] }]),
      ...(counts.length === 0 ? [] : [section([counts.join(" · ")])]),
      section(updateLines(shown, story.total, width, inert)),
      ...stepsBlocks(shown, width),
    ]),
  };
}

function fittingBlocks(blocksAt: (width: number) => readonly SlackBlock[]): readonly SlackBlock[] {
  return fitting(widths, blocksAt, (blocks) => longestJson(blocks) <= longestBlocks);
}

function section(lines: readonly string[]): SectionBlock {
  return { type: "section", text: plain(lines.join("\n")) };
}

/** Returns the text of a notification. It is no block, so nothing else keeps its addresses from becoming links. */
function summaryOf(update: UpdateStory): string {
  return inertSummary(update, (text, most) => inert(text.replaceAll("://", ": //"), most));
}

/** Returns links to the commits between the images, as far as the images name them. */
function linksOf(updates: readonly UpdateStory[]): readonly MrkdwnElement[] {
  return comparisonsOf(updates, pageForm).map((url) => link("what changed", url));
}

function stepsBlocks(updates: readonly UpdateStory[], width: number): readonly SlackBlock[] {
  const { commands, remedies } = nextSteps(updates, longestSection, width, inert);
  return [
    ...(commands.length === 0 ? [] : [{ type: "section" as const, text: commandLines(commands) }]),
    ...(remedies.length === 0 ? [] : [section(remedies)]),
  ];
}
