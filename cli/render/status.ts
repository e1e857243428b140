import type { ClusterView } from "#contracts/api/clusters";
import type { FreezesView } from "#contracts/api/freezes";
import type { RepositoriesView, RepositoryView } from "#contracts/api/repositories";
import type { ImageView } from "#contracts/api/schema";
import type { WorkloadsView, WorkloadView } from "#contracts/api/workloads";
import { frozenLines } from "./freezes.ts";
import { trackedContainers, versionText } from "./image.ts";
import { addressesToAllow } from "./private-address.ts";
import { hang, type Style, paintMark } from "./style.ts";
import { reloadLines } from "./reloads.ts";
import { annotationLines } from "./skipped.ts";
import { countedStates, stateOf, stateText } from "./state.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";
import { registryProblem } from "./unchecked.ts";

/** The freezes and the repositories for the lines below the table. */
export type StatusFooter = Pick<FreezesView, "freezes"> & Pick<RepositoriesView, "repositories">;

/**
 * Returns the table of workloads, a summary, the freezes, the problems of clusters and
 * repositories, and the server.
 */
export function renderStatus(
  view: WorkloadsView,
  { freezes, repositories }: StatusFooter,
  server: string,
  style: Style,
): string {
  const rows = [...view.workloads, ...unreadableWorkloads(view)]
    .sort((one, other) => (one.workload < other.workload ? -1 : 1))
    .flatMap((workload) => ("why" in workload ? [unreadableRow(workload, style)] : rowsOf(workload, style)));
  const table =
    rows.length > 0
      ? `${renderTable(["WORKLOAD", "RUNS", "WANTS", "STATE"], rows, style)}\n${summary(view)}\n`
      : emptyText(view);
  const problems = [
    ...reloadLines(view.reloads, style),
    ...unreadableLine(view, style),
    ...view.clusters.flatMap((cluster) => clusterLine(cluster, style)),
    ...repositoryLines(repositories, style),
    ...suggestionLines(view, style),
    ...addressesToAllow({ view, repositories }).map((line) => `${line}\n`),
  ];
  return `${table}${observeLine(view, style)}${frozenLines(freezes, style)}${problems.join("")}\n${server}\n`;
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

function unreadableRow({ workload, why }: UnreadableWorkload, style: Style): readonly string[] {
  return [workload, "?", "?", `${paintMark("✗", style)} unreadable: its record ${why}`];
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
function emptyText({ clusters }: WorkloadsView): string {
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
function rowsOf(workload: WorkloadView, style: Style): readonly (readonly string[])[] {
  const containers = trackedContainers(workload);
  const state = stateText(stateOf(workload, style), style);
  if (containers.length === 0) return [[workload.workload, "–", wantsText(workload, undefined), state]];
  return containers.map((image, index) => [
    index === 0 ? workload.workload : "",
    (containers.length > 1 ? `${image.container}: ` : "") + versionText(image, style),
    wantsText(workload, image),
    index === 0 ? state : "",
  ]);
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

function summary(view: WorkloadsView): string {
  const { workloads } = view;
  const unreadable = unreadableWorkloads(view).length;
  const counts: string[] = countedStates.flatMap(([state, words]) => {
    const count = workloads.filter((workload) => workload.state === state).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const known = workloads.length + unreadable;
  const all = `${known} ${known === 1 ? "workload" : "workloads"}`;
  if (unreadable > 0) counts.push(`${unreadable} unreadable`);
  const rest = view.unreadable === undefined ? ["all up to date"] : [];
  return `${[all, ...(counts.length > 0 ? counts : rest)].join(", ")}.`;
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
