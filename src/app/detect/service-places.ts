import { type Container, follows, isAbout, ownAnnotations } from "#domain/definitions/annotation-parts";
import { serviceOf } from "#domain/definitions/service-annotations";
import type { Declared } from "#domain/definitions/definition";
import { awaitsPlaces, isUnplaced } from "#domain/definitions/service-image";
import { deepEqual } from "#domain/shared/deep-equal";
import { type EpochMs, epochMs, minutes, plus } from "#domain/shared/time";
import { atMostNow } from "#domain/shared/wrong-clock";
import { declaredPlaceIn } from "#domain/tiers/declared-tiers";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type LiveWorkload, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { ListPosition, WorkloadList } from "#ports/cluster";
import type { ClusterState } from "#ports/cluster-states";
import type { Ports } from "../shared/ports.ts";
import { isService, type SyncedDefinitions } from "./definitions.ts";

/** The time after which complete lists become rarer, because a workload may never be in its tier. */
const placesAreExpectedFor = minutes(10);

/** Returns the position from which a sync lists changes. Undefined if it lists all workloads. */
export function listedSince<Position>(
  { isPlaceNew }: SyncedDefinitions,
  from: Position | undefined,
): Position | undefined {
  return isPlaceNew ? undefined : from;
}

/** The workloads that a sync listed. */
export type ListedWorkloads = Extract<WorkloadList, { kind: "workloads" }>;

/** What a sync found out about the places of the workloads of ServiceImages. */
export interface FoundPlaces {
  /** The definitions as they are stored now. */
  readonly synced: SyncedDefinitions;
  /** The workloads that waited for the places of others. */
  readonly opened: readonly WorkloadName[];
  /** The position from which the next sync lists changes. Undefined if it lists all workloads. */
  readonly position: ListPosition | undefined;
  /** What the state of the cluster keeps. */
  readonly stored: Pick<ClusterState, "placingSince">;
}

/**
 * Opens the lower tiers of the ServiceImages whose workloads are all in their tiers, as a complete list shows, and
 * closes those with a listed workload that is not, before it is evaluated.
 */
export async function placeServices(
  synced: SyncedDefinitions,
  list: ListedWorkloads,
  records: ReadonlyMap<string, WorkloadRecord>,
  { placingSince }: Pick<ClusterState, "placingSince">,
  { definitions, clock }: Pick<Ports, "definitions" | "clock">,
): Promise<FoundPlaces> {
  const { declared, read } = synced;
  const now = clock.now();
  const listed = Map.groupBy(list.live, ({ workload }) => workload.namespace);
  const services = declared.filter(({ kind, tiers }) => kind === "ServiceImage" && tiers !== undefined);
  const found: Place[] = [];
  for (const service of services) {
    const members = membersOf(service, listed.get(service.namespace) ?? [], declared);
    const areIn = members.every((live) => isPlacedBy(service, live, records));
    const isPlaced = areIn && (list.complete ? members.length > 0 : !awaitsPlaces(service));
    const isChanged = isPlaced === awaitsPlaces(service);
    found.push({ service, members, after: isChanged ? await storedWith(service, isPlaced, definitions) : service });
  }
  const after = new Map(found.map((one) => [one.service, one.after]));
  const present = (all: readonly Declared[]) => all.map((one) => after.get(one) ?? one);
  const open = found.filter((one) => awaitsPlaces(one.after));
  const waiting = open.filter(({ members }) => members.length > 0);
  const isStillPlacing = waiting.length > 0 || (!list.complete && placingSince !== undefined && open.length > 0);
  const since = atMostNow(placingSince ?? now, now);
  return {
    synced: { ...synced, declared: present(declared), read: present(read) },
    opened: found.flatMap((one) => (isUnplaced(one.service) && !isUnplaced(one.after) ? namesOf(one.members) : [])),
    position: waiting.some((one) => !list.complete || isExpected(one.after, since, now)) ? undefined : list.position,
    stored: isStillPlacing ? { placingSince: since } : {},
  };
}

/** A service before and after a sync, and its workloads that the sync listed. */
interface Place {
  readonly service: Declared;
  readonly members: readonly LiveWorkload[];
  readonly after: Declared;
}

function namesOf(members: readonly LiveWorkload[]): readonly WorkloadName[] {
  return members.map(({ workload }) => workload);
}

/** Returns whether the workloads of a service may be in their tiers soon. `since`: when the first service lost its place. */
function isExpected({ tiersAt }: Declared, since: EpochMs, now: EpochMs): boolean {
  return now < plus(epochMs(Math.max(tiersAt ?? since, since)), placesAreExpectedFor);
}

/** Stores whether a service is placed, if no other sync stored another version meanwhile. Returns what counts then. */
async function storedWith(service: Declared, isPlaced: boolean, definitions: Ports["definitions"]): Promise<Declared> {
  const all = await definitions.inNamespace(service);
  const stored = all.find(({ uid }) => uid === service.uid);
  const { isPlaced: _, ...unplaced } = service;
  if (stored === undefined || (isPlaced && stored.generation !== service.generation)) return unplaced;
  const { isPlaced: __, ...rest } = stored;
  await definitions.put([isPlaced ? { ...rest, isPlaced } : rest]);
  return isPlaced ? { ...service, isPlaced } : unplaced;
}

/** Returns the listed workloads that get their images by a service. */
export function membersOf(
  service: Declared,
  live: readonly LiveWorkload[],
  declared: readonly Declared[],
): readonly LiveWorkload[] {
  const services = declared.filter((one) => isService(one) && one.namespace === service.namespace);
  return live
    .filter(({ workload }) => workload.namespace === service.namespace)
    .filter((one) => serviceOf({ ...one, annotations: ownAnnotations(one) }, services)?.uid === service.uid);
}

/**
 * Returns whether the stored place of a workload is the one in the present version of a service, and its stored images
 * are the present ones. An update under way changes them.
 */
function isPlacedBy(
  service: Declared,
  { workload, uid, annotations, containers }: LiveWorkload,
  records: ReadonlyMap<string, WorkloadRecord>,
): boolean {
  const record = records.get(workloadKey(workload));
  if (record?.uid !== uid || !record.tracked || !follows(record.observed.annotations, service)) return false;
  if (tierIn(record.observed.annotations) !== tierIn(annotations)) return false;
  const [stored, present] = [record.observed.containers, containers].map((all) => imagesOf(service, all));
  return record.active !== undefined || deepEqual(stored, present);
}

/** Returns the containers that a service is about, with their images. */
function imagesOf(service: Declared, containers: readonly Container[]): readonly Container[] {
  return containers.flatMap(({ list, name, image }) =>
    isAbout(service, { list, name, image }) ? [{ list, name, image }] : [],
  );
}

function tierIn(annotations: LiveWorkload["annotations"]): string | undefined {
  return declaredPlaceIn(annotations)?.upgradeTier;
}
