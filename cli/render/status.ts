import type { ClusterView } from "#contracts/api/clusters";
import type { FreezesView } from "#contracts/api/freezes";
import type { RepositoriesView, RepositoryView } from "#contracts/api/repositories";
import type { ImageView } from "#contracts/api/schema";
import type { WorkloadsView, WorkloadView } from "#contracts/api/workloads";
import { definitionLines } from "./clusters.ts";
import { counted } from "./counted.ts";
import { frozenLines } from "./freezes.ts";
import { trackedContainers, versionText } from "./image.ts";
import { addressesToAllow } from "./private-address.ts";
import { hang, type Style, paintMark, wrap } from "./style.ts";
import { reloadLines } from "./reloads.ts";
import { annotationLines } from "./skipped.ts";
import { countedStates, stateOf, stateText } from "./state.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";
import { registryProblem } from "./unchecked.ts";

/** The freezes and the repositories for the lines below the table. */
export type StatusFooter = Pick<FreezesView, "freezes"> & Pick<RepositoriesView, "repositories">;

/** The most workloads that are all listed. With more, those that are up to date are only counted. */
const mostListed = 20;

/**
 * Returns the table of workloads, those that need attention first, a summary, the freezes, the
 * problems of clusters and repositories, and the server.
 */
export function renderStatus(
  view: WorkloadsView,
  { freezes, repositories }: StatusFooter,
  server: string,
  style: Style,
  filters = "",
): string {
  const isAll = style.wide || view.total <= mostListed;
  const listed = { ...view, workloads: isAll ? view.workloads : view.workloads.filter(needsAttention) };
  const isEmpty = view.total === 0 && unreadableWorkloads(view).length === 0;
  const table = isEmpty ? emptyText(view, filters) : `${statusRows(listed, style)}${summary(view, listed, style)}`;
  const problems = [
    ...reloadLines(view.reloads, style),
    ...unreadableLine(view, style),
    ...view.clusters.flatMap((cluster) => [...clusterLine(cluster, style), ...definitionLines(cluster, style)]),
    ...repositoryLines(repositories, style),
    ...suggestionLines(view, style),
    ...addressesToAllow({ view, repositories }).map((line) => `${wrap(line, style.width).join("\n")}\n`),
  ];
  const last = wrap(server, style.width).join("\n");
  return `${table}${observeLine(view, style)}${frozenLines(freezes, style)}${problems.join("")}\n${last}\n`;
}

function needsAttention({ state }: WorkloadView): boolean {
  return state !== "up-to-date";
}

/** Returns the table's rows, with an empty line at the end; empty without a row. */
export function statusRows(view: WorkloadsView, style: Style): string {
  const nameOf = shownName(view, style);
  const isLabelled = style.wide && view.workloads.some((workload) => labelsText(workload) !== "–");
  const columns: Columns = { nameOf, isLabelled };
  const rows = [
    ...unreadableWorkloads(view).map((workload) => unreadableRow(workload, columns, style)),
    ...view.workloads.flatMap((workload) => rowsOf(workload, columns, style)),
  ];
  if (rows.length === 0) return "";
  const headings = ["WORKLOAD", "RUNS", "WANTS", ...(isLabelled ? ["LABELS"] : []), "STATE"];
  return renderTable(headings, rows, style);
}

/** Returns the name of a workload in the table: without its cluster if there is only one. */
function shownName(view: WorkloadsView, { wide }: Style): (key: string) => string {
  const clusters = new Set([
    ...view.clusters.map(({ name }) => name),
    ...[...view.workloads, ...unreadableWorkloads(view)].map(clusterOf),
  ]);
  return clusters.size > 1 || wide ? (key) => key : (key) => key.slice(key.indexOf("/") + 1);
}

function clusterOf({ workload }: Pick<WorkloadView, "workload">): string {
  return workload.split("/", 1).join();
}

/** Returns a line about the workloads that Lookout only observes; empty if it observes none. */
function observeLine({ workloads }: WorkloadsView, style: Style): string {
  const observed = workloads.filter(({ observes }) => observes !== undefined);
  if (observed.length === 0) return "";
  const would = observed.filter(({ reasons: [first] }) => first?.reason === "observe").length;
  const rules = [...new Set(observed.flatMap(({ observes }) => observes ?? []))];
  const who =
    observed.length === workloads.length ? "every workload" : `${observed.length} of ${workloads.length} workloads`;
  const text = `${who}, and patches none of them; ${would} would change (${rules.join("; ")})`;
  return `${hang(`${paintMark("⏸", style)} Lookout observes `, text, style)}\n`;
}

