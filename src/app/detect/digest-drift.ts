import { isEnabled } from "#domain/settings/settings";
import { compareTexts } from "#domain/shared/text-order";
import { type EpochMs, hours } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { canDrift, driftsOtherwise } from "#domain/workload/digest-drift";
import { type LiveWorkload, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";

/** The most workloads whose pods one sync reads. A cluster with more is read in turns, one an hour. */
const mostRead = 100;
const turn = hours(1);
/** The workloads whose pods are read at the same time. */
const readAtOnce = 5;

/**
 * Returns the workloads to evaluate because their pods run other digests than before, and counts those
 * that are known to. A list of changes has none: only complete lists read pods.
 */
export async function driftNews(
  pods: Pick<Cluster, "runningImages">,
  list: { readonly cluster: string; readonly complete: boolean; readonly live: readonly LiveWorkload[] },
  records: ReadonlyMap<string, WorkloadRecord>,
  ports: Ports,
  signal: AbortSignal,
): Promise<readonly WorkloadName[]> {
  if (!list.complete) return [];
  measureDrift(list.cluster, records.values(), ports);
  return findDrift(pods, list.live, records, ports.clock.now(), signal);
}

/**
 * Returns the workloads whose pods run other digests than their records say: different digests of one
 * tag, or one digest again.
 *
 * Only an image without a digest can drift. The reads stop at the first refusal of the cluster.
 */
export async function findDrift(
  cluster: Pick<Cluster, "runningImages">,
  listed: readonly LiveWorkload[],
  records: ReadonlyMap<string, WorkloadRecord>,
  now: EpochMs,
  signal: AbortSignal,
): Promise<readonly WorkloadName[]> {
  let isRefused = false;
  const read = await mapBounded(inTurn(mayDrift(listed, records), now), readAtOnce, async ({ live, record }) => {
    if (isRefused) return [];
    const pods = await cluster.runningImages(live, signal);
    isRefused ||= pods.kind !== "running";
    const drifts = pods.kind === "running" && driftsOtherwise(live.containers, pods.images, record.observed.containers);
    return drifts ? [live.workload] : [];
  });
  return read.flat();
}

interface Candidate {
  readonly live: LiveWorkload;
  readonly record: WorkloadRecord;
}

function mayDrift(listed: readonly LiveWorkload[], records: ReadonlyMap<string, WorkloadRecord>): readonly Candidate[] {
  return listed.flatMap((live) => {
    const record = records.get(workloadKey(live.workload));
    if (record?.tracked !== true || record.active !== undefined || !isEnabled(live.annotations)) return [];
    return live.containers.some(canDrift) ? [{ live, record }] : [];
  });
}

/** Returns the candidates of this hour, so that each has its turn. */
function inTurn(candidates: readonly Candidate[], now: EpochMs): readonly Candidate[] {
  const turns = Math.max(1, Math.ceil(candidates.length / mostRead));
  const from = (Math.floor(now / turn) % turns) * mostRead;
  return candidates
    .toSorted((a, b) => compareTexts(workloadKey(a.live.workload), workloadKey(b.live.workload)))
    .slice(from, from + mostRead);
}

/** Counts the workloads whose pods run different digests. Measures nothing if there are none. */
function measureDrift(cluster: string, records: Iterable<WorkloadRecord>, { metrics }: Ports): void {
  const drifting = [...records].filter(
    ({ tracked, selectionFailures }) => tracked && selectionFailures.some(({ reason }) => reason === "digest-drift"),
  ).length;
  if (drifting > 0) metrics.add("WorkloadsDrifting", drifting, { cluster });
}
