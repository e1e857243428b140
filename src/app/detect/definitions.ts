import { declaredAbout } from "#domain/definitions/declared-annotations";
import {
  type Declared,
  type DefinitionKind,
  definitionKinds,
  type DefinitionObject,
} from "#domain/definitions/definition";
import { declaredByService } from "#domain/definitions/service-image";
import { declaredByPolicy } from "#domain/definitions/image-policy";
import { statusWith } from "#domain/definitions/conditions";
import { entryOf, registryConditions } from "#domain/definitions/registry-status";
import { withoutUndefined } from "#domain/shared/without-undefined";
import { deepEqual } from "#domain/shared/deep-equal";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import type { ClusterState } from "#ports/cluster-states";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { policyStatus, type PolicyTarget } from "./policy-status.ts";
import { serviceStatus } from "./service-status.ts";

/** The definitions of a cluster, as one sync lists them. */
export interface SyncedDefinitions {
  readonly objects: readonly DefinitionObject[];
  readonly declared: readonly Declared[];
  /** The workloads whose definitions changed. */
  readonly changed: readonly WorkloadName[];
  /** What the state of the cluster keeps. */
  readonly stored: Pick<ClusterState, "definitions">;
}

const none: SyncedDefinitions = { objects: [], declared: [], changed: [], stored: {} };

/**
 * Lists the definitions of a cluster, and stores what changed. Kinds that the cluster does not know are asked for again
 * with each complete list of workloads.
 *
 * Without an answer, or without the right to list a kind, the stored definitions stay.
 */
export async function syncDefinitions(
  cluster: Cluster,
  state: ClusterState,
  isComplete: boolean,
  {
    definitions,
    rules,
    patterns,
    store,
    clusterStates,
  }: Pick<Ports, "definitions" | "rules" | "patterns" | "store" | "clusterStates">,
  signal: AbortSignal,
): Promise<SyncedDefinitions> {
  const { name, definitions: known } = state;
  if (rules.definitions !== true) return none;
  const asked = isComplete || known === undefined ? definitionKinds : known;
  const list = await cluster.definitions(asked, signal);
  if (list.kind !== "definitions") return { ...none, stored: known === undefined ? {} : { definitions: known } };
  const installed: readonly DefinitionKind[] = asked.filter((kind) => !list.absent.includes(kind));
  const before = new Map((await definitions.list(name)).map((one) => [keyOf(one), one]));
  const policies = list.objects.filter(({ kind }) => kind === "ImagePolicy");
  const services = list.objects.filter(({ kind }) => kind === "ServiceImage");
  const compile = policies.length === 0 ? undefined : await patterns.compiler();
  const declared = [
    ...(compile === undefined ? [] : policies.map((object) => declaredByPolicy(object, name, compile))),
    ...services.map((object) => declaredByService(object, name)),
  ].map((one) => stillAbout(one, before.get(keyOf(one))));
  const now = new Set(declared.map(keyOf));
  const news = declared.filter((one) => !deepEqual(before.get(keyOf(one)), one));
  const gone = [...before.values()].filter((one) => !now.has(keyOf(one)) && !list.denied.includes(one.kind));
  const former = news.flatMap((one) => before.get(keyOf(one)) ?? []);
  // A sync that ends after this finds the workloads by its next list, which is a complete one.
  if (news.length + gone.length > 0) await clusterStates.write(withoutPosition(state));
  await definitions.put(news);
  await definitions.remove(gone);
  const all = [...news, ...former, ...gone];
  const workloads = [...all.flatMap(targetOf), ...(await workloadsOf(all.filter(isService), name, store))];
  const changed = [...new Map(workloads.map((one) => [workloadKey(one), one]))];
  return {
    objects: list.objects,
    declared,
    changed: changed.map(([, workload]) => workload),
    stored: { definitions: installed },
  };
}

function withoutPosition({ position: _, ...rest }: ClusterState): ClusterState {
  return rest;
}

/** Returns the identity of a definition with its target, because one with another target is stored elsewhere. */
function keyOf({ namespace, kind, name, target }: Declared): string {
  return [namespace, kind, name, target?.kind, target?.name].join("/");
}

function targetOf({ cluster, namespace, target }: Declared): readonly WorkloadName[] {
  return target === undefined ? [] : [{ cluster, namespace, kind: target.kind, name: target.name }];
}

/** Returns a definition. One with a fault stays about what it was about, so that its workloads stay closed. */
function stillAbout(declared: Declared, before: Declared | undefined): Declared {
  if (declared.fault === undefined || before?.uid !== declared.uid) return declared;
  const { imageName, tiers, settings, interval } = before;
  return { ...declared, ...withoutUndefined({ imageName, tiers, settings, interval }) };
}

function isService({ kind }: Declared): boolean {
  return kind === "ServiceImage";
}

