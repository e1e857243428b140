import type { WrittenWorkload } from "#contracts/kubernetes/workload-object";
import type { WorkloadSettings } from "#domain/settings/settings";
import { annotationPrefix } from "#domain/annotations/written-settings";
import { describeWindow } from "#domain/schedule/window";
import {
  type ApprovalAnswer,
  type GatesAnswer,
  isUnreadable,
  type Unreadable,
  writtenGateSettings,
} from "../answers/gates.ts";
import type { PlaceAnswer } from "../answers/tiers.ts";
import type { ProblemAnswer } from "../answers/problem.ts";
import { type ContainerAnswer, withoutCluster, type WorkloadAnswer } from "../answers/workload.ts";
import { problemRows, renderRows, type Row } from "./explain-rows.ts";
import { hang, type Style, type Mark, paintMark } from "./style.ts";
import { printableText } from "#domain/shared/shown-text";
import { policyWords, withShortDigests } from "./image.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";

/** A parsed object of a manifest. */
export interface ParsedWorkload {
  readonly kind: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly answer: WorkloadAnswer;
  /** The settings. Undefined for an object of another kind. */
  readonly settings: WorkloadSettings | undefined;
  /** All containers of the manifest. Empty for an object of another kind. */
  readonly written: WrittenWorkload["containers"];
  /**
   * The tags that a policy can't compare, the restarts that may change nothing, and the names of
   * registries that were not checked.
   */
  readonly notices: readonly ProblemAnswer[];
}

/** Returns the containers, gates and problems of each object. */
export function renderWorkloads(parsed: readonly ParsedWorkload[], style: Style): string {
  return parsed.map((one) => renderWorkload(one, style)).join("\n");
}

function renderWorkload(parsed: ParsedWorkload, style: Style): string {
  const { answer, settings } = parsed;
  const { mark, words } = verdict(answer);
  const head = hang(`${paintMark(mark, style)} `, printableText(`${titleOf(parsed)} ${words}`), style);
  const rows =
    settings === undefined
      ? []
      : [
          ...gateRows(settings, answer),
          ...problemRows(printable({ problems: settings.problems.map(withoutCluster) }), style),
          ...tierProblemRows(answer, settings),
          ...noticeRows(parsed.notices, style),
        ];
  const table = settings === undefined || !answer.tracked ? "" : containersTable(parsed, settings, style);
  return [`${head}\n`, table, rows.length === 0 ? "" : `${renderRows(rows, style)}\n`]
    .filter((part) => part !== "")
    .join("\n");
}

