import type { ClusterView } from "#contracts/api/clusters";
import type { ImageView, ReasonView } from "#contracts/api/schema";
import type { DecisionView, UpdateView, WorkloadState, WorkloadView } from "#contracts/api/workloads";
import { correlationOf } from "#domain/update/correlation";
import { factNameOf } from "#domain/update/facts";
import { isBlockReason, reasons, type Reason } from "#domain/shared/reasons";
import { rolloutWaitText } from "#domain/update/verification";
import { imageNameOf } from "#domain/image/reference";
import { selectionFailureReasons } from "#domain/update/record";
import { type EpochMs, toIso } from "#domain/shared/time";
import {
  type ActiveUpdate,
  type EndedUpdate,
  type Ending,
  type PendingUpdate,
  type Progress,
  runningOf,
  type WorkloadRecord,
} from "#domain/update/states";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { ImageChange } from "#domain/workload/patch";
import type { ContainerState, StoredAdvice } from "#domain/workload/observed";
import { repositoryOf } from "#domain/update/desired-image";
import { workloadKey } from "#domain/workload/workload";
import { imageAttributes } from "#domain/policy/attributes";
import type { WorkloadSettings } from "#domain/settings/settings";
import { annotationsOf } from "#domain/settings/suggested-annotations";
import type { LedgerRow } from "#ports/ledger";
import type { ClusterState } from "#ports/cluster-states";
import { flaggedCluster } from "#ports/cluster";
import type { RemovedCluster } from "../shared/unknown-cluster.ts";

/** Returns the view of a workload. */
export function viewOf(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  state: ClusterState | undefined,
): WorkloadView {
  const open = record.active ?? record.pending;
  return {
    workload: workloadKey(record.workload),
    uid: record.uid,
    version: record.version,
    state: stateOf(
      record,
      settings.problems.some(({ closes }) => closes),
    ),
    runs: record.observed.containers.map((container) => runsView(container, settings)),
    wants: open === undefined ? [] : open.changes.map(wantsView),
    reasons: reasonsOf(record),
    problems: settings.problems,
    ...(record.active === undefined ? {} : { active: updateView(record, record.active) }),
    ...(record.pending === undefined ? {} : { pending: updateView(record, record.pending) }),
    ...(record.last === undefined ? {} : { last: updateView(record, record.last) }),
    changedAt: toIso(record.changedAt),
    ...(state?.lastSyncAt === undefined ? {} : { lastSyncAt: toIso(state.lastSyncAt) }),
  };
}

/**
 * Returns the view of a workload whose cluster was removed. Its open updates are not shown, because
 * they end with it.
 */
export function removedView(view: WorkloadView, { name, endsAt }: RemovedCluster): WorkloadView {
  const { active: _active, pending: _pending, ...rest } = view;
  const detail = `cluster ${name} is not in lookout.yaml${name === flaggedCluster ? ", and no flag names a kubeconfig" : ""}`;
  return { ...rest, state: "removed", wants: [], reasons: [reasonView("cluster-removed", detail, endsAt)] };
}

/** Returns the view of a reason, with its sentence and remedy. */
export function reasonView(reason: Reason, detail?: string, until?: EpochMs): ReasonView {
  const { sentence, remedy } = reasons[reason];
  return {
    reason,
    sentence,
    remedy,
    ...(detail === undefined ? {} : { detail }),
    ...(until === undefined ? {} : { until: toIso(until) }),
  };
}

const wentBack: ReadonlySet<string> = new Set<Ending>(["rolled-back", "rollback-failed", "failed"]);

function stateOf(record: WorkloadRecord, broken: boolean): WorkloadState {
  if (record.active !== undefined) return record.active.status;
  if (record.pending !== undefined) return "held";
  if (broken) return "problem";
  const isBlocked = record.blocked.some(({ seq }) => seq === record.last?.seq);
  if (record.hold !== undefined || (isBlocked && wentBack.has(record.last?.status ?? ""))) return "reverted";
  if (record.selectionFailures.some(({ reason }) => !isBlockReason(reason))) return "problem";
  return record.observed.containers.some(({ advice }) => advice?.skipped !== undefined)
    ? "newer-skipped"
    : "up-to-date";
}

function reasonsOf(record: WorkloadRecord): readonly ReasonView[] {
  const held =
    record.hold === undefined || record.pending !== undefined
      ? []
      : [reasonView(record.hold.reason, record.hold.detail)];
  const pauses = record.pause === undefined ? [] : [record.pause];
  const waits = (record.active === undefined ? record.pending?.waits : pauses) ?? [];
  return [...waits.map(waitView), ...held, ...selectionFailureReasons(record.selectionFailures).map(waitView)];
}

