import { follows, isDeclaredByKind, ownAnnotations } from "#domain/definitions/annotation-parts";
import { declaredAbout } from "#domain/definitions/declared-annotations";
import type { Declared, DefinitionKind, DefinitionObject } from "#domain/definitions/definition";
import { statusWith } from "#domain/definitions/conditions";
import { entryOf, registryConditions } from "#domain/definitions/registry-status";
import type { DefinitionTrouble } from "#domain/definitions/definition-problem";
import { placeOf } from "#domain/shared/jitter";
import { isObject } from "#domain/shared/json";
import { type EpochMs, minutes } from "#domain/shared/time";
import { unprovenImages } from "#domain/update/effects/tier";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type LiveWorkload, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import { mapBounded } from "../shared/bounded.ts";
import { readOnce } from "../shared/once.ts";
import type { Ports } from "../shared/ports.ts";
import { askingOf, isService, recordsOf, type SyncedDefinitions, targetOf } from "./definitions.ts";
import { firstOfKinds, statusWriter } from "./definition-problems.ts";
import { policyStatus, type PolicyTarget } from "./policy-status.ts";
import { type ListedWorkloads, membersOf } from "./service-places.ts";
import { serviceStatus } from "./service-status.ts";

const readsAtOnce = 8;

/** What a sync found out about the definitions of a cluster and its workloads. */
interface Found {
  readonly synced: SyncedDefinitions;
  readonly list: ListedWorkloads;
}

/**
 * Writes the statuses of definitions that differ from what is true now. Returns what kept it from that, at most once
 * for each kind. The next sync writes what this one could not.
 */
export async function reportDefinitions(
  found: Found,
  cluster: Cluster,
  ports: Pick<Ports, "store" | "clock" | "queues" | "registryLimits" | "rules">,
  signal: AbortSignal,
): Promise<readonly DefinitionTrouble[]> {
  const { objects } = found.synced;
  if (objects.length === 0) return [];
  const statusOf: Readonly<Record<DefinitionKind, StatusOf>> = {
    ImagePolicy: await policyStatuses(found, cluster, ports, signal),
    ServiceImage: await serviceStatuses(found, ports),
    ImageRegistry: registryStatuses(ports),
  };
  const writer = statusWriter(cluster, signal);
  const troubles = await mapBounded(objects, readsAtOnce, async (object) => {
    const status = await statusOf[object.kind](object);
    return status && writer.write(object, status);
  });
  return firstOfKinds(troubles);
}

/** Returns the new status of a definition; undefined if it stays. */
type StatusOf = (object: DefinitionObject) => Promise<object | undefined>;

async function policyStatuses(
  { synced, list }: Found,
  cluster: Cluster,
  { store, clock }: Pick<Ports, "store" | "clock">,
  signal: AbortSignal,
): Promise<StatusOf> {
  const { read, declared, changed } = synced;
  const records = await recordsOf(read.flatMap(targetOf), store);
  const byTarget = Map.groupBy(declared, (one) => targetOf(one).map(workloadKey).join());
  const byUid = new Map(read.map((one) => [one.uid, one]));
  const news = new Set([...changed, ...list.deleted].map(workloadKey));
  const live = new Map(list.live.map((one) => [workloadKey(one.workload), one]));
  return async (object) => {
    const own = byUid.get(object.uid);
    if (own === undefined) return undefined;
    const [key = ""] = targetOf(own).map(workloadKey);
    const all = byTarget.get(key) ?? [];
    const known = knownTarget(own, records.get(key), all);
    // What the status tells is true until the list of changes or of definitions names the target, unless its write failed.
    const isQuiet = !live.has(key) && !news.has(key) && !list.complete && !isItsTurn(object, clock.now());
    if (known === undefined && tellsUnapplied(object) && isQuiet) return undefined;
    const target = known ?? (await lookAt(own, all, { live: live.get(key), cluster }, signal));
    return target && policyStatus(object, own, target, clock.now());
  };
}

