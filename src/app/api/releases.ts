import type { ReleaseRequest, ReleaseView } from "#contracts/api/control";
import type { Asker } from "#domain/approval/asker";
import { fleet, parseFreezeScope } from "#domain/gates/freezes";
import { observedBy } from "#domain/gates/observe";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { type Reason, reasons } from "#domain/shared/reasons";
import { printableText, shortened } from "#domain/shared/shown-text";
import { type EpochMs, toIso } from "#domain/shared/time";
import { reasonsOfGate, releasePast } from "#domain/update/decide/control";
import { releaseObserved } from "#domain/update/decide/release";
import type { Decision } from "#domain/update/state/changes";
import { type PassableGate, passableGates } from "#domain/workload/control";
import type { PendingUpdate, WorkloadRecord } from "#domain/update/state/workload";
import { parseWorkloadKey, workloadKey } from "#domain/workload/workload";
import { decide } from "../decide.ts";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { recordsOf as recordsIn } from "../shared/records.ts";
import { leave, storeThen } from "../shared/turn.ts";
import { askerOf } from "./asker.ts";
import { type ApiError, notFound, type Served, unknownCluster } from "./handler.ts";
import { waitView, wantsView } from "./views.ts";

/**
 * Lets updates of a scope pass gates: those that Lookout found while it observed, or gates that a
 * person may open for exactly the present digests.
 */
export async function releaseUpdates(
  { scope, past, by, why, dryRun = false }: ReleaseRequest,
  served: Served,
): Promise<ReleaseView | ApiError> {
  const asked = { scope, dryRun, asker: askerOf(served, by, why), id: served.id };
  if (past.length === 1 && past[0] === "observe") return releasePastObserve(asked, served.ports);
  const gates = past.filter(isPassable);
  const other = past.find((gate) => !isPassable(gate));
  if (other !== undefined) return neverPassed(other);
  if (why === undefined) return { kind: "bad-request", detail: "give the reason: why, or --why" };
  return releasePastGates({ ...asked, gates, why }, served.ports);
}

function isPassable(gate: string): gate is PassableGate {
  return (passableGates as readonly string[]).includes(gate);
}

/** Returns the refusal of a gate that no person opens for one update. */
function neverPassed(gate: string): ApiError {
  const instead = insteadOf[gate as keyof typeof insteadOf] as string | undefined;
  const shown = printableText(shortened(gate, 50));
  if (gate === "observe")
    return { kind: "bad-request", detail: "release observe alone: lookout release --past observe SCOPE" };
  const may = `A release passes only ${passableGates.join(", ")}, or observe`;
  if (instead !== undefined)
    return { kind: "not-releasable", detail: `no release passes ${shown}. ${instead}. ${may}` };
  const hint = didYouMean(nearest(gate, [...passableGates, "observe", ...Object.keys(insteadOf)]));
  return { kind: "bad-request", detail: `no gate is called "${shown}"${hint}. ${may}` };
}

/** What a person does instead of a release past a gate. */
const insteadOf = {
  freeze: "End the freeze: lookout unfreeze SCOPE",
  quarantine: "Lift the quarantine: lookout quarantine lift DIGEST",
  approval: "Approve the update: lookout approve WORKLOAD",
  budget: "Raise limits.maxConcurrentRollouts in lookout.yaml",
  hold: "End the hold: lookout resume WORKLOAD",
  suspension: "Resume the workload: lookout resume WORKLOAD",
  block: "Unblock the digest: lookout unblock WORKLOAD --digest DIGEST",
} as const;

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
        pending === undefined ? [] : [releasedView(workloadKey(workload), pending, observeOnly)],
      )
    : (
        await mapBounded(free, releasedAtOnce, (record) =>
          releaseOne(record, id, ports, observeOnly, (one, now) => releaseObserved(one, asker, now)),
        )
      ).flatMap((one) => one ?? []);
  // Another request released all of them meanwhile.
  if (released.length === 0) return notFound(`observe holds no update in ${shown}`);
  return {
    at: toIso(ports.clock.now()),
    scope: text,
    past: ["observe"],
    dryRun,
    released,
    observed: observed.map(({ workload }) => workloadKey(workload)),
  };
}

