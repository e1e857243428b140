import { isClosedBy, namesVersionOf, oldestFirst } from "#domain/definitions/annotation-parts";
import { asksService } from "#domain/definitions/service-annotations";
import { type Declared, definitionKinds, type DefinitionObject } from "#domain/definitions/definition";
import type { DefinitionTrouble } from "#domain/definitions/definition-problem";
import { awaitsPlaces, declaredByService } from "#domain/definitions/service-image";
import { declaredByPolicy, hasPattern, isPutOff } from "#domain/definitions/image-policy";
import { deepEqual } from "#domain/shared/deep-equal";
import { withoutUndefined } from "#domain/shared/without-undefined";
import type { EpochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import type { ClusterState } from "#ports/cluster-states";
import type { Ports } from "../shared/ports.ts";

/** The definitions of a cluster, as one sync lists them. */
export interface SyncedDefinitions {
  readonly objects: readonly DefinitionObject[];
  /** What the listed objects say. */
  readonly read: readonly Declared[];
  /** What counts for the workloads. It differs from `read` for policies whose targets end a rollout first. */
  readonly declared: readonly Declared[];
  /** The workloads whose definitions changed. */
  readonly changed: readonly WorkloadName[];
  /** True if a ServiceImage may have workloads that no list of changes names. */
  readonly isPlaceNew: boolean;
  /** What kept objects from being listed. */
  readonly troubles: readonly DefinitionTrouble[];
  /** What the state of the cluster keeps. */
  readonly stored: Pick<ClusterState, "definitions" | "definitionProblems">;
}

const none: SyncedDefinitions = {
  objects: [],
  read: [],
  declared: [],
  changed: [],
  isPlaceNew: false,
  troubles: [],
  stored: {},
};

type DefinitionPorts = Pick<Ports, "definitions" | "rules" | "patterns" | "store" | "clusterStates" | "clock">;

/**
 * Lists the definitions of a cluster, and stores what changed.
 *
 * Without an answer about a kind, or without the right to list it, its stored definitions stay.
 */
export async function syncDefinitions(
  cluster: Cluster,
  state: ClusterState,
  isComplete: boolean,
  ports: DefinitionPorts,
  signal: AbortSignal,
): Promise<SyncedDefinitions> {
  const { definitions, rules, store, clusterStates } = ports;
  const { name, definitions: known, definitionProblems } = state;
  if (rules.definitions !== true) {
    // Workloads lose their tiers meanwhile, so what is stored is not true when definitions count again.
    if (known !== undefined) await definitions.remove(await definitions.list(name));
    return none;
  }
  const absent = isComplete || known === undefined ? [] : definitionKinds.filter((kind) => !known.includes(kind));
  const before = await definitions.list(name);
  const list = await cluster.definitions(absent, signal);
  const kept = withoutUndefined({ definitionProblems });
  const read = await readObjects(list.objects, name, before, ports);
  const present = before.filter(({ kind }) => !list.unlisted.includes(kind));
  const ending = await endingOf(present, read, store);
  const effective = new Map([...read, ...ending].map((one) => [keyOf(one), one]));
  const old = new Map(before.map((one) => [keyOf(one), one]));
  const news = [...effective].filter(([key, one]) => !deepEqual(old.get(key), one)).map(([, one]) => one);
  const gone = present.filter((one) => !effective.has(keyOf(one)));
  const former = news.flatMap((one) => old.get(keyOf(one)) ?? []);
  // A sync that ends after this finds the workloads by its next list, which is a complete one.
  if (news.length + gone.length > 0) await clusterStates.write(withoutPosition(state));
  await definitions.put(await withoutOlder(news, old, definitions));
  await definitions.remove(gone);
  const all = [...news, ...former, ...gone];
  const workloads = [...all.flatMap(targetOf), ...(await workloadsOf(all.filter(isService), name, store))];
  return {
    ...{ objects: list.objects, read },
    declared: [...effective.values(), ...before.filter(({ kind }) => list.unlisted.includes(kind))],
    isPlaceNew: news.some(awaitsPlaces) || gone.some(isService),
    changed: [...new Map(workloads.map((one) => [workloadKey(one), one])).values()],
    troubles: list.troubles,
    stored: { ...kept, definitions: definitionKinds.filter((kind) => !list.absent.includes(kind)) },
  };
}

/** Returns what the listed objects declare. */
async function readObjects(
  objects: readonly DefinitionObject[],
  cluster: string,
  before: readonly Declared[],
  { patterns, clock }: Pick<Ports, "patterns" | "clock">,
): Promise<readonly Declared[]> {
  const policies = objects.filter(({ kind }) => kind === "ImagePolicy");
  const services = objects.filter(({ kind }) => kind === "ServiceImage");
  // One object may be stored for two targets, while the former one ends its rollout.
  const old = new Map(before.filter(({ ends }) => ends !== true).map((one) => [one.uid, one]));
  const { same = [], others = [] } = Object.groupBy(policies, (object) =>
    isReadAs(old.get(object.uid), object) ? "same" : "others",
  );
  const inTime = patternsOfSync(others);
  const compile = others.length === 0 ? undefined : await patterns.compiler();
  const read = [
    ...others.map((object) => declaredByPolicy(object, cluster, inTime.has(object) ? compile : undefined)),
    ...services.map((object) => declaredByService(object, cluster)),
  ];
  const now = clock.now();
  return [...same.flatMap(({ uid }) => old.get(uid) ?? []), ...read.map((one) => followOn(one, old.get(one.uid), now))];
}

/** Returns whether a stored definition is of the present version of an object, so that it is not read again. */
function isReadAs(stored: Declared | undefined, { generation }: DefinitionObject): boolean {
  return stored !== undefined && generation > 0 && stored.generation === generation && !isPutOff(stored);
}

/** The most new or changed patterns of a namespace that one sync compiles. A pattern may cost many milliseconds. */
const mostPatterns = 100;

/** Returns the policies whose patterns a sync compiles: the first of each namespace by their creation. */
function patternsOfSync(policies: readonly DefinitionObject[]): ReadonlySet<DefinitionObject> {
  const byNamespace = Map.groupBy(oldestFirst(policies.filter(hasPattern)), ({ namespace }) => namespace);
  return new Set([...byNamespace.values()].flatMap((all) => all.slice(0, mostPatterns)));
}

/**
 * Returns the policies that still give the settings of their targets, although they are gone or name another image. Each
 * first ends, so that no update begins, and is removed when its target has no update under way.
 */
async function endingOf(
  before: readonly Declared[],
  read: readonly Declared[],
  store: Ports["store"],
): Promise<readonly Declared[]> {
  const now = new Map(read.map((one) => [keyOf(one), one]));
  const lost = before.filter((one) => one.kind === "ImagePolicy" && !goesOn(one, now.get(keyOf(one))));
  const records = await recordsOf(lost.flatMap(targetOf), store);
  return lost.flatMap((one) => {
    const record = targetOf(one).map((target) => records.get(workloadKey(target)))[0];
    if (record?.tracked !== true) return [];
    const { active, observed } = record;
    const isRollingOut = active !== undefined && isClosedBy(observed.annotations, one);
    if (!isRollingOut && !namesVersionOf(observed.annotations, one)) return [];
    return one.ends !== true || active !== undefined ? [{ ...one, ends: true }] : [];
  });
}

/** Returns whether an object gives its target the settings of the same containers as before. */
function goesOn(before: Declared, now: Declared | undefined): boolean {
  return now?.uid === before.uid && now.imageName === before.imageName;
}

/** Returns records by the keys of their workloads. */
export async function recordsOf(
  workloads: readonly WorkloadName[],
  store: Ports["store"],
): Promise<ReadonlyMap<string, WorkloadRecord>> {
  const keys = [...new Set(workloads.map(workloadKey))];
  return new Map((await store.readMany(keys)).map((record) => [workloadKey(record.workload), record]));
}

/**
 * Returns the definitions of which no other sync stored a newer version since this one began. A cluster that was
 * restored from a backup lists an older version than the stored one.
 */
async function withoutOlder(
  news: readonly Declared[],
  old: ReadonlyMap<string, Declared>,
  definitions: Ports["definitions"],
): Promise<readonly Declared[]> {
  const [first] = news;
  if (first === undefined) return [];
  const stored = new Map((await definitions.list(first.cluster)).map((one) => [keyOf(one), one]));
  return news.filter((one) => {
    const other = stored.get(keyOf(one));
    const isNewer = other?.uid === one.uid && other.generation > one.generation;
    return !isNewer || other.generation === old.get(keyOf(one))?.generation;
  });
}

function withoutPosition({ position: _, ...rest }: ClusterState): ClusterState {
  return rest;
}

/** Returns the identity of a definition with its target, because one with another target is stored elsewhere. */
function keyOf({ namespace, kind, name, target }: Declared): string {
  return [namespace, kind, name, target?.kind, target?.name].join("/");
}

/** Returns the workload that a policy names. Empty without one. */
export function targetOf({ cluster, namespace, target }: Declared): readonly WorkloadName[] {
  return target === undefined ? [] : [{ cluster, namespace, kind: target.kind, name: target.name }];
}

/**
 * Returns a definition with what stays of its former version. One with a fault stays about what it was about, so that
 * its workloads stay closed. The workloads of a service are in the same tiers while these stay.
 */
function followOn(declared: Declared, before: Declared | undefined, at: EpochMs): Declared {
  if (before === undefined) return declared.tiers === undefined ? declared : { ...declared, tiersAt: at };
  const { target, imageName, tiers, interval, settings } = before;
  const former = withoutUndefined<Partial<Declared>>({ target, imageName, tiers, interval });
  const now = declared.fault === undefined ? declared : { ...former, ...declared, settings };
  if (now.tiers === undefined) return now;
  const isSame = now.imageName === imageName && deepEqual(now.tiers, tiers);
  const isPlaced = before.isPlaced === true && hasSamePlaces(now, before);
  return { ...now, tiersAt: (isSame ? before.tiersAt : undefined) ?? at, ...(isPlaced ? { isPlaced } : {}) };
}

function hasSamePlaces(one: Declared, other: Declared): boolean {
  const places = ({ imageName, tiers = [] }: Declared) => [
    imageName,
    ...tiers.map(({ upgradeTier, priority }) => ({ upgradeTier, priority })),
  ];
  return deepEqual(places(one), places(other));
}

/** Returns whether a definition is a ServiceImage. */
export function isService({ kind }: Declared): boolean {
  return kind === "ServiceImage";
}

async function workloadsOf(
  services: readonly Declared[],
  cluster: string,
  store: Ports["store"],
): Promise<readonly WorkloadName[]> {
  return (await askingOf(services, cluster, store)).asking.map(({ workload }) => workload);
}

/** The records of the namespaces of some ServiceImages. */
export interface AskingRecords {
  /** Those of the workloads that ask for a ServiceImage. */
  readonly asking: readonly WorkloadRecord[];
  /** The keys of the workloads whose record can't be read, which may ask for one. */
  readonly unreadable: readonly string[];
}

/** Returns the records of the namespaces of some ServiceImages. */
export async function askingOf(
  services: readonly Declared[],
  cluster: string,
  store: Ports["store"],
): Promise<AskingRecords> {
  if (services.length === 0) return { asking: [], unreadable: [] };
  const prefixes = [...new Set(services.map(({ namespace }) => `${cluster}/${namespace}/`))];
  const index = await store.workloadIndex(cluster);
  const keys = index.filter((key) => prefixes.some((prefix) => key.startsWith(prefix)));
  const records = await store.readMany(keys);
  const read = new Set(records.map(({ workload }) => workloadKey(workload)));
  const unreadable = await store.unreadable(keys.filter((key) => !read.has(key)));
  return {
    asking: records.filter(({ tracked, observed }) => tracked && asksService(observed.annotations)),
    unreadable: unreadable.map(({ workload }) => workload),
  };
}
