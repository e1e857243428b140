import type { ClusterCheckView, ClustersView, ClusterView } from "#contracts/api/clusters";
import { definitionCommands, useDefinitions } from "#domain/definitions/definition-problem";
import { hang, type Style, paintMark } from "./style.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";

/** Returns a table of the clusters, their sources and last syncs. */
export function renderClusters({ clusters }: ClustersView, style: Style): string {
  if (clusters.length === 0)
    return "Lookout has no cluster. To add a cluster:  lookout cluster add NAME --context CONTEXT\n";
  const rows = clusters.map((cluster) => [cluster.name, fromText(cluster), stateText(cluster, style)]);
  const problems = clusters.flatMap((cluster) => definitionLines(cluster, style));
  return `${renderTable(["CLUSTER", "FROM", "STATE"], rows, style)}${problems.length === 0 ? "" : `\n${problems.join("")}`}`;
}

/** Returns a line for each problem with definitions, and one for each remedy. */
export function definitionLines({ name, definitionProblems = [] }: ClusterView, style: Style): readonly string[] {
  const byRemedy = Map.groupBy(definitionProblems, ({ remedy }) => remedy);
  return [...byRemedy].flatMap(([remedy, problems]) => [
    ...problems.map(({ detail, since }) => {
      const text = `${name}: ${detail}, since ${clock(since, style)} (${relative(since, style)})`;
      return `${hang(`${paintMark("!", style)} cluster `, text, style)}\n`;
    }),
    `${hang("  ", remedy, style)}\n`,
  ]);
}

/** Returns the result of a cluster's check: Lookout's access and the missing rights. */
export function renderClusterCheck(
  { cluster, identity, missing, excessive = [], ignored = [], unused = [], problem, remedy }: ClusterCheckView,
  style: Style,
): string {
  if (problem !== undefined)
    return `${hang(`${paintMark("✗", style)} `, `Cluster ${cluster} can't be reached: ${problem}`, style)}\n`;
  const access = `Lookout has access to cluster ${cluster} (kube-system: ${identity ?? "unknown"})`;
  const warning =
    (excessive.length === 0 ? "" : excessiveText(cluster, excessive, style)) +
    (ignored.length === 0 ? "" : ignoredText(cluster, ignored, style)) +
    (unused.length === 0 ? "" : unusedText(unused, style));
  if (missing.length === 0) return `${paintMark("✓", style)} ${access}, with all rights for updates.\n${warning}`;
  const lacks = `${access}, without these rights: ${missing.join(", ")}.`;
  const advice = remedy === undefined ? "" : `  ${remedy}\n`;
  return `${hang(`${paintMark("!", style)} `, lacks, style)}\n${advice}${warning}`;
}

function excessiveText(cluster: string, excessive: readonly string[], style: Style): string {
  const text = `Its credential may also ${excessive.join(", ")}, which Lookout never needs.`;
  const advice = `  To give Lookout its own account:  lookout cluster add ${cluster} --context CONTEXT\n`;
  return `${hang(`${paintMark("!", style)} `, text, style)}\n${advice}`;
}

function ignoredText(cluster: string, kinds: readonly string[], style: Style): string {
  const text = `The cluster has definitions that Lookout ignores, because it lacks rights on them: ${kinds.join(", ")}.`;
  const [usual, ofAccount] = definitionCommands(cluster);
  const advice = `  To use them:  ${usual}\n  Or, if lookout cluster add created the account:  ${ofAccount}\n`;
  return `${hang(`${paintMark("!", style)} `, text, style)}\n${advice}`;
}

function unusedText(kinds: readonly string[], style: Style): string {
  const text = `The cluster has the kinds ${kinds.join(", ")}, and Lookout ignores their objects.`;
  return `${hang(`${paintMark("!", style)} `, text, style)}\n  To use them:  ${useDefinitions}\n`;
}

function fromText({ registered }: ClusterView): string {
  return registered === undefined ? "lookout.yaml" : `lookout cluster add, by ${registered.by}`;
}

function stateText({ problem, lastSyncAt }: ClusterView, style: Style): string {
  if (problem !== undefined) return `${paintMark("!", style)} ${problem.detail}`;
  return lastSyncAt === undefined
    ? "– not synced yet"
    : `${paintMark("✓", style)} synced ${relative(lastSyncAt, style)}`;
}