/** The reasons that hold an update whatever a person releases. */
const hardStops: ReadonlySet<Reason> = new Set(["frozen", "planned-freeze", "quarantined"]);

/** Lets the held updates of a scope pass gates. Updates that a freeze or a quarantine holds stay. */
async function releasePastGates(
  {
    scope: text,
    dryRun,
    asker,
    id,
    gates,
    why,
  }: Asked & { readonly gates: readonly PassableGate[]; readonly why: string },
  ports: Ports,
): Promise<ReleaseView | ApiError> {
  const records = await recordsOf(text, ports);
  if ("kind" in records) return records;
  const passed: ReadonlySet<Reason> = new Set(gates.flatMap((gate): readonly Reason[] => reasonsOfGate[gate]));
  const waiting = records.filter(({ pending }) => pending?.waits.some(({ reason }) => passed.has(reason)) === true);
  const free = waiting.filter(({ pending }) => pending?.waits.every(({ reason }) => !hardStops.has(reason)) === true);
  if (free.length === 0) return whyNothingReleased(text, gates, records, waiting);
  const action = { ...asker, why };
  const released = dryRun
    ? free.flatMap(({ workload, pending }) =>
        pending === undefined ? [] : [releasedView(workloadKey(workload), pending, passed)],
      )
    : (
        await mapBounded(free, releasedAtOnce, (record) =>
          releaseOne(record, id, ports, passed, (one, now) => releasePast(one, gates, action, now)),
        )
      ).flatMap((one) => one ?? []);
  if (released.length === 0) return whyNothingReleased(text, gates, records, []);
  return { at: toIso(ports.clock.now()), scope: text, past: gates, dryRun, released, observed: [] };
}

function whyNothingReleased(
  text: string,
  gates: readonly PassableGate[],
  records: readonly WorkloadRecord[],
  waiting: readonly WorkloadRecord[],
): ApiError {
  const shown = printableText(shortened(text, 100));
  const [stopped] = waiting;
  const stop = stopped?.pending?.waits.find(({ reason }) => hardStops.has(reason));
  if (stopped !== undefined && stop !== undefined)
    return {
      kind: "not-releasable",
      detail: `${workloadKey(stopped.workload)}: ${reasons[stop.reason].sentence} No release passes it. ${reasons[stop.reason].remedy}`,
    };
  const held = records.flatMap(({ pending }) => pending?.waits ?? []);
  const names = [...new Set(held.map(({ reason }) => reasons[reason].short))];
  const now = names.length === 0 ? "No update is held there" : `Held by: ${names.join(", ")}`;
  return notFound(`${gates.join(", ")} holds no update in ${shown}. ${now}`);
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
  return (await recordsIn(scope.value, ports)).filter(({ tracked }) => tracked);
}

function scopeProblem(text: string): string {
  const shown = printableText(shortened(text, 100));
  return `"${shown}" is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, cluster/namespace/kind/name, or ${fleet}`;
}

async function releaseOne(
  loaded: WorkloadRecord,
  id: string,
  ports: Ports,
  passed: ReadonlySet<Reason>,
  release: (record: WorkloadRecord, now: EpochMs) => Decision | undefined,
): Promise<Released | undefined> {
  const { workload } = loaded;
  const cause = `Release:${id}`;
  return decide<Released | undefined>({ workload, cause, doing: "released", loaded }, ports, (record) => {
    const now = ports.clock.now();
    const decision = release(record, now);
    if (decision === undefined || record.pending === undefined) return leave(undefined);
    const view = releasedView(workloadKey(workload), record.pending, passed);
    return storeThen(record, decision, now, () => view);
  });
}

const observeOnly: ReadonlySet<Reason> = new Set(["observe"]);

function releasedView(workload: string, { seq, changes, waits }: PendingUpdate, passed: ReadonlySet<Reason>): Released {
  const stillHeldBy = waits.filter(({ reason }) => !passed.has(reason)).map((wait) => waitView(wait));
  return { workload, seq, wants: changes.map(wantsView), stillHeldBy };
}

function byName(one: WorkloadRecord, other: WorkloadRecord): number {
  return workloadKey(one.workload) < workloadKey(other.workload) ? -1 : 1;
}
