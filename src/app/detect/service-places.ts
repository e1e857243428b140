import { follows } from "#domain/definitions/annotation-parts";
import { serviceOf } from "#domain/definitions/service-annotations";
import type { Declared } from "#domain/definitions/definition";
import { isUnplaced } from "#domain/definitions/service-image";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type LiveWorkload, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { WorkloadList } from "#ports/cluster";
import type { Ports } from "../shared/ports.ts";
import { isService, type SyncedDefinitions } from "./definitions.ts";

/**
 * Returns the position from which a sync lists changes. Undefined if it lists all workloads, because the tiers of a
 * service are not open yet: a list of changes lacks workloads that have no record.
 */
export function listedSince<Position>(
  { declared }: SyncedDefinitions,
  from: Position | undefined,
): Position | undefined {
  return declared.some(isUnplaced) ? undefined : from;
}

/** The workloads that a sync listed. */
export type ListedWorkloads = Extract<WorkloadList, { kind: "workloads" }>;

/**
 * Opens the lower tiers of the ServiceImages whose workloads are all in their tiers, as a complete list shows. Returns
 * the workloads that waited for this.
 */
export async function placeServices(
  { declared }: SyncedDefinitions,
  list: ListedWorkloads,
  records: ReadonlyMap<string, WorkloadRecord>,
  { definitions }: Pick<Ports, "definitions">,
): Promise<readonly WorkloadName[]> {
  const unplaced = list.complete ? declared.filter(isUnplaced) : [];
  const waiting: WorkloadName[] = [];
  for (const service of unplaced) {
    const members = membersOf(service, list.live, declared);
    if (!members.every((live) => isPlacedBy(service, live, records))) continue;
    await definitions.put([{ ...service, isPlaced: true }]);
    waiting.push(...members.map(({ workload }) => workload));
  }
  return waiting;
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
    .filter((one) => serviceOf(one, services) === service);
}

/** Returns whether the stored place of a workload is the one in the present version of a service. */
function isPlacedBy(
  service: Declared,
  { workload, uid }: LiveWorkload,
  records: ReadonlyMap<string, WorkloadRecord>,
): boolean {
  const record = records.get(workloadKey(workload));
  return record?.uid === uid && record.tracked && follows(record.observed.annotations, service);
}
