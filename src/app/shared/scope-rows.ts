import { covers, type FreezeScope, freezeScopeText } from "#domain/gates/freezes";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { parseWorkloadKey } from "#domain/workload/workload";
import type { FleetRow } from "#ports/fleet";
import type { Ports } from "./ports.ts";

/** Reads the rows of the tracked workloads in a scope. */
export async function scopeRows(
  { cluster, namespace }: FreezeScope,
  { fleet, clusters }: Pick<Ports, "fleet" | "clusters">,
): Promise<readonly FleetRow[]> {
  const names = clusters.names().filter((name) => cluster === undefined || name === cluster);
  const lists = names.map((name) => fleet.list({ cluster: name, ...(namespace !== undefined && { namespace }) }));
  return (await Promise.all(lists)).flat();
}

/**
 * Returns why a scope is unknown, with the known one that is nearest. Returns undefined for a
 * configured cluster, and for a namespace with a tracked workload.
 */
export async function unknownScope(scope: FreezeScope, ports: Ports): Promise<string | undefined> {
  const { cluster, namespace } = scope;
  if (cluster === undefined) return undefined;
  const names = ports.clusters.names();
  if (!names.includes(cluster)) return `no cluster is called ${cluster}${didYouMean(nearest(cluster, names))}`;
  if (namespace === undefined) return undefined;
  const known = new Set((await scopeRows({ cluster }, ports)).map(({ workload }) => workload.split("/")[1] ?? ""));
  if (known.has(namespace)) return undefined;
  const meant = nearest(namespace, [...known]);
  const place = meant === undefined ? undefined : `${cluster}/${meant}`;
  return `no workload is tracked in ${freezeScopeText(scope)}${didYouMean(place)}`;
}

/** Returns whether a scope covers the workload of a key. */
export function coversKey(scope: FreezeScope, key: string): boolean {
  const workload = parseWorkloadKey(key);
  return workload.ok && covers(scope, workload.value);
}
