import type { ImageView } from "#contracts/api/schema";
import type { ExplanationView, SelectionView, UpdateView } from "#contracts/api/workloads";
import { parseInstant } from "#domain/shared/time";
import { blockedWords } from "./blocked.ts";
import {
  checkRows,
  selectionRows,
  gateRows,
  holdRows,
  noticeRows,
  problemRows,
  renderRows,
  type Row,
} from "./explain-rows.ts";
import { explainTag } from "./explain-tag.ts";
import { renderVotes } from "./votes.ts";
import { digestText, imageText, policyWords, trackedContainers } from "./image.ts";
import { addressesToAllow } from "./private-address.ts";
import { hang, type Style, paintMark, wrap } from "./style.ts";
import { remedyOf } from "./reason.ts";
import { annotationLines, skippedRemedy } from "./skipped.ts";
import { endingOf, updateState } from "./state.ts";
import { clock, relative } from "./time.ts";
import { changesText } from "./what-changed.ts";

/**
 * Returns the explanation of a workload: desired image, gates, rejected tags, blocked digests,
 * remedies.
 *
 * @param tag - a tag to explain first
 */
export function renderExplanation(view: ExplanationView, tag: string | undefined, style: Style): string {
  const parts = [
    headline(view, style),
    changed(view, style),
    tag === undefined
      ? ""
      : explainTag(view, tag, style)
          .sentences.map((text) => hang("", text, style))
          .join("\n"),
    renderRows(rowsOf(view, style), style),
    view.approval === undefined ? "" : renderVotes(view.approval, style),
    blockedDigests(view, style),
    remedies(view, style),
    addressesToAllow(view).join("\n"),
    wrap(nextCheck(view, style), style.width).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function headline({ workload }: ExplanationView, style: Style): string {
  const update = workload.active ?? workload.pending;
  const [only, ...more] = workload.wants;
  const containers = trackedContainers(workload);
  if (only === undefined) {
    const runs = containers.map((image) => named(image, containers.length, style) + ruleText(image)).join(", ");
    const blocked = blockedWords(workload);
    const why = blocked === "" ? "" : `: ${blocked}`;
    const text = `${workload.workload} runs ${runs === "" ? "no tracked container" : runs} and wants no other image${why}`;
    return wrap(text, style.width).join("\n");
  }
  if (more.length === 0) {
    const wants = `${workload.workload} wants ${imageText(only, style)}${updateText(update, only.policy, style)}`;
    return wrap(wants, style.width).join("\n");
  }
  const lines = workload.wants.map((image) => {
    const policy = image.policy === undefined ? "" : `   by ${policyWords(image.policy)}`;
    return `  ${image.container}   ${imageText(image, style)}${policy}`;
  });
  return [`${workload.workload} wants${updateText(update, undefined, style)}`, ...lines].join("\n");
}

/** Returns what changes with the open update, or what changed with the last one. */
function changed({ workload: { active, pending, last } }: ExplanationView, style: Style): string {
  const text = changesText((active ?? pending ?? last)?.wants ?? [], style);
  return text === "" ? "" : hang("What changed: ", text, style);
}

function ruleText({ policy, available }: ImageView): string {
  if (policy === undefined) return "";
  const instead = available === undefined ? "" : `; ${available} is available`;
  return ` (by ${policyWords(policy)}${instead})`;
}

function named(image: ImageView, containers: number, style: Style): string {
  return (containers > 1 ? `${image.container}: ` : "") + imageText(image, style);
}

function updateText(update: UpdateView | undefined, policy: string | undefined, style: Style): string {
  if (update === undefined) return policy === undefined ? "" : ` (by ${policyWords(policy)})`;
  const by = policy === undefined ? "" : ` by ${policyWords(policy)}`;
  return ` (update ${update.seq}, selected ${clock(update.selectedAt, style)}${by})`;
}

function rowsOf(view: ExplanationView, style: Style): readonly Row[] {
  return [
    ...progressRows(view, style),
    ...problemRows(view.workload, style),
    ...checkRows(view.workload, style),
    ...noticeRows(view),
    ...selectionRows(view, style),
    ...baseImageRows(view, style),
    ...holdRows(view, style),
    ...gateRows(view, style),
  ];
}

/** Returns a row for each base image, with its digest or why it is unknown. */
function baseImageRows({ baseImages = [] }: ExplanationView, style: Style): readonly Row[] {
  return baseImages.map(({ image, digest, problem }) => {
    const shown = `${image}${digest === undefined ? "" : ` @ ${digestText(digest, style)}`}`;
    return {
      mark: problem === undefined ? "✓" : "!",
      label: "base",
      text: [shown, ...(problem === undefined ? [] : [problem])].join(": "),
    };
  });
}

/** Returns rows for the active, the pending and the last update. */
function progressRows({ workload: { active, pending, last } }: ExplanationView, style: Style): readonly Row[] {
  const rows: Row[] = [];
  if (active !== undefined) {
    const { mark, words } = updateState(active, style);
    rows.push({ mark, label: "now", text: `update ${active.seq}: ${words}` });
  }
  if (active !== undefined && pending !== undefined) {
    const wants = pending.wants.map((image) => imageText(image, style)).join(", ");
    rows.push({ mark: "⏸", label: "next", text: `update ${pending.seq}: ${wants}` });
  }
  if (last !== undefined) {
    const { mark, words } = endingOf(last, style);
    rows.push({ mark, label: "last", text: `update ${last.seq}: ${words}` });
  }
  return rows;
}

function blockedDigests({ workload: { blocked } }: ExplanationView, style: Style): string {
  if (blocked.length === 0) return "";
  const lines = blocked.map(({ tag, digest, seq, at, cause }) => {
    const start = `  ${paintMark("✗", style)} ${tag} @ ${digestText(digest, style)}   `;
    return hang(start, `update ${seq}, ${relative(at, style)}: ${cause}`, style);
  });
  return ["Blocked until a higher version runs:", ...lines].join("\n");
}

/** Returns the remedies without repeats, in the order of the reasons. */
function remedies({ workload, gates, selections }: ExplanationView, style: Style): string {
  const reasons = [
    ...selections.flatMap(({ why }) => (why === undefined ? [] : [why])),
    ...gates.flatMap(({ open, why }) => (open || why === undefined ? [] : [why])),
    ...workload.reasons,
    ...(workload.unchecked ?? []).map(({ why }) => why),
    ...workload.blocked.map(({ why }) => why),
  ];
  const texts = new Set(
    reasons.flatMap((reason) => {
      const remedy = remedyOf(reason, workload.workload, style);
      return remedy === undefined ? [] : [remedy];
    }),
  );
  const lines = [...[...texts].map((remedy) => hang("  ", remedy, style)), ...selections.flatMap(suggestion(style))];
  return lines.length === 0 ? "" : ["To do:", ...lines].join("\n");
}

/** Returns the lines with the annotations that would follow the tags of a selection. */
function suggestion(style: Style): (selection: SelectionView) => readonly string[] {
  return ({ newerSkipped, suggestedAnnotations, tag }) => {
    if (suggestedAnnotations !== undefined) {
      const intro =
        newerSkipped === undefined ? "To follow tags such as these, annotate:" : "To follow the newer tags, annotate:";
      return [hang("  ", intro, style), ...annotationLines(suggestedAnnotations).map((line) => `    ${line}`)];
    }
    const remedy = newerSkipped === undefined ? undefined : skippedRemedy(newerSkipped);
    return remedy === undefined || tag === undefined ? [] : [hang("  ", remedy, style)];
  };
}

function nextCheck({ gates, workload }: ExplanationView, style: Style): string {
  const history = `History: lookout history ${workload.workload}`;
  const ends = gates.flatMap(({ open, why }) => (open || why?.until === undefined ? [] : [why.until]));
  const [first] = ends.toSorted((left, right) => (parseInstant(left) ?? 0) - (parseInstant(right) ?? 0));
  return first === undefined ? history : `Next check at ${clock(first, style, "second")}. ${history}`;
}
