import type { ImageView } from "#contracts/api/schema";
import type { ExplanationView, UpdateView } from "#contracts/api/workloads";
import { parseInstant } from "#domain/shared/time";
import { selectionRows, gateRows, holdRows, noticeRows, problemRows, renderRows, type Row } from "./explain-rows.ts";
import { explainTag } from "./explain-tag.ts";
import { digestText, imageText, takingPart } from "./image.ts";
import { hang, type Look, paintMark, wrap } from "./look.ts";
import { remedyOf } from "./reason.ts";
import { endingOf, updateState } from "./state.ts";
import { clock, relative } from "./time.ts";

/**
 * Writes why a workload runs what it runs: what it wants, every gate, the rejected tags, what was refused, and what to do.
 *
 * @param tag - a tag to answer for by itself, before the rest
 */
export function renderExplanation(view: ExplanationView, tag: string | undefined, look: Look): string {
  const parts = [
    headline(view, look),
    tag === undefined
      ? ""
      : explainTag(view, tag, look)
          .sentences.map((text) => hang("", text, look))
          .join("\n"),
    renderRows(rowsOf(view, look), look),
    refusals(view, look),
    remedies(view, look),
    wrap(nextLook(view, look), look.width).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function headline({ workload }: ExplanationView, look: Look): string {
  const update = workload.active ?? workload.pending;
  const [only, ...more] = workload.wants;
  const containers = takingPart(workload);
  if (only === undefined) {
    const runs = containers.map((image) => named(image, containers.length, look)).join(", ");
    return wrap(
      `${workload.workload} runs ${runs === "" ? "nothing that is tracked" : runs} and wants nothing else`,
      look.width,
    ).join("\n");
  }
  if (more.length === 0) {
    const wants = `${workload.workload} wants ${imageText(only, look)}${updateText(update, only.policy, look)}`;
    return wrap(wants, look.width).join("\n");
  }
  const lines = workload.wants.map((image) => {
    const policy = image.policy === undefined ? "" : `   by ${image.policy}`;
    return `  ${image.container}   ${imageText(image, look)}${policy}`;
  });
  return [`${workload.workload} wants${updateText(update, undefined, look)}`, ...lines].join("\n");
}

function named(image: ImageView, containers: number, look: Look): string {
  return (containers > 1 ? `${image.container}: ` : "") + imageText(image, look);
}

function updateText(update: UpdateView | undefined, policy: string | undefined, look: Look): string {
  if (update === undefined) return policy === undefined ? "" : ` (by ${policy})`;
  const by = policy === undefined ? "" : ` by ${policy}`;
  return ` (update ${update.seq}, selected ${clock(update.selectedAt, look)}${by})`;
}

function rowsOf(view: ExplanationView, look: Look): readonly Row[] {
  return [
    ...progressRows(view, look),
    ...problemRows(view.workload, look),
    ...noticeRows(view),
    ...selectionRows(view, look),
    ...holdRows(view, look),
    ...gateRows(view, look),
  ];
}

/** What is on its way, and how the last update ended. */
function progressRows({ workload: { active, pending, last } }: ExplanationView, look: Look): readonly Row[] {
  const rows: Row[] = [];
  if (active !== undefined) {
    const { mark, words } = updateState(active, look);
    rows.push({ mark, label: "now", text: `update ${active.seq}: ${words}` });
  }
  if (active !== undefined && pending !== undefined) {
    const wants = pending.wants.map((image) => imageText(image, look)).join(", ");
    rows.push({ mark: "⏸", label: "next", text: `update ${pending.seq}: ${wants}` });
  }
  if (last !== undefined) {
    const { mark, words } = endingOf(last, look);
    rows.push({ mark, label: "last", text: `update ${last.seq}: ${words}` });
  }
  return rows;
}

function refusals({ refusals: refused }: ExplanationView, look: Look): string {
  if (refused.length === 0) return "";
  const lines = refused.map(({ tag, digest, seq, at, why }) => {
    const detail = why.detail === undefined ? "" : ` ${why.detail}`;
    const start = `  ${paintMark("✗", look)} ${tag} @ ${digestText(digest, look)}   `;
    return hang(start, `update ${seq}, ${relative(at, look)}: ${why.sentence}${detail}`, look);
  });
  return ["Refused on this workload:", ...lines].join("\n");
}

/** Each remedy once, in the order of what stands in the way. */
function remedies({ workload, gates, selections, refusals: refused }: ExplanationView, look: Look): string {
  const reasons = [
    ...selections.flatMap(({ why }) => (why === undefined ? [] : [why])),
    ...gates.flatMap(({ open, why }) => (open || why === undefined ? [] : [why])),
    ...workload.reasons,
    ...refused.map(({ why }) => why),
  ];
  const told = new Set(
    reasons.flatMap((reason) => {
      const remedy = remedyOf(reason, workload.workload, look);
      return remedy === undefined ? [] : [remedy];
    }),
  );
  return told.size === 0 ? "" : ["To do:", ...[...told].map((remedy) => hang("  ", remedy, look))].join("\n");
}

function nextLook({ gates, workload }: ExplanationView, look: Look): string {
  const history = `History: lookout history ${workload.workload}`;
  const ends = gates.flatMap(({ open, why }) => (open || why?.until === undefined ? [] : [why.until]));
  const [first] = ends.toSorted((left, right) => (parseInstant(left) ?? 0) - (parseInstant(right) ?? 0));
  return first === undefined ? history : `It will be looked at again at ${clock(first, look, "second")}. ${history}`;
}
