import type { ClusterCheckView, ClustersView, ClusterView } from "#contracts/api/clusters";
import { hang, type Look, paintMark } from "./look.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

/** Writes the clusters: where each is from, and how the last look at it went. */
export function renderClusters({ clusters }: ClustersView, look: Look): string {
  if (clusters.length === 0)
    return "There is no cluster yet: write one into lookout.yaml, or register it with lookout cluster add.\n";
  const rows = clusters.map((cluster) => [cluster.name, fromText(cluster), stateText(cluster, look)]);
  return renderTable(["CLUSTER", "FROM", "STATE"], rows, look);
}

/** Writes whether a cluster lets Lookout in, and what it lacks. */
export function renderClusterCheck(
  { cluster, identity, missing, problem, remedy }: ClusterCheckView,
  look: Look,
): string {
  if (problem !== undefined)
    return `${hang(`${paintMark("✗", look)} `, `${cluster} can't be asked: ${problem}`, look)}\n`;
  const known = `${cluster} lets Lookout in (kube-system is ${identity ?? "not told"})`;
  if (missing.length === 0) return `${paintMark("✓", look)} ${known}, with all rights that updates take.\n`;
  const lacks = `${known}, and lacks: ${missing.join(", ")}.`;
  return `${hang(`${paintMark("!", look)} `, lacks, look)}\n${remedy === undefined ? "" : `  ${remedy}\n`}`;
}

function fromText({ registered }: ClusterView): string {
  return registered === undefined ? "lookout.yaml" : `lookout cluster add, by ${registered.by}`;
}

function stateText({ problem, lookedAt }: ClusterView, look: Look): string {
  if (problem !== undefined) return `${paintMark("!", look)} ${problem.detail}`;
  return lookedAt === undefined
    ? "– not looked at yet"
    : `${paintMark("✓", look)} looked at ${relative(lookedAt, look)}`;
}
