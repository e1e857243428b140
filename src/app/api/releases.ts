import type { releaseOperations, ReleaseView } from "#contracts/api/releases";
import type { Asker } from "#domain/approval/asker";
import { covers, fleet, type FreezeScope, parseFreezeScope } from "#domain/gates/freezes";
import { observedBy } from "#domain/gates/observe";
import { printableText, shortened } from "#domain/shared/shown-text";
import { toIso } from "#domain/shared/time";
import { releaseObserved } from "#domain/update/decide/release";
import type { PendingUpdate, WorkloadRecord } from "#domain/update/state/workload";
import { parseWorkloadKey, workloadKey } from "#domain/workload/workload";
import { decide } from "../decide.ts";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";
import { leave, storeThen } from "../shared/turn.ts";
import { askerOf } from "./asker.ts";
import { type ApiError, type Handlers, notFound, type Served, unknownCluster } from "./handler.ts";
import { wantsView } from "./views.ts";

/** Returns the handler for releases. */
export function releaseHandlers(served: Served): Handlers<typeof releaseOperations> {
  return {
    release: ({ body: { scope, by, why, dryRun = false } }) =>
      releasePastObserve({ scope, dryRun, asker: askerOf(served, by, why), id: served.id }, served.ports),
  };
}

interface Asked {
  readonly scope: string;
  readonly dryRun: boolean;
  readonly asker: Asker;
  /** The identity of the request. */
  readonly id: string;
}

type Released = ReleaseView["released"][number];

const releasedAtOnce = 10;

/**
 * Releases the updates of a scope that Lookout found while it observed. Updates of a part that
 * Lookout still observes stay held.
 */
async function releasePastObserve(
  { scope: text, dryRun, asker, id }: Asked,
  ports: Ports,
): Promise<ReleaseView | ApiError> {
  const records = await recordsOf(text, ports);
  if ("kind" in records) return records;
  const shown = printableText(shortened(text, 100));
  const held = records.filter(({ pending }) => pending?.observed === true).toSorted(byName);
  const isObserved = ({ workload }: WorkloadRecord) => observedBy(ports.rules.observe, workload) !== undefined;
  const observed = held.filter(isObserved);
  const free = held.filter((record) => !isObserved(record));
  const [first] = records.flatMap(({ workload }) => observedBy(ports.rules.observe, workload) ?? []);
  if (free.length === 0 && first !== undefined)
    return {
      kind: "still-observes",
      detail: `Lookout still observes ${shown} (${first}): first remove it from lookout.yaml (on AWS, deploy again), or start Lookout without --observe`,
    };
  if (free.length === 0) return notFound(`observe holds no update in ${shown}`);
  const released = dryRun
    ? free.flatMap(({ workload, pending }) =>
        pending === undefined ? [] : [releasedView(workloadKey(workload), pending)],
      )
    : (await mapBounded(free, releasedAtOnce, (record) => releaseOne(record, { asker, id }, ports))).flatMap(
        (one) => one ?? [],
      );
  // Another request released all of them meanwhile.
  if (released.length === 0) return notFound(`observe holds no update in ${shown}`);
  return {
    at: toIso(ports.clock.now()),
    scope: text,
    past: "observe",
    dryRun,
    released,
    observed: observed.map(({ workload }) => workloadKey(workload)),
  };
}

/** Returns the tracked records of a scope, or why there are none. */
async function recordsOf(text: string, ports: Ports): Promise<readonly WorkloadRecord[] | ApiError> {
  const workload = parseWorkloadKey(text);
  if (workload.ok) {
    const record = await ports.store.read(text);
    return record?.tracked === true ? [record] : notFound(`${text} is not tracked`);
  }
  const scope = parseFreezeScope(text);
  if (!scope.ok) return { kind: "bad-scope", detail: scopeProblem(text) };
  const { cluster } = scope.value;
  if (cluster !== undefined && !ports.clusters.names().includes(cluster)) return unknownCluster(cluster);
  return recordsIn(scope.value, ports);
}

async function recordsIn(scope: FreezeScope, ports: Ports): Promise<readonly WorkloadRecord[]> {
  return (await allRecords(ports)).filter(({ tracked, workload }) => tracked && covers(scope, workload));
}

function scopeProblem(text: string): string {
  const shown = printableText(shortened(text, 100));
  return `"${shown}" is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, cluster/namespace/kind/name, or ${fleet}`;
}

async function releaseOne(
  loaded: WorkloadRecord,
  { asker, id }: Pick<Asked, "asker" | "id">,
  ports: Ports,
): Promise<Released | undefined> {
  const { workload } = loaded;
  const cause = `Release:${id}`;
  return decide<Released | undefined>({ workload, cause, doing: "released", loaded }, ports, (record) => {
    const now = ports.clock.now();
    const decision = releaseObserved(record, asker, now);
    if (decision === undefined || record.pending === undefined) return leave(undefined);
    const view = releasedView(workloadKey(workload), record.pending);
    return storeThen(record, decision, now, () => view);
  });
}

function releasedView(workload: string, { seq, changes }: PendingUpdate): Released {
  return { workload, seq, wants: changes.map(wantsView) };
}

function byName(one: WorkloadRecord, other: WorkloadRecord): number {
  return workloadKey(one.workload) < workloadKey(other.workload) ? -1 : 1;
}