interface UnreadableWorkload {
  readonly workload: string;
  readonly why: string;
}

function unreadableWorkloads({ unreadable = [] }: WorkloadsView): readonly UnreadableWorkload[] {
  return unreadable.flatMap(({ workload, why }) => (workload === undefined ? [] : [{ workload, why }]));
}

function unreadableRow(
  { workload, why }: UnreadableWorkload,
  { nameOf, isLabelled }: Columns,
  style: Style,
): readonly string[] {
  return [
    nameOf(workload),
    "?",
    "?",
    ...(isLabelled ? ["–"] : []),
    `${paintMark("✗", style)} unreadable: its record ${why}`,
  ];
}

/** Returns a line with the number of stored items that Lookout could not read. */
function unreadableLine({ unreadable = [] }: WorkloadsView, style: Style): readonly string[] {
  if (unreadable.length === 0) return [];
  const items = unreadable.length === 1 ? "1 stored item" : `${unreadable.length} stored items`;
  return [`${paintMark("✗", style)} ${items} can't be read: look at lookout doctor\n`];
}

/**
 * Returns the text that replaces the table if there are no workloads. Without a reachable cluster,
 * the number of workloads is unknown.
 */
function emptyText({ clusters }: WorkloadsView, filters: string): string {
  if (filters !== "") return `No workload fits ${filters}.\n`;
  const unreachable = clusters.length > 0 && clusters.every(({ problem }) => problem !== undefined);
  return unreachable ? "No cluster can be reached.\n" : nothingYet;
}

const nothingYet = [
  "No workload is tracked yet. To track a workload:",
  "",
  "    kubectl annotate deployment NAME lookout.dev/enabled=true",
  "",
].join("\n");

/** Returns one row per tracked container. Only the first row names the workload and its state. */
function rowsOf(workload: Labelled, { nameOf, isLabelled }: Columns, style: Style): readonly (readonly string[])[] {
  const containers = trackedContainers(workload);
  const labels = isLabelled ? [labelsText(workload)] : [];
  const state = [...labels, stateText(stateOf(workload, style), style)];
  const name = nameOf(workload.workload);
  if (containers.length === 0) return [[name, "–", wantsText(workload, undefined), ...state]];
  return containers.map((image, index) => [
    index === 0 ? name : "",
    (containers.length > 1 ? `${image.container}: ` : "") + versionText(image, style),
    wantsText(workload, image),
    ...(index === 0 ? state : state.map(() => "")),
  ]);
}

interface Columns {
  readonly nameOf: ReturnType<typeof shownName>;
  /** True if the table shows labels. */
  readonly isLabelled: boolean;
}

type Labelled = WorkloadView & { readonly labels?: Readonly<Record<string, string>> };

function labelsText({ labels = {} }: Labelled): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "–" : pairs.join(",");
}

function wantsText(
  workload: WorkloadView,
  { container, available }: Partial<Pick<ImageView, "container" | "available">> = {},
): string {
  if (workload.state === "problem") return "?";
  const wanted = workload.wants.find((image) => image.container === container);
  if (wanted !== undefined) return wanted.tag ?? "another digest";
  return available === undefined ? "–" : `– (pinned, ${available} is available)`;
}

