import type { ClusterRefusal } from "#ports/cluster";
import { type Collection, jobs, pods, replicaSets } from "./collections.ts";
import type { Connection } from "./connection.ts";
import { deployments } from "./kinds/deployment.ts";
import type { PodsRead } from "./kinds/kind.ts";
import { statefulSets } from "./kinds/stateful-set.ts";
import type { ObjectMeta, Pod, WorkloadObject } from "./objects.ts";
import { readIn } from "./reader.ts";

/** The workloads that operators make for their objects, in the order of their owners. */
const between: Readonly<Record<string, Collection>> = {
  ReplicaSet: replicaSets,
  Job: jobs,
  StatefulSet: { plural: "statefulsets", list: statefulSets.list },
  Deployment: { plural: "deployments", list: deployments.list },
};

/**
 * Reads the pods whose owner references lead to an object, directly or through other workloads. It
 * reads all pods of the namespace, and each kind of workload that owns one of them.
 */
export async function podsOfOwner(
  api: Connection,
  owner: ObjectMeta,
  signal: AbortSignal,
): Promise<PodsRead | ClusterRefusal> {
  const read = await readIn<Pod>(api, pods, owner, {}, signal);
  if (read.kind !== "all") return read;
  const parents = new Map<string, readonly string[]>();
  let unknown: readonly Pick<WorkloadObject, "metadata">[] = read.items;
  for (const [kind, collection] of Object.entries(between)) {
    const isNeeded = unknown.some(({ metadata }) => metadata.ownerReferences?.some((one) => one.kind === kind));
    if (!isNeeded) continue;
    const owners = await readIn<WorkloadObject>(api, collection, owner, {}, signal);
    if (owners.kind !== "all") return owners;
    for (const { metadata } of owners.items) parents.set(metadata.uid, uidsOfOwners(metadata));
    unknown = [...unknown, ...owners.items];
  }
  const leadsTo = (uids: readonly string[], steps: number): boolean =>
    uids.includes(owner.uid) || (steps > 0 && uids.some((uid) => leadsTo(parents.get(uid) ?? [], steps - 1)));
  const owned = read.items.filter(({ metadata }) => leadsTo(uidsOfOwners(metadata), 3));
  return { kind: "pods", mine: [], pods: owned };
}

function uidsOfOwners({ ownerReferences = [] }: ObjectMeta): readonly string[] {
  return ownerReferences.map(({ uid }) => uid);
}
