import type { ClusterCheckView, ClustersView, ClusterView } from "#contracts/api/clusters";
import { hang, type Style, paintMark } from "./style.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

/** Returns a table of the clusters, their sources and last syncs. */
export function renderClusters({ clusters }: ClustersView, style: Style): string {
  if (clusters.length === 0)
    return "Lookout has no cluster. Add a cluster to lookout.yaml, or register one with lookout cluster add.\n";
  const rows = clusters.map((cluster) => [cluster.name, fromText(cluster), stateText(cluster, style)]);
  return renderTable(["CLUSTER", "FROM", "STATE"], rows, style);
}

/** Returns the result of a cluster's check: Lookout's access and the missing rights. */
export function renderClusterCheck(
  { cluster, identity, missing, problem, remedy }: ClusterCheckView,
  style: Style,
): string {
  if (problem !== undefined)
    return `${hang(`${paintMark("✗", style)} `, `Cluster ${cluster} can't be reached: ${problem}`, style)}\n`;
  const access = `Lookout has access to cluster ${cluster} (kube-system: ${identity ?? "unknown"})`;
  if (missing.length === 0) return `${paintMark("✓", style)} ${access}, with all rights for updates.\n`;
  const lacks = `${access}, without these rights: ${missing.join(", ")}.`;
  return `${hang(`${paintMark("!", style)} `, lacks, style)}\n${remedy === undefined ? "" : `  ${remedy}\n`}`;
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
