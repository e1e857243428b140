import { declaredAbout } from "#domain/definitions/declared-annotations";
import {
  type Declared,
  type DefinitionKind,
  definitionKinds,
  type DefinitionObject,
} from "#domain/definitions/definition";
import { declaredByPolicy } from "#domain/definitions/image-policy";
import { statusWith } from "#domain/definitions/conditions";
import { entryOf, registryConditions } from "#domain/definitions/registry-status";
import { deepEqual } from "#domain/shared/deep-equal";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import type { ClusterState } from "#ports/cluster-states";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { policyStatus, type PolicyTarget } from "./policy-status.ts";

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
 * Without an answer, the stored definitions stay.
 */
export async function syncDefinitions(
  cluster: Cluster,
  { name, definitions: known }: ClusterState,
  isComplete: boolean,
  { definitions, rules, patterns }: Pick<Ports, "definitions" | "rules" | "patterns">,
  signal: AbortSignal,
): Promise<SyncedDefinitions> {
  if (rules.definitions !== true) return none;
  const asked = isComplete || known === undefined ? definitionKinds : known;
  const list = await cluster.definitions(asked, signal);
  if (list.kind !== "definitions") return { ...none, stored: known === undefined ? {} : { definitions: known } };
  const installed: readonly DefinitionKind[] = asked.filter((kind) => !list.absent.includes(kind));
  const compile = list.objects.length === 0 ? undefined : await patterns.compiler();
  const policies = list.objects.filter(({ kind }) => kind === "ImagePolicy");
  const declared = compile === undefined ? [] : policies.map((object) => declaredByPolicy(object, name, compile));
  const before = new Map((await definitions.list(name)).map((one) => [keyOf(one), one]));
  const now = new Set(declared.map(keyOf));
  const news = declared.filter((one) => !deepEqual(before.get(keyOf(one)), one));
  const gone = [...before.values()].filter((one) => !now.has(keyOf(one)));
  const former = news.flatMap((one) => before.get(keyOf(one)) ?? []);
  await definitions.put(news);
  await definitions.remove(gone);
  const changed = [...new Map([...news, ...former, ...gone].flatMap(targetOf).map((one) => [workloadKey(one), one]))];
  return {
    objects: list.objects,
    declared,
    changed: changed.map(([, workload]) => workload),
    stored: { definitions: installed },
  };
}

/** Returns the identity of a definition with its target, because one with another target is stored elsewhere. */
function keyOf({ namespace, kind, name, target }: Declared): string {
  return [namespace, kind, name, target?.kind, target?.name].join("/");
}

function targetOf({ cluster, namespace, target }: Declared): readonly WorkloadName[] {
  return target === undefined ? [] : [{ cluster, namespace, kind: target.kind, name: target.name }];
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
  const statusOf = {
    ImagePolicy: await policyStatuses(synced, cluster, ports, signal),
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