/** Returns the view of an advice: the skipped tags, and annotations that would follow them. */
export function adviceView(
  { skipped, annotations }: StoredAdvice,
  container: ContainerState,
  { containers }: Pick<WorkloadSettings, "containers">,
): Pick<ImageView, "newerSkipped" | "suggestedAnnotations"> {
  const isAlone = Object.keys(containers).length === 1;
  return {
    ...(skipped && { newerSkipped: skipped }),
    ...(annotations && { suggestedAnnotations: annotationsOf(annotations, isAlone ? undefined : container) }),
  };
}

/** Returns the view of an update in any state. */
export function updateView(record: WorkloadRecord, update: PendingUpdate | ActiveUpdate | EndedUpdate): UpdateView {
  return {
    workload: workloadKey(record.workload),
    seq: update.seq,
    status: update.status,
    wants: update.changes.map(wantsView),
    source: update.source,
    ...correlationOf(update),
    detectedAt: toIso(update.detectedAt),
    selectedAt: toIso(update.selectedAt),
    ...instantsOf(update),
    ...whyOf(update),
  };
}

function instantsOf(
  update: PendingUpdate | ActiveUpdate | EndedUpdate,
): Pick<UpdateView, "patchedAt" | "runningSince" | "endedAt"> {
  const patchedAt = "patchedAt" in update ? update.patchedAt : undefined;
  const since = runningSince(update);
  return {
    ...(patchedAt === undefined ? {} : { patchedAt: toIso(patchedAt) }),
    ...(since === undefined ? {} : { runningSince: toIso(since) }),
    ...("endedAt" in update ? { endedAt: toIso(update.endedAt) } : {}),
  };
}

function runningSince(update: PendingUpdate | ActiveUpdate | EndedUpdate): EpochMs | undefined {
  if ("endedAt" in update) return update.status === "rejected" ? undefined : update.runningSince;
  return update.status === "rolling-out" ? runningOf(update.progress)?.since : undefined;
}

function whyOf(update: PendingUpdate | ActiveUpdate | EndedUpdate): Pick<UpdateView, "reasons" | "detail"> {
  switch (update.status) {
    case "held":
      return { reasons: update.waits.map(waitView) };
    case "released":
    case "patching":
      return { reasons: [] };
    case "rolling-out":
      return { reasons: [], ...detailOf(update.progress) };
    case "rolling-back": {
      const { reason, detail } = update.failure;
      return { reasons: [reasonView(reason, detail)], detail };
    }
    case "succeeded":
      return { reasons: [], detail: update.detail };
    case "rolled-back":
    case "rollback-failed":
    case "failed":
    case "reverted":
    case "superseded":
    case "rejected": {
      const { reason, detail } = update;
      return { reasons: [reasonView(reason, detail)], ...(detail === undefined ? {} : { detail }) };
    }
  }
}

function detailOf(progress: Progress): Pick<UpdateView, "detail"> {
  switch (progress.kind) {
    case "progressing":
      return {};
    case "waiting":
      return { detail: rolloutWaitText[progress.why] };
    case "running":
      return { detail: `${progress.running.pods} pods run` };
  }
}

/** Returns the view of a row of the history. */
export function decisionView(row: LedgerRow): DecisionView {
  const { transition } = row;
  return {
    at: toIso(row.at),
    seq: row.seq,
    version: row.version,
    what: transition.what,
    fact: factNameOf(transition),
    images: transition.changes.map(wantsView),
    reasons: transition.reasons.map(waitView),
    cause: row.cause,
    ...correlationOf(row),
    ...(transition.detail === undefined ? {} : { detail: transition.detail }),
  };
}

/** Returns the view of a cluster. */
export function clusterView({ name, lastSyncAt, problem }: ClusterState): ClusterView {
  return {
    name,
    ...(lastSyncAt === undefined ? {} : { lastSyncAt: toIso(lastSyncAt) }),
    ...(problem === undefined
      ? {}
      : { problem: { reason: problem.reason, detail: problem.detail, since: toIso(problem.since) } }),
  };
}

/** Returns the view of a reason that a record stores. */
export function waitView({ reason, detail, until }: WaitReason): ReasonView {
  return reasonView(reason, detail, until);
}

function wantsView(change: ImageChange): ImageView {
  const { name, to, imageName, tag, digest, policy, attributes } = change;
  const named = attributes === undefined ? {} : { attributes };
  return { container: name, image: to, imageName, tag, digest, policy, ...named };
}

function runsView(container: ContainerState, settings: WorkloadSettings): ImageView {
  const own = settings.containers[container.name];
  const { name, image, digest } = container;
  const reference = repositoryOf(container);
  const imageName = reference === undefined ? image : imageNameOf(reference);
  const tag = reference?.tag;
  const attributes = own === undefined || tag === undefined ? undefined : imageAttributes(own, { imageName, tag });
  return {
    container: name,
    image,
    imageName,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
    ...(own === undefined ? {} : { policy: own.policyText }),
    ...(container.available === undefined ? {} : { available: container.available }),
    ...(own === undefined || container.advice === undefined ? {} : adviceView(container.advice, container, settings)),
    ...(attributes === undefined ? {} : { attributes }),
  };
}
