import type {
  ClusterCheckView,
  ClusterRequest,
  clusterOperations,
  ClustersView,
  ClusterSyncView,
  ClusterView,
} from "#contracts/api/clusters";
import type { Asker } from "#domain/approval/asker";
import { reasons } from "#domain/shared/reasons";
import { seconds, toIso } from "#domain/shared/time";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import type { Registration } from "#ports/registrations";
import { addedSync, askedSync } from "../detect/sync-cluster.ts";
import { clusterStatesOf } from "../shared/cluster-states.ts";
import type { Ports } from "../shared/ports.ts";
import { noteAct } from "../shared/acts.ts";
import { askerOf } from "./asker.ts";
import { type Handlers, notFound, type ApiError, type Served, unknownCluster } from "./handler.ts";
import { clusterView } from "./views.ts";

/** Returns the handlers for the clusters. */
export function clusterHandlers(served: Served): Handlers<typeof clusterOperations> {
  const { ports, signal, by } = served;
  return {
    listClusters: () => listClusters(ports),
    readCluster: async ({ params: { cluster } }) => (await readCluster(cluster, ports)) ?? unknownCluster(cluster),
    addCluster: ({ body: { why, ...body } }) =>
      addCluster({ ...body, by: by(body.by) }, askerOf(served, body.by, why), ports, signal),
    removeCluster: ({ params: { cluster }, query }) =>
      removeCluster(cluster, askerOf(served, query.by, query.why), ports),
    checkCluster: async ({ params: { cluster } }) =>
      (await checkCluster(cluster, ports, signal)) ?? unknownCluster(cluster),
    syncCluster: async ({ params: { cluster } }) => (await syncNow(cluster, ports)) ?? unknownCluster(cluster),
  };
}

const notRegisteredHere: ApiError = {
  kind: "not-here",
  detail:
    "this Lookout takes its clusters from lookout.yaml: lookout cluster add NAME --context CONTEXT writes an entry",
};

/** A new registration reaches each function at a different time, within 30 seconds. */
const knownAfter = seconds(30);

const grantRights = "Apply the output of `lookout cluster manifests` to the cluster, with kubectl.";