/** Returns what a record tells about the target of a definition. Undefined if the workload tells more. */
function knownTarget(
  declared: Declared,
  record: WorkloadRecord | undefined,
  all: readonly Declared[],
): PolicyTarget | undefined {
  const [workload] = targetOf(declared);
  if (workload === undefined || declared.fault !== undefined) return {};
  if (record?.tracked !== true) return undefined;
  const { observed } = record;
  if (follows(observed.annotations, declared)) return { record, definitions: all };
  // A person's annotations may keep all policies from a workload that none of them tracks.
  if (!isDeclaredByKind(observed.annotations, "ImagePolicy")) return undefined;
  const about = declaredAbout({ workload, annotations: {}, containers: observed.containers }, all);
  const unapplied = about.unapplied.get(declared.name);
  return unapplied && { record, unapplied };
}

const turns = 10;

/** Returns whether a sync of this minute looks again at the target of a policy, which happens every ten minutes. */
function isItsTurn({ uid }: DefinitionObject, now: EpochMs): boolean {
  return Math.floor(placeOf(uid) * turns) === Math.floor(now / minutes(1)) % turns;
}

const unappliedReasons: ReadonlySet<unknown> = new Set(["TargetNotFound", "TargetHasAnnotations", "NoContainer"]);

/** Returns whether the status of a policy says of its present generation why it does not apply. */
function tellsUnapplied({ status, generation }: DefinitionObject): boolean {
  if (!isObject(status) || status["observedGeneration"] !== generation) return false;
  const { conditions } = status;
  const all = Array.isArray(conditions) ? conditions.filter(isObject) : [];
  const ready = all.find(({ type }) => type === "Ready");
  return unappliedReasons.has(ready?.["reason"]);
}

/** Returns what the target of a definition tells, as the sync listed it or as it is read. Undefined without an answer. */
async function lookAt(
  declared: Declared,
  all: readonly Declared[],
  { live, cluster }: { readonly live: LiveWorkload | undefined; readonly cluster: Cluster },
  signal: AbortSignal,
): Promise<PolicyTarget | undefined> {
  const found = live ?? (await readTarget(targetOf(declared), cluster, signal));
  if (found === undefined || found === "gone") return found && { isGone: true };
  const unapplied = declaredAbout({ ...found, annotations: ownAnnotations(found) }, all).unapplied.get(declared.name);
  return unapplied && { unapplied };
}

async function readTarget(
  [workload]: readonly WorkloadName[],
  cluster: Cluster,
  signal: AbortSignal,
): Promise<LiveWorkload | "gone" | undefined> {
  const read = workload && (await cluster.read(workload, signal));
  if (read?.kind === "gone") return "gone";
  return read?.kind === "found" ? read.live : undefined;
}

async function serviceStatuses(
  { synced: { declared, read }, list }: Found,
  { store, clock, queues }: Pick<Ports, "store" | "clock" | "queues">,
): Promise<StatusOf> {
  const services = declared.filter(isService);
  const { asking, unreadable } = await askingOf(services, services[0]?.cluster ?? "", store);
  const now = clock.now();
  // An evaluation looks at the pods of a workload that had its image before.
  const unseen = asking.filter((record) => unprovenImages(record, now).length > 0);
  const id = `unseen:${String(now)}`;
  await queues.send(
    unseen.map(({ workload }) => ({ command: { name: "EvaluateWorkload", id, workload, source: "sync" } })),
  );
  const byUid = new Map(read.map((one) => [one.uid, one]));
  return (object) => {
    const own = byUid.get(object.uid);
    if (own === undefined) return Promise.resolve(undefined);
    const prefix = `${own.cluster}/${own.namespace}/`;
    const workloads = {
      records: asking.filter(({ workload }) => workload.namespace === own.namespace),
      unreadable: unreadable.filter((key) => key.startsWith(prefix)).length,
      listed: membersOf(own, list.live, services),
      services: services.filter(({ namespace }) => namespace === own.namespace),
    };
    return Promise.resolve(serviceStatus(object, own, workloads, now));
  };
}

function registryStatuses({
  clock,
  registryLimits,
  rules,
}: Pick<Ports, "clock" | "registryLimits" | "rules">): StatusOf {
  const { registries } = rules.registries;
  const once = readOnce();
  return async (object) => {
    const now = clock.now();
    const entry = entryOf(object, registries);
    const known = entry === undefined ? {} : await once(entry.host, () => registryLimits.read(entry.host));
    return statusWith(object, registryConditions(object, registries, known, now), now);
  };
}
