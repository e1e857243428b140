import type { ClusterView } from "#contracts/api/clusters";
import type { FreezesView } from "#contracts/api/freezes";
import type { RepositoriesView, RepositoryView } from "#contracts/api/repositories";
import type { ImageView } from "#contracts/api/schema";
import type { WorkloadsView, WorkloadView } from "#contracts/api/workloads";
import { frozenLines } from "./freezes.ts";
import { takingPart, versionText } from "./image.ts";
import { hang, type Look, paintMark } from "./look.ts";
import { countedStates, failedUpdate, stateOf, stateText } from "./state.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";

/** What stands under the table: what is frozen, and which repositories can't be asked. */
export interface Beside extends Pick<FreezesView, "freezes">, Pick<RepositoriesView, "repositories"> {}

/** Writes what runs, what waits and why: the table, a summary, what is frozen, clusters and repositories with a problem, and which Lookout said so. */
export function renderStatus(
  view: WorkloadsView,
  { freezes, repositories }: Beside,
  server: string,
  look: Look,
): string {
  const rows = view.workloads.flatMap((workload) => rowsOf(workload, look));
  const table =
    rows.length > 0
      ? `${renderTable(["WORKLOAD", "RUNS", "WANTS", "STATE"], rows, look)}\n${summary(view)}\n`
      : emptyText(view);
  const troubled = [
    ...view.clusters.flatMap((cluster) => clusterLine(cluster, look)),
    ...repositories.flatMap((repository) => repositoryLine(repository, look)),
  ];
  return `${table}${frozenLines(freezes, look)}${troubled.join("")}\n${server}\n`;
}

/** Nobody knows what is tracked in clusters that can't be looked at. */
function emptyText({ clusters }: WorkloadsView): string {
  const blind = clusters.length > 0 && clusters.every(({ problem }) => problem !== undefined);
  return blind ? "No cluster could be looked at.\n" : nothingYet;
}

const nothingYet = [
  "No workload is tracked yet. To track one:",
  "",
  "    kubectl annotate deployment NAME lookout.dev/enabled=true",
  "",
].join("\n");

/** One row per container that is tracked; the workload and its state stand in the first alone. */
function rowsOf(workload: WorkloadView, look: Look): readonly (readonly string[])[] {
  const containers = takingPart(workload);
  const state = stateText(stateOf(workload, look), look);
  if (containers.length === 0) return [[workload.workload, "–", wantsText(workload, undefined), state]];
  return containers.map((image, index) => [
    index === 0 ? workload.workload : "",
    (containers.length > 1 ? `${image.container}: ` : "") + versionText(image, look),
    wantsText(workload, image),
    index === 0 ? state : "",
  ]);
}

function wantsText(workload: WorkloadView, { container }: Partial<Pick<ImageView, "container">> = {}): string {
  if (workload.state === "problem") return "?";
  const wants = workload.wants.length > 0 ? workload.wants : takenBackWants(workload);
  const wanted = wants.find((image) => image.container === container);
  return wanted === undefined ? "–" : (wanted.tag ?? "another digest");
}

/** What was rolled back is still what the policy would have. */
function takenBackWants(workload: WorkloadView): readonly ImageView[] {
  return workload.state === "reverted" ? (failedUpdate(workload)?.wants ?? []) : [];
}

function summary({ workloads }: WorkloadsView): string {
  const counts = countedStates.flatMap(([state, words]) => {
    const count = workloads.filter((workload) => workload.state === state).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const all = `${workloads.length} ${workloads.length === 1 ? "workload" : "workloads"}`;
  return `${[all, ...(counts.length > 0 ? counts : ["all up to date"])].join(", ")}.`;
}

function clusterLine({ name, problem, lookedAt }: ClusterView, look: Look): readonly string[] {
  if (problem === undefined) return [];
  const since = `since ${clock(problem.since, look)} (${relative(problem.since, look)})`;
  const last = lookedAt === undefined ? "never looked at" : `last looked at ${relative(lookedAt, look)}`;
  const text = `${name}: ${problem.detail}, ${since}, ${last}`;
  return [`${hang(`${paintMark("!", look)} cluster `, text, look)}\n`];
}

function repositoryLine({ repository, problem }: RepositoryView, look: Look): readonly string[] {
  if (problem === undefined) return [];
  const words = problem.reason === "registry-denied" ? "refuses the credential" : "can't be reached";
  const text = `${repository} ${words} since ${clock(problem.since, look)} (${relative(problem.since, look)})`;
  const detail = problem.detail === undefined ? "" : `: ${problem.detail}`;
  return [`${hang(`${paintMark("!", look)} registry `, text + detail, look)}\n`];
}
