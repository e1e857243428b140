import type { SelectionView, ExplanationView, GateView } from "#contracts/api/workloads";
import { withShortDigests } from "./image.ts";
import { hang, type Style, type Mark, paintMark, widthOf } from "./style.ts";
import { longReason } from "./reason.ts";
import { rejectionSummary } from "./rejection.ts";
import { skippedText } from "./skipped.ts";
import { problemText } from "#domain/annotations/written-settings";
import { uncheckedCauses } from "./unchecked.ts";
import { clock, relative } from "./time.ts";

/** One line of an explanation. */
export interface Row {
  readonly mark: Mark;
  readonly label: string;
  readonly text: string;
}

/** Returns the rows as lines with aligned texts. */
export function renderRows(rows: readonly Row[], style: Style): string {
  const width = Math.max(...rows.map(({ label }) => widthOf(label)));
  return rows
    .map(({ mark, label, text }) => hang(`  ${paintMark(mark, style)} ${label.padEnd(width)}   `, text, style))
    .join("\n");
}

/** Returns a row per problem and note about the settings. */
export function problemRows({ problems }: Pick<ExplanationView["workload"], "problems">, style: Style): readonly Row[] {
  return problems.map((problem) => ({
    mark: "!",
    label: problem.closes ? "problem" : "note",
    text: withShortDigests(problemText(problem), style),
  }));
}

/** Returns a row per registry that left the workload unchecked, with the cause. */
export function checkRows(workload: ExplanationView["workload"], style: Style): readonly Row[] {
  return uncheckedCauses(workload, style).map((text) => ({ mark: "!", label: "check", text }));
}

/** Returns a row per notice. */
export function noticeRows({ notices }: ExplanationView): readonly Row[] {
  return notices.map((text) => ({ mark: "!", label: "note", text }));
}

/** Returns a row per container: its selection, and a summary of the rejected tags. */
export function selectionRows({ selections, workload }: ExplanationView, style: Style): readonly Row[] {
  return selections.map((selection) => {
    const { container, outcome, tag } = selection;
    const label = selections.length > 1 ? `policy ${container}` : "policy";
    const isBlocked =
      outcome === "selected" &&
      workload.wants.every((image) => image.container !== container) &&
      workload.blocked.some((one) => one.tag === tag && one.containers.includes(container));
    const rejected = rejectionSummary(selection.rejected, style);
    const text = [
      selectionText(selection, style) + (isBlocked ? ", and is blocked on this workload" : ""),
      ...(selection.newerSkipped === undefined ? [] : [skippedTags(selection.newerSkipped)]),
      ...(rejected.length === 0 ? [] : [`rejected: ${rejected.join("; ")}`]),
    ].join("; ");
    const isGood = outcome !== "none" && !isBlocked;
    return { mark: isGood ? (selection.newerSkipped === undefined ? "✓" : "!") : "✗", label, text };
  });
}

/** Returns the skipped tags with examples: `3 newer tags skipped: another flavour (1.5.0-r1, …)`. */
function skippedTags(skipped: NonNullable<SelectionView["newerSkipped"]>): string {
  const { count, tags = [] } = skipped;
  const shown = tags.length < count ? [...tags, "…"] : tags;
  return `${skippedText(skipped)} (${shown.join(", ")})`;
}

/** Returns the request of the person whose version a container keeps, and what ends it. */
function keptText({ tag = "its image", policy, kept }: SelectionView & { readonly kept: KeptView }): string {
  const { as, by, why, newest, left } = kept;
  const words = as === "set" ? `set to ${tag}` : `rolled back to ${tag}`;
  const newer = left === undefined ? `a tag above ${newest ?? tag}` : `a new tag above ${tag}`;
  const end = newest === undefined ? "after lookout resume" : `after ${newer}, or lookout resume`;
  return `${words} by ${by}: ${why}; follows ${policy} again ${end}`;
}

type KeptView = NonNullable<SelectionView["kept"]>;

function selectionText({ kept, ...selection }: SelectionView, style: Style): string {
  if (kept !== undefined) return keptText({ ...selection, kept });
  const { outcome, tag, tags, policy, why } = selection;
  const of = tags === undefined ? "" : ` of ${tags} ${tags === 1 ? "tag" : "tags"}`;
  switch (outcome) {
    case "selected":
      return `${policy} selects ${tag ?? "another digest"}${of}`;
    case "unchanged":
      return `${policy} selects ${tag ?? "the running image"}${of}, which runs`;
    case "none": {
      const reason = why === undefined ? "" : `: ${longReason(why, style).replace(/\.$/, "")}`;
      return `${policy} selects nothing${of}${reason}`;
    }
  }
}

/**
 * Returns a row for the hold after a revert. This row replaces the row of the gate `hold`, and has
 * more details.
 */
export function holdRows({ hold }: ExplanationView, style: Style): readonly Row[] {
  if (hold === undefined) return [];
  const when = `${clock(hold.at, style)} (${relative(hold.at, style)})`;
  const text = `update ${hold.seq} was reverted by a user at ${when}: ${hold.detail}`;
  return [{ mark: "⏸", label: "hold", text }];
}

function gateName(gate: GateView["gate"]): string {
  return gate.replaceAll("-", " ");
}

/** Returns a row for each gate that is closed or has details, and one row for all other gates. */
export function gateRows(view: ExplanationView, style: Style): readonly Row[] {
  const silent = view.gates
    .filter(({ open, detail }) => open && detail === undefined)
    .map(({ gate }) => gateName(gate));
  const rows = view.gates
    .filter((gate) => (gate.open ? gate.detail !== undefined : !hasOwnRows(gate, view)))
    .map((gate) => ({
      mark: gate.open ? ("✓" as const) : ("⏸" as const),
      label: gateName(gate.gate),
      text: gateText(gate, style),
    }));
  return silent.length === 0 ? rows : [...rows, { mark: "✓", label: "open", text: silent.join(", ") }];
}

/** Returns whether `holdRows` or `problemRows` explains a gate. */
function hasOwnRows({ gate }: GateView, { hold, workload: { problems } }: ExplanationView): boolean {
  if (gate === "hold") return hold !== undefined;
  return gate === "settings" && problems.some(({ closes }) => closes);
}

function gateText({ open, detail, why }: GateView, style: Style): string {
  if (!open && why !== undefined) return (detail === undefined ? "" : `${detail}. `) + longReason(why, style);
  return withShortDigests(detail ?? (open ? "open" : "closed"), style);
}
