import type {
  ClusterCheckView,
  ClusterRequest,
  ClustersView,
  ClusterSyncView,
  ClusterView,
} from "#contracts/api/clusters";
import { reasons } from "#domain/shared/reasons";
import { seconds, toIso } from "#domain/shared/time";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import type { Registration } from "#ports/registrations";
import { addedSync, askedSync } from "../detect/sync-cluster.ts";
import { clusterStatesOf } from "../shared/cluster-states.ts";
import { clusterView } from "./overview.ts";
import type { Ports } from "../shared/ports.ts";

type ClusterPorts = Pick<Ports, "clusters" | "clusterStates" | "queues" | "clock" | "registrations" | "registering">;

/** Why clusters were left as they are. */
export type ClusterRefused =
  /** Clusters can't be registered here. */
  { readonly kind: "not-here" } | { readonly kind: "unknown" } | { readonly kind: "refused"; readonly why: string };

/** When every function knows of a cluster that was registered. */
const knownAfter = seconds(30);

const grantRights = "Apply what `lookout cluster manifests` prints to the cluster, with kubectl.";

/** Answers all clusters, sorted by name, with who registered those that are not from `lookout.yaml`. */
export async function listClusters(ports: ClusterPorts): Promise<ClustersView> {
  const { registrations, registering } = ports;
  const [states, registered] = await Promise.all([
    clusterStatesOf(ports),
    registering === undefined ? [] : registrations.list(),
  ]);
  const known = new Map(registered.map((registration) => [registration.name, registration]));
  const clusters = [...states.values()].map((state): ClusterView => {
    const registration = registering?.configured.includes(state.name) === true ? undefined : known.get(state.name);
    const { by, at } = registration ?? {};
    return {
      ...clusterView(state),
      ...(by === undefined || at === undefined ? {} : { registered: { by, at: toIso(at) } }),
    };
  });
  return { at: toIso(ports.clock.now()), clusters };
}

/**
 * Registers a cluster that lets Lookout in and is not known under another name, and has it looked at as soon as every function knows of it.
 *
 * Rights that it lacks do not keep it from being registered; they are in the answer.
 */
export async function addCluster(
  { name, eks, namespaces, by }: ClusterRequest,
  ports: ClusterPorts,
  signal: AbortSignal,
): Promise<{ readonly kind: "added"; readonly view: ClusterCheckView } | ClusterRefused> {
  const { registrations, registering, clock, queues } = ports;
  if (registering === undefined) return { kind: "not-here" };
  if (registering.configured.includes(name)) return fromFile(name, "change");
  const rules = namespaces === undefined ? {} : { namespaces };
  const registration: Registration = { name, eks, ...rules, by, at: clock.now() };
  const view = await check(name, registering.reach(registration), ports, signal);
  if (view.identity === undefined)
    return { kind: "refused", why: `${name} is not registered, because it can't be asked: ${view.problem ?? ""}` };
  const twin = await twinOf(name, view.identity, ports);
  if (twin !== undefined) return { kind: "refused", why: `${name} is the same cluster as ${twin}, which is known` };
  if (!(await registrations.put(registration)))
    return { kind: "refused", why: `${name} is registered already; to change it: lookout cluster remove ${name}` };
  const command = { command: "SyncCluster", id: `${addedSync}${String(registration.at)}`, cluster: name } as const;
  await queues.send([{ command, delay: knownAfter }]);
  return { kind: "added", view };
}

/** Forgets a cluster that was registered. Its workloads take no part any more; what is known of them stays. */
export async function removeCluster(
  name: string,
  ports: ClusterPorts,
): Promise<{ readonly kind: "removed"; readonly view: ClustersView } | ClusterRefused> {
  const { registrations, registering } = ports;
  if (registering === undefined) return { kind: "not-here" };
  if (registering.configured.includes(name)) return fromFile(name, "remove");
  if (!(await registrations.remove(name))) return { kind: "unknown" };
  const { at, clusters } = await listClusters(ports);
  // The names may have been read before it was removed.
  return { kind: "removed", view: { at, clusters: clusters.filter((cluster) => cluster.name !== name) } };
}

/** Looks whether a cluster lets Lookout in, and gives it the rights that it needs; undefined for one that is not known. */
export async function checkCluster(
  name: string,
  ports: Pick<ClusterPorts, "clusters" | "clock">,
  signal: AbortSignal,
): Promise<ClusterCheckView | undefined> {
  const cluster = ports.clusters.cluster(name);
  return cluster && check(name, cluster, ports, signal);
}

/** Has a cluster looked at now; undefined for one that is not known. */
export async function syncNow(
  name: string,
  { clusters, clock, queues }: ClusterPorts,
): Promise<ClusterSyncView | undefined> {
  if (!clusters.names().includes(name)) return undefined;
  const at = clock.now();
  await queues.send([{ command: { command: "SyncCluster", id: `${askedSync}${String(at)}`, cluster: name } }]);
  return { at: toIso(at), cluster: name };
}

async function check(
  name: string,
  cluster: Cluster,
  { clock }: Pick<Ports, "clock">,
  signal: AbortSignal,
): Promise<ClusterCheckView> {
  const about = { at: toIso(clock.now()), cluster: name };
  const found = await cluster.identity(signal);
  if (found.kind !== "identity") return { ...about, missing: [], ...refusalView(found) };
  const rights = await cluster.rights(signal);
  if (rights.kind !== "rights") return { ...about, identity: found.uid, missing: [], ...refusalView(rights) };
  const { missing } = rights;
  return { ...about, identity: found.uid, missing, ...(missing.length === 0 ? {} : { remedy: grantRights }) };
}

function refusalView({ kind, detail }: ClusterRefusal): Pick<ClusterCheckView, "problem" | "remedy"> {
  const { remedy } = reasons[kind === "denied" ? "cluster-denied" : "cluster-unreachable"];
  return { problem: detail, remedy };
}

async function twinOf(
  name: string,
  identity: string,
  { clusters, clusterStates }: ClusterPorts,
): Promise<string | undefined> {
  const others = clusters.names().filter((other) => other !== name);
  const states = await Promise.all(others.map((other) => clusterStates.read(other)));
  return states.find((state) => state?.identity === identity)?.name;
}

function fromFile(name: string, what: "change" | "remove"): ClusterRefused & { readonly kind: "refused" } {
  return { kind: "refused", why: `${name} is from lookout.yaml: ${what} it there, and deploy` };
}
