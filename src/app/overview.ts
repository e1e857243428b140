import type {
  ClusterView,
  DecisionsView,
  ImageView,
  ReasonView,
  UpdatesView,
  UpdateView,
  WorkloadState,
  WorkloadsView,
  WorkloadView,
} from "#contracts/api";
import { factNamesOf } from "#domain/facts";
import { reasons, type Reason } from "#domain/reasons";
import { standStillText } from "#domain/verification";
import { repositoryKey } from "#domain/image-reference";
import { obstacleReasons } from "#domain/record";
import { type EpochMs, toIso } from "#domain/time";
import type {
  ActiveUpdate,
  ClosedGate,
  ContainerState,
  EndedUpdate,
  Ending,
  ImageChange,
  PendingUpdate,
  WorkloadRecord,
} from "#domain/update";
import { repositoryOf } from "#domain/wish";
import { workloadKey } from "#domain/workload";
import type { LedgerRow } from "#ports/ledger";
import type { ClusterState } from "#ports/cluster-states";
import type { Ports } from "./ports.ts";
import { settingsOf } from "./records.ts";

type OverviewPorts = Pick<Ports, "store" | "clusters" | "clusterStates" | "ledger" | "clock">;

/** Answers all workloads that take part, sorted by name, with the state of their clusters. */
export async function listWorkloads(ports: OverviewPorts): Promise<WorkloadsView> {
  const { records, states } = await everything(ports);
  return {
    at: toIso(ports.clock.now()),
    workloads: records.map((record) => viewOf(record, states.get(record.workload.cluster))),
    clusters: ports.clusters.names().map((name) => clusterView(states.get(name) ?? { name })),
  };
}

/** Answers one workload by its key; undefined when it does not take part. */
export async function readWorkload(key: string, ports: OverviewPorts): Promise<WorkloadView | undefined> {
  const record = await ports.store.read(key);
  if (record?.tracked !== true) return undefined;
  return viewOf(record, await ports.clusterStates.read(record.workload.cluster));
}

/** Answers every open update, and the last that ended of each workload, the newest first. */
export async function listUpdates(ports: OverviewPorts): Promise<UpdatesView> {
  const { records } = await everything(ports);
  const updates = records.flatMap((record) =>
    [record.active, record.pending, record.last].flatMap((update) =>
      update === undefined ? [] : [updateView(record, update)],
    ),
  );
  return {
    at: toIso(ports.clock.now()),
    updates: updates.sort((left, right) =>
      left.electedAt < right.electedAt ? 1 : left.electedAt > right.electedAt ? -1 : 0,
    ),
  };
}

/** Answers the history of a workload, the newest first. */
export async function readDecisions(key: string, limit: number, { ledger }: OverviewPorts): Promise<DecisionsView> {
  return { workload: key, decisions: (await ledger.read(key, limit)).map(decisionView) };
}

/** Makes the view of a workload. */
export function viewOf(record: WorkloadRecord, state: ClusterState | undefined): WorkloadView {
  const settings = settingsOf(record);
  const open = record.active ?? record.pending;
  return {
    workload: workloadKey(record.workload),
    uid: record.uid,
    version: record.version,
    state: stateOf(
      record,
      settings.problems.some(({ closes }) => closes),
    ),
    runs: record.observed.containers.map((container) =>
      runsView(container, settings.containers[container.name]?.policyText),
    ),
    wants: open === undefined ? [] : open.changes.map(wantsView),
    reasons: reasonsOf(record),
    problems: settings.problems,
    ...(record.active === undefined ? {} : { active: updateView(record, record.active) }),
    ...(record.pending === undefined ? {} : { pending: updateView(record, record.pending) }),
    ...(record.last === undefined ? {} : { last: updateView(record, record.last) }),
    changedAt: toIso(record.changedAt),
    ...(state?.lastSyncAt === undefined ? {} : { lookedAt: toIso(state.lastSyncAt) }),
  };
}

/** Makes the view of a reason, with its sentence and remedy. */
export function reasonView(reason: Reason, detail?: string, until?: EpochMs): ReasonView {
  return {
    reason,
    ...reasons[reason],
    ...(detail === undefined ? {} : { detail }),
    ...(until === undefined ? {} : { until: toIso(until) }),
  };
}

async function everything({ store, clusters, clusterStates }: OverviewPorts) {
  const names = clusters.names();
  const rosters = await Promise.all(names.map((name) => store.roster(name)));
  const records = (await store.readMany(rosters.flat())).filter(({ tracked }) => tracked);
  const states = await Promise.all(names.map((name) => clusterStates.read(name)));
  return {
    records,
    states: new Map(states.flatMap((state) => (state === undefined ? [] : [[state.name, state] as const]))),
  };
}

