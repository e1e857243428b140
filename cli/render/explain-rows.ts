import type { SelectionView, ExplanationView, GateView } from "#contracts/api/workloads";
import { withShortDigests } from "./image.ts";
import { hang, type Look, type Mark, paintMark, widthOf } from "./look.ts";
import { longReason } from "./reason.ts";
import { rejectionSummary } from "./rejection.ts";
import { problemText } from "./state.ts";
import { clock, relative } from "./time.ts";

/** One line of an explanation. */
export interface Row {
  readonly mark: Mark;
  readonly label: string;
  readonly text: string;
}

/** Writes rows one under another, their texts in one column. */
export function renderRows(rows: readonly Row[], look: Look): string {
  const width = Math.max(...rows.map(({ label }) => widthOf(label)));
  return rows
    .map(({ mark, label, text }) => hang(`  ${paintMark(mark, look)} ${label.padEnd(width)}   `, text, look))
    .join("\n");
}

/** Settings that can't be understood, or are only noted. */
export function problemRows({ problems }: Pick<ExplanationView["workload"], "problems">, look: Look): readonly Row[] {
  return problems.map((problem) => ({
    mark: "!",
    label: problem.closes ? "problem" : "note",
    text: withShortDigests(problemText(problem), look),
  }));
}

/** What is worth knowing before the next update. */
export function noticeRows({ notices }: ExplanationView): readonly Row[] {
  return notices.map((text) => ({ mark: "!", label: "note", text }));
}

/** What each container's policy makes of the tags, and the tags that it rejects, summed up. */
export function selectionRows({ selections, refusals, workload }: ExplanationView, look: Look): readonly Row[] {
  return selections.map((selection) => {
    const { container, outcome, tag } = selection;
    const label = selections.length > 1 ? `policy ${container}` : "policy";
    const barred =
      outcome === "elected" && workload.wants.length === 0 && refusals.some((refusal) => refusal.tag === tag);
    const rejected = rejectionSummary(selection.rejected);
    const text = [
      selectionText(selection, look) + (barred ? ", and is refused on this workload" : ""),
      ...(rejected.length === 0 ? [] : [`rejected: ${rejected.join("; ")}`]),
    ].join("; ");
    return { mark: outcome === "none" || barred ? "✗" : "✓", label, text };
  });
}

function selectionText({ outcome, tag, tags, policy, why }: SelectionView, look: Look): string {
  const of = tags === undefined ? "" : ` of ${tags} ${tags === 1 ? "tag" : "tags"}`;
  switch (outcome) {
    case "elected":
      return `${tag ?? "another digest"} is what ${policy} selects${of}`;
    case "unchanged":
      return `${tag ?? "what runs"} runs, and is what ${policy} selects${of}`;
    case "none": {
      const reason = why === undefined ? "" : `: ${longReason(why, look).replace(/\.$/, "")}`;
      return `${policy} selects nothing${of}${reason}`;
    }
  }
}

/** A person's rollback that is respected, told in full: its gate says less. */
export function holdRows({ hold }: ExplanationView, look: Look): readonly Row[] {
  if (hold === undefined) return [];
  const when = `${clock(hold.at, look)} (${relative(hold.at, look)})`;
  const text = `update ${hold.seq} was reverted by a user at ${when}: ${hold.detail}`;
  return [{ mark: "⏸", label: gateNames.hold, text }];
}

/** Gates as people call them. */
const gateNames = {
  settings: "settings",
  suspend: "suspension",
  freeze: "freeze",
  quarantine: "quarantine",
  hold: "hold",
  "declared-source": "declared source",
  controller: "controller",
  window: "window",
  "rollout-in-progress": "rollout",
  cluster: "cluster",
  budget: "budget",
} as const satisfies Readonly<Record<GateView["gate"], string>>;

/** A newer Lookout may have gates that this command does not know. */
function gateName(gate: GateView["gate"]): string {
  const known: Readonly<Record<string, string>> = gateNames;
  return known[gate] ?? gate.replaceAll("-", " ");
}

/** Each gate that is closed or has something to say; then, on one line, those that are simply open. */
export function gateRows(view: ExplanationView, look: Look): readonly Row[] {
  const silent = view.gates
    .filter(({ open, detail }) => open && detail === undefined)
    .map(({ gate }) => gateName(gate));
  const rows = view.gates
    .filter((gate) => (gate.open ? gate.detail !== undefined : !isTold(gate, view)))
    .map((gate) => ({
      mark: gate.open ? ("✓" as const) : ("⏸" as const),
      label: gateName(gate.gate),
      text: gateText(gate, look),
    }));
  return silent.length === 0 ? rows : [...rows, { mark: "✓", label: "open", text: silent.join(", ") }];
}

/** Rows of their own tell more of these. */
function isTold({ gate }: GateView, { hold, workload: { problems } }: ExplanationView): boolean {
  if (gate === "hold") return hold !== undefined;
  return gate === "settings" && problems.some(({ closes }) => closes);
}

function gateText({ open, detail, why }: GateView, look: Look): string {
  if (!open && why !== undefined) return longReason(why, look);
  return withShortDigests(detail ?? (open ? "open" : "closed"), look);
}
