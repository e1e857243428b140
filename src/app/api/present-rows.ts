import type { ImageView } from "#contracts/api/schema";
import type { WorkloadRowView, WorkloadState } from "#contracts/api/workloads";
import { checkOf, hasEndedSince, isUnread } from "#domain/registry/checks";
import { observedBy } from "#domain/gates/observe";
import { earliest, type EpochMs, toIso } from "#domain/shared/time";
import type { WaitReason } from "#domain/shared/wait-reason";
import { selectionFailureReasons } from "#domain/update/state/changes";
import { parseWorkloadKey } from "#domain/workload/workload";
import type { FleetRow, RowFailures, RowImage } from "#ports/fleet";
import type { RepositoryName } from "#ports/registry";
import { imageText } from "../shared/fleet-rows.ts";
import type { Ports } from "../shared/ports.ts";
import { type RemovedCluster, removedClusters } from "../shared/unknown-cluster.ts";
import { restingStates } from "../shared/workload-state.ts";
import { readChecksOf, type RegistryChecks } from "./registry-checks.ts";
import { waitView, removedWhy } from "./views.ts";

/** A row with what depends on the present: clusters, repositories and rules. */
export interface PresentRow {
  readonly row: FleetRow;
  readonly state: WorkloadState;
  readonly since: EpochMs;
  /** Absent for the usual waits of the row. */
  readonly removed?: RemovedCluster;
  readonly trouble?: readonly WaitReason[];
}

/** The part of the fleet that a list is about. */
export interface ListedArea {
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
}

/**
 * Reads the rows of the visible clusters, also of removed ones, and their present states. It reads no
 * record.
 *
 * @param all - the ports that are not limited to the caller's scope, for the states of repositories.
 */
export async function presentRows(area: ListedArea, ports: Ports, all: Ports): Promise<readonly PresentRow[]> {
  const removed = new Map((await removedClusters(ports)).map((cluster) => [cluster.name, cluster]));
  const names = [...ports.clusters.names(), ...removed.keys()].filter(
    (name) => area.cluster === undefined || name === area.cluster,
  );
  const { namespace } = area;
  const lists = await Promise.all(
    names.map((cluster) => ports.fleet.list({ cluster, ...(namespace !== undefined && { namespace }) })),
  );
  const rows = lists.flat();
  const checks = await readChecksOf(repositoriesOf(rows), all);
  return rows.map((row) => presentRow(row, removed.get(clusterOf(row)), checks));
}

function clusterOf({ workload }: FleetRow): string {
  return workload.slice(0, workload.indexOf("/"));
}

function repositoriesOf(rows: readonly FleetRow[]): readonly RepositoryName[] {
  const names = new Set(rows.flatMap(({ runs }) => runs.flatMap(({ imageName, policy }) => (policy ? imageName : []))));
  return [...names].map(repositoryIn);
}

/** Returns the parts of an image's name. */
function repositoryIn(imageName: string): RepositoryName {
  const end = imageName.indexOf("/");
  return { registry: imageName.slice(0, end), repository: imageName.slice(end + 1) };
}

function presentRow(row: FleetRow, removed: RemovedCluster | undefined, checks: RegistryChecks): PresentRow {
  const state = row.state as WorkloadState;
  if (removed !== undefined) return { row, state: "removed", since: row.since, removed };
  if (!restingStates.has(state)) return { row, state, since: row.since };
  const failures = openFailures(row, checks);
  const unread = uncheckedOf(row, failures, checks);
  if (failures.length === 0 && unread.length === 0) return { row, state, since: row.since };
  const known = new Set(failures.map(({ container }) => container));
  const trouble = [
    ...selectionFailureReasons(failures),
    ...unread.filter(({ container }) => !known.has(container)).map(({ wait }) => wait),
  ];
  const starts = [
    ...unread.map(({ since }) => since),
    ...(failures.length > 0 && row.failures ? [row.failures.at] : []),
  ];
  return { row, state: "problem", since: earliest(starts) ?? row.since, trouble };
}

type Failure = RowFailures["of"][number];

/** Returns the failed selections that did not end with the outage of their registry. */
function openFailures({ runs, failures }: FleetRow, checks: RegistryChecks): readonly Failure[] {
  if (failures === undefined) return [];
  return failures.of.filter(({ container, reason }) => {
    const image = runs.find(({ name }) => name === container);
    if (image === undefined || !isUnread(reason)) return true;
    return !hasEndedSince(checks.outageOf(repositoryIn(image.imageName)), reason, failures.at);
  });
}

interface Unread {
  readonly container: string;
  readonly since: EpochMs;
  readonly wait: WaitReason;
}

/** Returns the tracked containers whose repository could not be read at its last check. */
function uncheckedOf({ runs }: FleetRow, failures: readonly Failure[], checks: RegistryChecks): readonly Unread[] {
  return runs.flatMap((image): readonly Unread[] => {
    if (image.policy === undefined) return [];
    const name = repositoryIn(image.imageName);
    const check = checkOf(checks.stateOf(name), checks.outageOf(name), undefined);
    if (check.kind !== "failed") return [];
    const { reason, detail, since } = check.problem;
    const failed = failures.find(({ container }) => container === image.name);
    return [{ container: image.name, since, wait: { reason: failed?.reason ?? reason, detail } }];
  });
}

function waitsOf({ row, removed, trouble }: PresentRow): readonly WaitReason[] {
  if (removed !== undefined) return [removedWhy(removed)];
  return trouble ?? [...row.waits, ...selectionFailureReasons(row.failures?.of ?? [])];
}

/** Returns the view of a row. */
export function rowView(present: PresentRow, { rules: { observe } }: Pick<Ports, "rules">): WorkloadRowView {
  const { row, state, since, removed } = present;
  const { workload, version, labels, containers } = row;
  const waits = waitsOf(present);
  const [first] = waits;
  const name = parseWorkloadKey(workload);
  const observes = name.ok ? observedBy(observe, name.value) : undefined;
  return {
    workload,
    ...(labels === undefined ? {} : { labels }),
    runs: row.runs.map(imageView),
    wants: removed === undefined ? row.wants.map(imageView) : [],
    state,
    ...(first === undefined ? {} : { why: waitView(first) }),
    reasonCount: waits.length,
    ...(first?.until === undefined ? {} : { until: toIso(first.until) }),
    since: toIso(since),
    version,
    ...(containers === undefined ? {} : { containers }),
    ...(observes === undefined ? {} : { observes }),
  };
}

function imageView(image: RowImage): ImageView {
  const { name, imageName, tag, digest, policy, available, skipped } = image;
  return {
    container: name,
    image: imageText(image),
    imageName,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
    ...(policy === undefined ? {} : { policy }),
    ...(available === undefined ? {} : { available }),
    ...(skipped === undefined ? {} : { newerSkipped: skipped }),
  };
}