const wentBack: ReadonlySet<string> = new Set<Ending>(["rolled-back", "rollback-failed", "failed"]);

function stateOf(record: WorkloadRecord, broken: boolean): WorkloadState {
  if (record.active !== undefined) return record.active.status;
  if (record.pending !== undefined) return "held";
  if (broken) return "problem";
  const refused = record.refusals.some(({ seq }) => seq === record.last?.seq);
  if (record.hold !== undefined || (refused && wentBack.has(record.last?.status ?? ""))) return "taken-back";
  return record.obstacles.some(({ reason }) => reason !== "refused-before") ? "problem" : "up-to-date";
}

function reasonsOf(record: WorkloadRecord): readonly ReasonView[] {
  const held =
    record.hold === undefined || record.pending !== undefined
      ? []
      : [reasonView(record.hold.reason, record.hold.detail)];
  const pauses = record.pause === undefined ? [] : [record.pause];
  const waits = (record.active === undefined ? record.pending?.waits : pauses) ?? [];
  return [...waits.map(waitView), ...held, ...obstacleReasons(record.obstacles).map(waitView)];
}

function updateView(record: WorkloadRecord, update: PendingUpdate | ActiveUpdate | EndedUpdate): UpdateView {
  return {
    workload: workloadKey(record.workload),
    seq: update.seq,
    status: update.status,
    wants: update.changes.map(wantsView),
    source: update.source,
    detectedAt: toIso(update.detectedAt),
    electedAt: toIso(update.electedAt),
    ...instantsOf(update),
    ...whyOf(update),
  };
}

function instantsOf(
  update: PendingUpdate | ActiveUpdate | EndedUpdate,
): Pick<UpdateView, "patchedAt" | "runningSince" | "endedAt"> {
  if (update.status === "held") return {};
  const since = "endedAt" in update ? update.runningSince : update.running?.since;
  return {
    ...(update.patchedAt === undefined ? {} : { patchedAt: toIso(update.patchedAt) }),
    ...(since === undefined ? {} : { runningSince: toIso(since) }),
    ...("endedAt" in update ? { endedAt: toIso(update.endedAt) } : {}),
  };
}

function whyOf(update: PendingUpdate | ActiveUpdate | EndedUpdate): Pick<UpdateView, "reasons" | "detail"> {
  if (update.status === "held") return { reasons: update.waits.map(waitView) };
  if ("endedAt" in update)
    return {
      reasons: update.reason === undefined ? [] : [reasonView(update.reason, update.detail)],
      ...(update.detail === undefined ? {} : { detail: update.detail }),
    };
  const detail =
    update.failure?.cause ??
    (update.standingStill === undefined ? undefined : standStillText[update.standingStill]) ??
    (update.running === undefined ? undefined : `${update.running.pods} pods run`);
  return {
    reasons: update.failure === undefined ? [] : [reasonView(update.failure.reason, update.failure.cause)],
    ...(detail === undefined ? {} : { detail }),
  };
}

function decisionView(row: LedgerRow) {
  const { happening } = row;
  return {
    at: toIso(row.at),
    seq: row.seq,
    version: row.version,
    what: happening.what,
    facts: factNamesOf(happening),
    images: happening.changes.map(wantsView),
    reasons: happening.reasons.map(waitView),
    cause: row.cause,
    ...(happening.detail === undefined ? {} : { detail: happening.detail }),
  };
}

function clusterView({ name, lastSyncAt, problem }: ClusterState): ClusterView {
  return {
    name,
    ...(lastSyncAt === undefined ? {} : { lookedAt: toIso(lastSyncAt) }),
    ...(problem === undefined
      ? {}
      : { problem: { reason: problem.reason, detail: problem.detail, since: toIso(problem.since) } }),
  };
}

function waitView({ reason, detail, until }: ClosedGate): ReasonView {
  return reasonView(reason, detail, until);
}

function wantsView(change: ImageChange): ImageView {
  const { name, to, repository, tag, digest, policy } = change;
  return { container: name, image: to, repository, tag, digest, policy };
}

function runsView(container: ContainerState, policy: string | undefined): ImageView {
  const { name, image, digest } = container;
  const reference = repositoryOf(container);
  return {
    container: name,
    image,
    repository: reference === undefined ? image : repositoryKey(reference),
    ...(reference?.tag === undefined ? {} : { tag: reference.tag }),
    ...(digest === undefined ? {} : { digest }),
    ...(policy === undefined ? {} : { policy }),
  };
}
