import type { ChannelExplanationView, ChannelsView, ChannelTestView, ChannelView } from "#contracts/api/channels";
import { eventGroups } from "#domain/notify/filter";
import { counted } from "./counted.ts";
import { hang, type Mark, paintMark, type Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

/** Returns a table of the channels, then what to do about those that do not work. */
export function renderChannels({ channels }: ChannelsView, style: Style): string {
  if (channels.length === 0)
    return "lookout.yaml has no channels, so Lookout tells nobody. To add one: docs/channels.md\n";
  const rows = channels.map((channel) => [
    channel.name,
    channel.kind,
    stateText(channel, style),
    channel.toldAt === undefined ? "-" : relative(channel.toldAt, style),
    tellsText(channel),
  ]);
  const table = renderTable(["CHANNEL", "KIND", "STATE", "LAST TOLD", "TELLS"], rows, style);
  const problems = channels.filter(({ state }) => state !== "well");
  const lines = problems.flatMap((channel) => problemLines(channel, style));
  return lines.length === 0 ? table : `${table}\n${lines.join("\n")}\n`;
}

function stateText({ state }: ChannelView, style: Style): string {
  return state === "well" ? state : `${paintMark(markOf(state), style)} ${state}`;
}

function markOf(state: ChannelView["state"]): Mark {
  return state === "failing" || state === "paused" ? "⏸" : "✗";
}

function problemLines({ name, state, why = "", until, untold }: ChannelView, style: Style): readonly string[] {
  const lost = untold === 0 ? "" : ` ${counted(untold, "fact")} ${untold === 1 ? "was" : "were"} not told.`;
  const next =
    until === undefined ? ` Try it: lookout channel test ${name}` : ` It is tried again ${relative(until, style)}.`;
  const mark = paintMark(markOf(state), style);
  return [hang(`${mark} `, `${name}: ${why}.${lost}${next}`, style)];
}

/** Returns what a channel tells: groups of facts where all of a group are told. */
function tellsText({ events, minSeverity, clusters, namespaces, onlyNamed }: ChannelView): string {
  const groups = Object.entries(eventGroups).filter(([, names]) => names.every((one) => events.includes(one)));
  const grouped = new Set<string>(groups.flatMap(([, names]) => names));
  const words = [...groups.map(([group]) => group), ...events.filter((one) => !grouped.has(one))];
  const where = [...(clusters ?? []), ...(namespaces ?? [])];
  return [
    words.join(", "),
    ...(minSeverity === "debug" || minSeverity === "info" ? [] : [`from ${minSeverity}`]),
    ...(where.length === 0 ? [] : [`of ${where.join(", ")}`]),
    ...(onlyNamed === true ? ["of workloads that name it"] : []),
  ].join(" ");
}

const meanings: Readonly<Record<ChannelTestView["outcome"], string>> = {
  told: "took the message. Look whether people can see it.",
  later: "gave no answer that counts, and is tried again when there is something to tell",
  refused: "does not take this message",
  off: "tells nothing until this is corrected",
};

/** Returns what a channel answered to a harmless message. */
export function renderChannelTest({ name, outcome, why }: ChannelTestView, style: Style): string {
  const mark = paintMark(outcome === "told" ? "✓" : outcome === "later" ? "⏸" : "✗", style);
  const cause = why === undefined ? "" : `: ${why}`;
  return `${hang(`${mark} `, `${name} ${meanings[outcome]}${cause}`, style)}\n`;
}

const verdicts: Readonly<Record<ChannelExplanationView["verdict"], string>> = {
  opens: "tells it",
  follows: "changes its message about the update, if it has one",
  ignored: "ignores it",
};

/** Returns what a channel does with a fact, and why. */
export function renderChannelExplanation(view: ChannelExplanationView, style: Style): string {
  const { name, fact, verdict, checks, told } = view;
  const lines = checks.map(({ isPassed, detail }) =>
    hang(`  ${paintMark(isPassed ? "✓" : "✗", style)} `, detail, style),
  );
  const shown =
    told === undefined ? [] : [`  It has a message about this update, sent or changed ${counted(told.shows, "time")}.`];
  return `${[`${fact}: ${name} ${verdicts[verdict]}.`, ...lines, ...shown].join("\n")}\n`;
}