/** Returns all clusters, sorted by name. */
async function listClusters(ports: Ports): Promise<ClustersView> {
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
 * Registers a cluster that answers and has no other registration, and queues its first sync.
 *
 * The response lists missing rights. Missing rights do not prevent the registration.
 */
async function addCluster(
  { name, eks, namespaces, by }: Omit<ClusterRequest, "why">,
  asker: Asker,
  ports: Ports,
  signal: AbortSignal,
): Promise<ClusterCheckView | ApiError> {
  const { registrations, registering, clock, queues } = ports;
  if (registering === undefined) return notRegisteredHere;
  if (registering.configured.includes(name)) return fromFile(name, "change");
  const rules = namespaces === undefined ? {} : { namespaces };
  const registration: Registration = { name, eks, ...rules, by, at: clock.now() };
  const view = await checkAccess(name, registering.reach(registration), ports, signal);
  if (view.identity === undefined)
    return notRegistered(`${name} is not registered, because it gives no answer: ${view.problem ?? ""}`);
  const twin = await twinOf(name, view.identity, ports);
  if (twin !== undefined) return notRegistered(`${name} is the same cluster as ${twin}, which Lookout already has`);
  if (!(await registrations.put(registration)))
    return notRegistered(
      `${name} is already registered. To change it, first remove it: lookout cluster remove ${name}`,
    );
  await noteAct({ what: "register-cluster", at: registration.at, scope: name }, asker, ports);
  const command = { name: "SyncCluster", id: `${addedSync}${String(registration.at)}`, cluster: name } as const;
  await queues.send([{ command, delay: knownAfter }]);
  return view;
}

/** Removes a registered cluster. Its workloads become untracked, and their records stay. */
async function removeCluster(name: string, asker: Asker, ports: Ports): Promise<ClustersView | ApiError> {
  const { registrations, registering, clock } = ports;
  if (registering === undefined) return notRegisteredHere;
  if (registering.configured.includes(name)) return fromFile(name, "remove");
  // The row comes first: after an interruption, a repeated request would find no registration.
  const isKnown = (await registrations.list()).some((one) => one.name === name);
  if (isKnown) await noteAct({ what: "remove-cluster", at: clock.now(), scope: name }, asker, ports);
  if (!(await registrations.remove(name))) return notFound(`no cluster is registered as ${name}`);
  const { at, clusters } = await listClusters(ports);
  // The list of clusters may be older than the removal.
  return { at, clusters: clusters.filter((cluster) => cluster.name !== name) };
}

async function readCluster(name: string, { clusters, clusterStates }: Ports): Promise<ClusterView | undefined> {
  if (!clusters.names().includes(name)) return undefined;
  return clusterView((await clusterStates.read(name)) ?? { name });
}

/**
 * Returns whether a cluster answers, and the rights that Lookout lacks. Undefined for an unknown
 * cluster.
 */
export async function checkCluster(
  name: string,
  ports: Ports,
  signal: AbortSignal,
): Promise<ClusterCheckView | undefined> {
  const cluster = ports.clusters.cluster(name);
  return cluster && checkAccess(name, cluster, ports, signal);
}

async function syncNow(name: string, { clusters, clock, queues }: Ports): Promise<ClusterSyncView | undefined> {
  if (!clusters.names().includes(name)) return undefined;
  const at = clock.now();
  await queues.send([{ command: { name: "SyncCluster", id: `${askedSync}${String(at)}`, cluster: name } }]);
  return { at: toIso(at), cluster: name };
}

/**
 * Returns whether a cluster answers, and how Lookout's rights there differ from its needs. Without rules, it is unknown
 * whether definitions count.
 */
export async function checkAccess(
  name: string,
  cluster: Pick<Cluster, "identity" | "rights">,
  { clock, rules }: Pick<Ports, "clock"> & Partial<Pick<Ports, "rules">>,
  signal: AbortSignal,
): Promise<ClusterCheckView> {
  const about = { at: toIso(clock.now()), cluster: name };
  const found = await cluster.identity(signal);
  if (found.kind !== "identity") return { ...about, missing: [], ...refusalView(found) };
  const rights = await cluster.rights(signal);
  if (rights.kind !== "rights") return { ...about, identity: found.uid, missing: [], ...refusalView(rights) };
  const { missing, excessive, ignored, definitions } = rights;
  const areOff = rules !== undefined && rules.definitions !== true;
  return {
    ...about,
    identity: found.uid,
    missing,
    ...(excessive === undefined ? {} : { excessive }),
    ...(areOff || ignored === undefined ? {} : { ignored }),
    ...(areOff && definitions !== undefined ? { unused: definitions } : {}),
    ...(missing.length === 0 ? {} : { remedy: grantRights }),
  };
}

function refusalView({ kind, detail }: ClusterRefusal): Pick<ClusterCheckView, "problem" | "remedy"> {
  const { remedy } = reasons[kind === "denied" ? "cluster-denied" : "cluster-unreachable"];
  return { problem: detail, remedy };
}

async function twinOf(name: string, identity: string, { clusters, clusterStates }: Ports): Promise<string | undefined> {
  const others = clusters.names().filter((other) => other !== name);
  const states = await Promise.all(others.map((other) => clusterStates.read(other)));
  return states.find((state) => state?.identity === identity)?.name;
}

function fromFile(name: string, what: "change" | "remove"): ApiError {
  return { kind: "from-configuration", detail: `${name} is a cluster of lookout.yaml: ${what} it there, and deploy` };
}

function notRegistered(detail: string): ApiError {
  return { kind: "cluster-not-registered", detail };
}
