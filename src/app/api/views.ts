import type { ClusterView } from "#contracts/api/clusters";
import type { ControlView } from "#contracts/api/control";
import type { ImageView, ReasonView } from "#contracts/api/schema";
import type { BlockedView, DecisionView, UnreadableView, UpdateView, WorkloadView } from "#contracts/api/workloads";
import { blockCause, blockDetail, blockReasonOf } from "#domain/workload/block-reason";
import { blockedVersions, type BlockedVersion } from "#domain/update/state/blocked-versions";
import { howToApprove } from "#domain/approval/how-to-approve";
import { correlationOf } from "#domain/update/state/correlation";
import { observedBy } from "#domain/gates/observe";
import { factNameOf } from "#domain/update/effects/facts";
import { reasons, type Reason } from "#domain/shared/reasons";
import { rolloutWaitText } from "#domain/update/decide/verify";
import { remedyOfProblem } from "#domain/definitions/definition-problem";
import { imageNameOf } from "#domain/image/reference";
import { selectionFailureReasons } from "#domain/update/state/changes";
import { type EpochMs, toIso } from "#domain/shared/time";
import { withoutUndefined } from "#domain/shared/without-undefined";
import {
  type ActiveUpdate,
  type Bake,
  type EndedUpdate,
  type PendingUpdate,
  type Progress,
  runningOf,
  type WorkloadRecord,
} from "#domain/update/state/workload";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { ImageChange } from "#domain/workload/patch";
import { stateOf, stopsOf, unblockedFailures, wantedChanges } from "../shared/workload-state.ts";
import type { ContainerState, StoredAdvice } from "#domain/workload/observed";
import { repositoryOf } from "#domain/update/decide/desired-image";
import { workloadKey } from "#domain/workload/workload";
import { imageAttributes } from "#domain/policy/attributes";
import type { WorkloadSettings } from "#domain/settings/settings";
import { annotationsOf } from "#domain/settings/suggested-annotations";
import type { LedgerRow } from "#ports/ledger";
import { noChecks, type UncheckedContainer, workloadCheck } from "./registry-checks.ts";
import type { UnreadableRecord } from "#ports/store";
import type { UnreadableItem } from "#ports/unreadable-items";
import type { ClusterState } from "#ports/cluster-states";
import { flaggedCluster } from "#ports/cluster";
import type { RemovedCluster } from "../shared/unknown-cluster.ts";
import type { Ports } from "../shared/ports.ts";

/** Returns the view of a workload. */
export function viewOf(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  state: ClusterState | undefined,
  checks = noChecks,
  own: OwnRemedies = {},
): WorkloadView {
  const blocked = blockedVersions(record, settings);
  const { checkedAt, unchecked, selectionFailures } = workloadCheck(record, settings, state, checks);
  const shown = { ...record, selectionFailures };
  return {
    workload: workloadKey(record.workload),
    uid: record.uid,
    version: record.version,
    state: stateOf(shown, {
      isBroken: settings.problems.some(({ closes }) => closes),
      isBlocked: blocked.length > 0,
      isUnchecked: unchecked.length > 0,
    }),
    runs: record.observed.containers.map((container) => runsView(container, settings)),
    wants: wantedChanges(record).map(wantsView),
    blocked: blocked.map(blockedView),
    reasons: reasonsOf(shown, own),
    problems: settings.problems,
    ...(record.active === undefined ? {} : { active: updateView(record, record.active, own) }),
    ...(record.pending === undefined ? {} : { pending: updateView(record, record.pending, own) }),
    ...(record.last === undefined ? {} : { last: updateView(record, record.last) }),
    changedAt: toIso(record.changedAt),
    ...(state?.lastSyncAt === undefined ? {} : { lastSyncAt: toIso(state.lastSyncAt) }),
    ...(checkedAt === undefined ? {} : { checkedAt: toIso(checkedAt) }),
    ...(unchecked.length === 0 ? {} : { unchecked: unchecked.map(uncheckedView) }),
  };
}

function uncheckedView({
  container,
  imageName,
  host,
  checkedAt,
  problem,
}: UncheckedContainer): NonNullable<WorkloadView["unchecked"]>[number] {
  const { reason, detail, since, until } = problem;
  return {
    container,
    imageName,
    registry: host,
    ...(checkedAt === undefined ? {} : { checkedAt: toIso(checkedAt) }),
    since: toIso(since),
    why: reasonView(reason, detail, until),
  };
}

/**
 * Returns the view of a workload whose cluster was removed. Its open updates are not shown, because
 * they end with it.
 */
export function removedView(view: WorkloadView, { name, endsAt }: RemovedCluster): WorkloadView {
  const { active: _active, pending: _pending, unchecked: _unchecked, ...rest } = view;
  const { reason, detail } = removedWhy({ name, endsAt });
  return {
    ...rest,
    state: "removed",
    wants: [],
    blocked: [],
    reasons: [reasonView(reason, detail, endsAt)],
  };
}

/** Returns why the workloads of a removed cluster are not updated. */
export function removedWhy({ name, endsAt }: RemovedCluster): WaitReason {
  const flag = name === flaggedCluster ? ", and no flag names a kubeconfig" : "";
  return { reason: "cluster-removed", detail: `cluster ${name} is not in lookout.yaml${flag}`, until: endsAt };
}