/** Returns the tracked workloads of the namespaces of some ServiceImages. */
async function workloadsOf(
  services: readonly Declared[],
  cluster: string,
  store: Ports["store"],
): Promise<readonly WorkloadName[]> {
  if (services.length === 0) return [];
  const prefixes = [...new Set(services.map(({ namespace }) => `${cluster}/${namespace}/`))];
  const index = await store.workloadIndex(cluster);
  const keys = index.filter((key) => prefixes.some((prefix) => key.startsWith(prefix)));
  return (await store.readMany(keys)).filter(({ tracked }) => tracked).map(({ workload }) => workload);
}

const readsAtOnce = 8;

/** Writes the statuses of definitions that differ from what is true now. */
export async function reportDefinitions(
  synced: SyncedDefinitions,
  cluster: Cluster,
  ports: Pick<Ports, "store" | "clock" | "registryLimits" | "rules">,
  signal: AbortSignal,
): Promise<void> {
  if (synced.objects.length === 0) return;
  const statusOf: Readonly<Record<DefinitionKind, StatusOf>> = {
    ImagePolicy: await policyStatuses(synced, cluster, ports, signal),
    ServiceImage: await serviceStatuses(synced, ports),
    ImageRegistry: registryStatuses(ports),
  };
  await mapBounded(synced.objects, readsAtOnce, async (object) => {
    const status = await statusOf[object.kind](object);
    if (status === undefined) return;
    const { kind, namespace, name, uid, resourceVersion } = object;
    // The next sync writes what this one could not.
    await cluster.patchStatus({ kind, namespace, name, uid, resourceVersion, status }, signal);
  });
}

/** Returns the new status of a definition; undefined if it stays. */
type StatusOf = (object: DefinitionObject) => Promise<object | undefined>;

async function policyStatuses(
  { declared }: SyncedDefinitions,
  cluster: Cluster,
  { store, clock }: Pick<Ports, "store" | "clock">,
  signal: AbortSignal,
): Promise<StatusOf> {
  const targets = [...new Set(declared.flatMap(targetOf).map(workloadKey))];
  const records = new Map((await store.readMany(targets)).map((record) => [workloadKey(record.workload), record]));
  const byTarget = Map.groupBy(declared, (one) => targetOf(one).map(workloadKey).join());
  const byUid = new Map(declared.map((one) => [one.uid, one]));
  return async (object) => {
    const own = byUid.get(object.uid);
    if (own === undefined) return undefined;
    const [key] = targetOf(own).map(workloadKey);
    const all = byTarget.get(key ?? "") ?? [];
    const record = key === undefined ? undefined : records.get(key);
    const target = await lookAt(own, { record, all }, cluster, signal);
    return target && policyStatus(object, own, { target, all, now: clock.now() });
  };
}

async function serviceStatuses(
  { declared }: SyncedDefinitions,
  { store, clock }: Pick<Ports, "store" | "clock">,
): Promise<StatusOf> {
  const services = declared.filter(isService);
  const cluster = services[0]?.cluster ?? "";
  const workloads = await workloadsOf(services, cluster, store);
  const records = (await store.readMany(workloads.map(workloadKey))).filter(({ tracked }) => tracked);
  const byUid = new Map(services.map((one) => [one.uid, one]));
  return (object) => {
    const own = byUid.get(object.uid);
    const inNamespace = records.filter(({ workload }) => workload.namespace === object.namespace);
    return Promise.resolve(own && serviceStatus(object, own, inNamespace, clock.now()));
  };
}

function registryStatuses({
  clock,
  registryLimits,
  rules,
}: Pick<Ports, "clock" | "registryLimits" | "rules">): StatusOf {
  const { registries } = rules.registries;
  return async (object) => {
    const now = clock.now();
    const entry = entryOf(object, registries);
    const known = entry === undefined ? {} : await registryLimits.read(entry.host);
    return statusWith(object, registryConditions(object, registries, known, now), now);
  };
}

/** Returns what is known about the target of a definition. The workload is read if its record does not tell. */
async function lookAt(
  declared: Declared,
  { record, all }: { readonly record: PolicyTarget["record"] | undefined; readonly all: readonly Declared[] },
  cluster: Cluster,
  signal: AbortSignal,
): Promise<PolicyTarget | undefined> {
  const [workload] = targetOf(declared);
  if (workload === undefined || declared.fault !== undefined) return {};
  if (record?.tracked === true) {
    const { observed } = record;
    const about = declaredAbout({ workload, annotations: {}, containers: observed.containers }, all);
    const unapplied = about.unapplied.get(declared.name);
    if (unapplied !== undefined) return { record, unapplied };
    if (isDeclared(observed.annotations)) return { record };
  }
  const read = await cluster.read(workload, signal);
  if (read.kind === "gone") return { isGone: true };
  if (read.kind !== "found") return undefined;
  // The read workload has the declared annotations, which are no longer its own.
  const own = Object.fromEntries(
    Object.entries(read.live.annotations).filter(([key]) => read.live.declared?.includes(key) !== true),
  );
  const unapplied = declaredAbout({ ...read.live, annotations: own }, all).unapplied.get(declared.name);
  return unapplied === undefined ? { ...(record === undefined ? {} : { record }) } : { unapplied };
}

function isDeclared(annotations: Readonly<Record<string, string>>): boolean {
  return Object.keys(annotations).some((key) => key.includes(" "));
}