function titleOf({ kind, namespace, name }: ParsedWorkload): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name ?? "without a name"}`;
}

function verdict({ tracked, because = "", problems }: WorkloadAnswer): { readonly mark: Mark; readonly words: string } {
  if (!tracked) return { mark: "⏸", words: `is not tracked: ${because}.` };
  if (problems.length === 0) return { mark: "✓", words: "is tracked." };
  const count = problems.length === 1 ? "a problem pauses" : `${String(problems.length)} problems pause`;
  return { mark: "✗", words: `is tracked, but ${count} its updates.` };
}

function containersTable({ answer, written }: ParsedWorkload, settings: WorkloadSettings, style: Style): string {
  const rows = written.map(({ name, list, image }) => {
    const known = answer.containers.find((container) => container.name === name);
    const called = list === "initContainers" ? `${name} (init)` : name;
    return [called, image, known?.strategy ?? "–", known?.apply ?? "–", policyText(known, settings)];
  });
  const headings = ["CONTAINER", "IMAGE", "STRATEGY", "APPLY", "POLICY"];
  return renderTable(
    headings,
    rows.map((row) => row.map(printableText)),
    style,
  );
}

/** Returns a row for each problem of the tiers, which the settings of annotations do not have. */
function tierProblemRows({ problems }: WorkloadAnswer, settings: WorkloadSettings): readonly Row[] {
  const known = settings.problems.map(({ message }) => message);
  return problems
    .filter(({ message }) => !known.includes(message))
    .map(({ message }) => ({ mark: "!", label: "problem", text: printableText(message) }));
}

/** Returns the place of a workload among the tiers: `prod of group shop/api, or canary (10 %)`. */
function tierTexts(places: readonly PlaceAnswer[]): readonly string[] {
  return places.map(({ tier, group, shares, clusters }) => {
    const taken = shares.map((share) => `, or ${share.tier} (${String(share.percent)} %)`).join("");
    const where = places.length === 1 ? "" : `in ${clusters.join(", ")}: `;
    return `${where}${tier} of group ${group}${taken}`;
  });
}

/** Returns a row for each notice that is no problem of an annotation. */
function noticeRows(notices: ParsedWorkload["notices"], style: Style): readonly Row[] {
  return printable({ notices }).notices.map(({ message }) => ({
    mark: "!",
    label: "note",
    text: withShortDigests(message, style),
  }));
}

/**
 * Returns the policy of a container in words. Returns "not tracked" for an untracked container, and
 * a dash for a container with a problem.
 */
function policyText(known: ContainerAnswer | undefined, { containers }: WorkloadSettings): string {
  if (known === undefined) return "not tracked";
  return known.policy === null ? "–" : policyWords(containers[known.name]?.policyText ?? "–");
}

/** The row of a gate. The text is null if the gate is not configured. Such a gate is not shown. */
type GateText = readonly [label: string, text: string | null, mark?: Mark];

function gateRows(settings: WorkloadSettings, { gates, tracked, tiers }: WorkloadAnswer): readonly Row[] {
  if (!tracked) return [];
  const { approval, rollback } = gates;
  const windows = [
    ...settings.windows.map(describeWindow),
    ...gates.windows.filter(isUnreadable).flatMap((one) => asIs(one) ?? []),
  ];
  const ofSettings = writtenGateSettings(settings).flatMap(({ key, label, value }): readonly GateText[] => {
    // The place among the tiers says more than the annotations.
    if (tiers !== undefined && (key === "tier" || key === "tier-group"))
      return key === "tier" ? tierTexts(tiers).map((text): GateText => [label, text]) : [];
    return [[label, textOf(value, ({ text }) => text)]];
  });
  const gateTexts: readonly GateText[] = [
    ["suspension", gates.suspended ? "no update starts" : null],
    ["window", windows.length === 0 ? null : windows.join(", ")],
    ["declared source", settings.allowDeclaredSource ? "allowed to own the image" : null, "✓"],
    ["together", settings.together ? "the containers get one tag, in one patch" : null, "✓"],
    ["approval", textOf(approval, approvalText)],
    ...ofSettings,
    ["rollback", rollbackText(rollback), Object.values(rollback).some(isUnreadable) ? "⏸" : "✓"],
  ];
  return gateTexts.flatMap(([label, text, mark = "⏸"]) =>
    text === null ? [] : [{ mark, label, text: printableText(text) }],
  );
}

/** Returns the text of a value, or the text of an invalid annotation; null without a value. */
function textOf<Value>(value: Value | Unreadable | null, write: (value: Value) => string): string | null {
  if (value === null) return null;
  return isUnreadable(value) ? `"${value.unreadable}", which is invalid` : write(value);
}

function asIs(value: string | Unreadable | null): string | null {
  return textOf(value, (text) => text);
}

function approvalText(approval: ApprovalAnswer): string {
  const people = `${String(approval.approvals)} ${approval.approvals === 1 ? "person" : "people"}`;
  const deadline = asIs(approval.deadline);
  const by = asIs(approval.approvedBy);
  const within = deadline === null ? "" : ` within ${deadline}`;
  return `of ${people}${within}${agreedText(by, asIs(approval.approvedImage))}`;
}

/** Returns the approval of the annotations. One annotation without the other approves nothing. */
function agreedText(by: string | null, image: string | null): string {
  if (by === null && image === null) return "";
  if (by === null) return `; ${image ?? ""} is approved by nobody: ${annotationPrefix}approved-by is missing`;
  if (image === null) return `; ${by} agreed to no image: ${annotationPrefix}approved-image is missing`;
  return `; ${by} agreed to ${image}`;
}

function rollbackText({ automatic, timeout, pullGrace, to }: GatesAnswer["rollback"]): string | null {
  if (automatic === false) return "none: a failed image stays";
  const target = to === "previous" ? "the previous image" : asIs(to);
  const limits = `the rollout takes longer than ${asIs(timeout) ?? ""}, or a pull fails for ${asIs(pullGrace) ?? ""}`;
  return textOf(automatic, () => `to ${target ?? ""}, when ${limits}`);
}