/** Returns the view of a stored item that can't be read. */
export function unreadableView({ kind, workload, why }: UnreadableItem & Partial<UnreadableRecord>): UnreadableView {
  return { kind, ...(workload === undefined ? {} : { workload }), why };
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

function blockedView({ containers, blocked }: BlockedVersion): BlockedView {
  const { imageName, tag, digest, seq, at } = blocked;
  const why = reasonView(blockReasonOf(blocked), blockDetail(blocked));
  return { containers, imageName, tag, digest, seq, at: toIso(at), cause: blockCause(blocked), why };
}

function reasonsOf(record: WorkloadRecord, own: OwnRemedies): readonly ReasonView[] {
  const held =
    record.hold === undefined || record.pending !== undefined
      ? []
      : [reasonView(record.hold.reason, record.hold.detail)];
  const { pause } = record.retry ?? {};
  const pauses = pause === undefined ? [] : [pause];
  const waits = (record.active === undefined ? record.pending?.waits : pauses) ?? [];
  return [
    ...waits.map((wait) => waitView(wait, own)),
    ...stopsOf(record, waits).map((wait) => waitView(wait, own)),
    ...held,
    ...selectionFailureReasons(unblockedFailures(record)).map((wait) => waitView(wait)),
  ];
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
export function updateView(
  record: WorkloadRecord,
  update: PendingUpdate | ActiveUpdate | EndedUpdate,
  own: OwnRemedies = {},
): UpdateView {
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
    ...whyOf(update, own),
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

function whyOf(
  update: PendingUpdate | ActiveUpdate | EndedUpdate,
  own: OwnRemedies,
): Pick<UpdateView, "reasons" | "detail"> {
  switch (update.status) {
    case "held":
      return { reasons: update.waits.map((wait) => waitView(wait, own)) };
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
      return { detail: [`${progress.running.pods} pods run`, ...bakeTexts(progress.bake)].join(", ") };
  }
}

/** Returns for which check a bake waits, and when it is asked again. */
function bakeTexts(bake: Bake | undefined): readonly string[] {
  if (bake === undefined) return [];
  const { reason, detail = "", until } = bake.wait;
  const again = until === undefined ? "" : `, asked again at ${toIso(until)}`;
  return [reason === "check-not-asked" ? `asks the check ${detail}` : `no answer of the check ${detail}${again}`];
}

/** Returns the view of a workload after a person's request. */
export function controlView(
  record: WorkloadRecord,
  now: EpochMs,
  told: Pick<ControlView, "changed" | "detail">,
): ControlView {
  const { active, pending } = record;
  // A request that waits for a rollout is the update that the person asks about.
  const open = pending?.requested === undefined ? (active ?? pending) : pending;
  const waits = record.needsEvaluation !== true && open !== undefined && open === pending ? pending.waits : [];
  return {
    at: toIso(now),
    workload: workloadKey(record.workload),
    ...told,
    ...(open === undefined ? {} : { update: updateView(record, open) }),
    // Before the next evaluation, the stored waits are those of before the request.
    reasons: waits.map((wait) => waitView(wait)),
  };
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
    reasons: transition.reasons.map((wait) => waitView(wait)),
    cause: row.cause,
    ...correlationOf(row),
    ...(transition.detail === undefined ? {} : { detail: transition.detail }),
    ...(row.isImported === undefined ? {} : { isImported: row.isImported }),
  };
}

/** Returns the view of a cluster. */
export function clusterView({ name, lastSyncAt, definitionProblems, problem }: ClusterState): ClusterView {
  return {
    name,
    ...(lastSyncAt === undefined ? {} : { lastSyncAt: toIso(lastSyncAt) }),
    ...(definitionProblems === undefined
      ? {}
      : {
          definitionProblems: definitionProblems.map((one) => ({
            ...one,
            since: toIso(one.since),
            remedy: remedyOfProblem(one, name),
          })),
        }),
    ...(problem === undefined
      ? {}
      : { problem: { reason: problem.reason, detail: problem.detail, since: toIso(problem.since) } }),
  };
}

/** Returns the view of a reason that a record stores. */
export function waitView({ reason, detail, until, member }: WaitReason, own: OwnRemedies = {}): ReasonView {
  const view = reasonView(reason, detail, until);
  return { ...view, remedy: own[reason] ?? view.remedy, ...(member === undefined ? {} : { member }) };
}

/** Returns the rule by which Lookout observes a workload, as a part of its view. */
export function observesView(
  { workload }: Pick<WorkloadRecord, "workload">,
  { rules: { observe } }: Pick<Ports, "rules">,
): Pick<WorkloadView, "observes"> {
  const observes = observedBy(observe, workload);
  return observes === undefined ? {} : { observes };
}

/** The remedies of one workload that differ from the usual remedies of their reasons. */
export type OwnRemedies = Partial<Readonly<Record<Reason, string>>>;

/** Returns the remedies of a workload that depend on the configuration. */
export function ownRemedies(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  { clusters, rules: { approvals: approvalRules, observe } }: Ports,
): OwnRemedies {
  const { workload, pending, readApprovals: read = [] } = record;
  const release = "lookout release --past observe WORKLOAD";
  const observes = observedBy(observe, workload);
  const stop = `Stop observing: remove ${observes ?? ""} (on AWS, deploy again).`;
  if (pending === undefined) return observes === undefined ? {} : { observe: stop };
  const leave =
    observes === undefined
      ? `Lookout no longer observes this workload. Release the update: ${release}.`
      : `${stop} Then release the update: ${release}.`;
  const { context } = clusters.cluster(workload.cluster) ?? {};
  const update = { workload, context, settings: settings.approval, changes: pending.changes, read };
  const approve = howToApprove(update, approvalRules);
  return { observe: leave, ...(approve === undefined ? {} : { "needs-approval": approve }) };
}

/** Returns the view of a desired image. */
export function wantsView(change: ImageChange): ImageView {
  const { name, to, imageName, tag, digest, policy, attributes, whatChanged } = change;
  return withoutUndefined<ImageView>({
    container: name,
    image: to,
    imageName,
    tag,
    digest,
    policy,
    attributes,
    whatChanged,
  });
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