/** Returns the counts of all workloads, and how to see those that are not listed. */
function summary(view: WorkloadsView, listed: WorkloadsView, style: Style): string {
  const { counts, total } = view;
  const unreadable = unreadableWorkloads(view).length;
  const words: string[] = countedStates.flatMap(([state, text]) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  const known = total + unreadable;
  const all = `${known} ${known === 1 ? "workload" : "workloads"}`;
  if (unreadable > 0) words.push(`${unreadable} unreadable`);
  const fine = counts["up-to-date"] ?? 0;
  const isAllFine = words.length === 0 && fine === total && view.unreadable === undefined;
  const sums = isAllFine
    ? [asOf(view, style)]
    : [...words, ...(hiddenOf(view, listed) > 0 && fine > 0 ? [`${fine} up to date`] : [])];
  const line = hang("", `${[all, ...sums].join(", ")}.`, style);
  const isEmpty = listed.workloads.length === 0 && unreadable === 0;
  return `${isEmpty ? "" : "\n"}${line}\n${hiddenText(view, listed, style)}`;
}

/** Returns that all is up to date, and since when that is not known of a cluster with a problem. */
function asOf({ clusters }: WorkloadsView, style: Style): string {
  const [first, ...more] = clusters.filter(({ problem }) => problem !== undefined);
  if (first === undefined) return "all up to date";
  const { name, lastSyncAt } = first;
  if (more.length > 0)
    return `all up to date at the last syncs (${counted(more.length + 1, "cluster")} with a problem)`;
  const last = lastSyncAt === undefined ? "" : `, ${relative(lastSyncAt, style)}`;
  return `all up to date at the last sync of cluster ${name}${last}`;
}

function hiddenOf({ total }: WorkloadsView, listed: WorkloadsView): number {
  return total - listed.workloads.length;
}

function hiddenText(view: WorkloadsView, listed: WorkloadsView, style: Style): string {
  if (hiddenOf(view, listed) <= 0) return "";
  const attention = listed.workloads.length;
  const others = view.total - (view.counts["up-to-date"] ?? 0) - attention;
  const first = others > 0 ? [`These are the first ${attention}; ${others} more need attention.`] : [];
  const hints = [...first, "All:  lookout status -o wide", "One namespace:  lookout status -n NAMESPACE"];
  return `${hints.map((hint) => hang("", hint, style)).join("\n")}\n`;
}

function clusterLine({ name, problem, lastSyncAt }: ClusterView, style: Style): readonly string[] {
  if (problem === undefined) return [];
  const since = `since ${clock(problem.since, style)} (${relative(problem.since, style)})`;
  const last = lastSyncAt === undefined ? "never synced" : `last synced ${relative(lastSyncAt, style)}`;
  const text = `${name}: ${problem.detail}, ${since}, ${last}`;
  return [`${hang(`${paintMark("!", style)} cluster `, text, style)}\n`];
}

/** The number of workloads whose suggested annotations are shown. */
const mostSuggestions = 5;

/** Returns the annotations that would follow skipped tags, for the first workloads. */
function suggestionLines({ workloads }: WorkloadsView, style: Style): readonly string[] {
  const advised = workloads.filter(({ runs }) => runs.some((image) => image.suggestedAnnotations !== undefined));
  const lines = advised.slice(0, mostSuggestions).map(({ workload, runs }) => {
    const annotations = runs.flatMap((image) => annotationLines(image.suggestedAnnotations ?? {}));
    return `${hang(`${paintMark("!", style)} ${workload}   `, `annotations that follow its tags: ${annotations.join(", ")}`, style)}\n`;
  });
  const more = advised.length - lines.length;
  return more > 0 ? [...lines, `  ${more} more: lookout explain WORKLOAD\n`] : lines;
}

/** Returns a line for each repository with a problem. Repositories of one outage share a line. */
function repositoryLines(repositories: readonly RepositoryView[], style: Style): readonly string[] {
  const outages = Map.groupBy(repositories, ({ imageName, problem }) =>
    problem?.reason === "registry-unreachable"
      ? JSON.stringify([hostOf(imageName), problem.since, problem.detail])
      : imageName,
  );
  return [...outages.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const name =
      others.length === 0 ? first.imageName : `${hostOf(first.imageName)} (${others.length + 1} repositories)`;
    return repositoryLine({ ...first, imageName: name }, style);
  });
}

function hostOf(imageName: string): string {
  return imageName.split("/", 1).join();
}

function repositoryLine({ imageName, problem }: RepositoryView, style: Style): readonly string[] {
  if (problem === undefined) return [];
  const words = registryProblem(problem.reason);
  const text = `${imageName} ${words} since ${clock(problem.since, style)} (${relative(problem.since, style)})`;
  const detail = problem.detail === undefined ? "" : `: ${problem.detail}`;
  return [`${hang(`${paintMark("!", style)} registry `, text + detail, style)}\n`];
}
