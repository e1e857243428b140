import * as z from "zod/mini";
import type { WhatChanged } from "#domain/image/comparison";
import type { ImageOrigin } from "#domain/image/origin";
import type { ReadApproval } from "#domain/approval/annotation";
import type { Binding } from "#domain/approval/binding";
import { type Proof, proofKinds } from "#domain/approval/people";
import type { RequestedApproval } from "#domain/approval/state";
import type { Vote, VoidedVote } from "#domain/approval/votes";
import type { WaitReason } from "#domain/shared/wait-reason";
import {
  type ApprovalChange,
  type Bake,
  type BlockedDigest,
  type BudgetChange,
  type Effects,
  type EndedUpdate,
  endings,
  type FailedUpdate,
  type Hold,
  type OvertakenUpdate,
  type PatchingUpdate,
  type Pause,
  type PendingUpdate,
  type Progress,
  type Progressing,
  type RejectedUpdate,
  type ReleasedUpdate,
  type Restart,
  type Retry,
  type Rollback,
  type RollingBackUpdate,
  type RollingOutUpdate,
  type Running,
  type SeenFault,
  type SelectionFailure,
  type SucceededUpdate,
  type Transition,
  type UpdateCore,
  type WorkloadRecord,
} from "#domain/update/state/workload";
import { type Action, actionNames } from "#domain/update/state/action";
import {
  type KeptImage,
  type LeftTags,
  type KnownImage,
  type Pass,
  passableGates,
  type RequestedVersion,
  type SkippedByPerson,
  type Suspension,
} from "#domain/workload/control";
import type { RestoredDigest } from "#domain/workload/appliers";
import type { RolloutWait } from "#domain/workload/health";
import type { HaltedImage, RanImage, TierChange, TierMember } from "#domain/tiers/member";
import type { BaseImageMove, SeenBaseImage } from "#domain/workload/base-image";
import { builtInKinds, type CustomKind, isWorkloadKind } from "#domain/workload/kinds";
import type { ContainerState, Observed, StoredAdvice } from "#domain/workload/observed";
import type { ImageChange, LabelChange, RollbackImage } from "#domain/workload/patch";
import type { NodeRequirement, NodeTerm, Placement, Toleration } from "#domain/workload/placement";
import { type LimitedDigest, limitReasons } from "#domain/workload/pull-limit";
import { pullPolicies } from "#domain/workload/pull-policy";
import type { RepositoryDigest } from "#domain/workload/repository-digest";
import { type FieldOwner, parseWorkloadKey, workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { KindForms } from "./kind.ts";
import {
  anyText,
  count,
  instant,
  list,
  maybe,
  type Members,
  name,
  number,
  reason,
  skipReason,
  text,
  textMap,
  texts,
  yes,
} from "./shape.ts";

/*
 * The shape of the record of a workload, with all states of an update. Whatever a record of this
 * shape says, Lookout decides about it without an exception.
 */

/** A kind of another operator. */
const customKind = z
  .string()
  .check(z.refine(isWorkloadKind, { error: "it is no kind of workload" })) as z.ZodMiniType<CustomKind>;

/** A workload whose names can be parsed from its key. */
const workload = z
  .object({
    cluster: name,
    namespace: name,
    kind: z.union([z.enum(builtInKinds), customKind]),
    name,
  } satisfies Members<WorkloadName>)
  .check(z.refine((name) => parseWorkloadKey(workloadKey(name)).ok, { error: "it has no key", abort: true }));

const fieldOwner = z.object({
  manager: anyText,
  operation: z.enum(["Apply", "Update"]),
} satisfies Members<FieldOwner>);

const containerList = z.enum(["containers", "initContainers", "volumes"]);

const advice = z.object({
  skipped: maybe(z.object({ count, reason: skipReason })),
  annotations: maybe(textMap),
} satisfies Members<StoredAdvice>);

const container = z.object({
  list: containerList,
  name: text,
  image: anyText,
  isUnset: maybe(yes),
  registry: maybe(anyText),
  pullPolicy: maybe(z.enum(pullPolicies)),
  digest: maybe(anyText),
  digests: maybe(list(anyText)),
  baseline: maybe(anyText),
  available: maybe(anyText),
  advice: maybe(advice),
  seenAt: maybe(instant),
  imageOwner: maybe(fieldOwner),
  applied: maybe(anyText),
  appliedBy: maybe(fieldOwner),
} satisfies Members<ContainerState>);

const nodeRequirement = z.object({
  key: anyText,
  operator: anyText,
  values: texts,
} satisfies Members<NodeRequirement>);

const placement = z.object({
  nodeName: maybe(anyText),
  nodeSelector: maybe(textMap),
  os: maybe(anyText),
  affinity: maybe(
    list(z.object({ labels: list(nodeRequirement), fields: list(nodeRequirement) } satisfies Members<NodeTerm>)),
  ),
  tolerations: maybe(
    list(
      z.object({
        key: maybe(anyText),
        operator: maybe(anyText),
        value: maybe(anyText),
        effect: maybe(anyText),
      } satisfies Members<Toleration>),
    ),
  ),
} satisfies Members<Placement>);

const observed = z.object({
  containers: list(container),
  annotations: textMap,
  sourceMarks: textMap,
  labels: maybe(textMap),
  updateLabel: maybe(anyText),
  restartedAt: maybe(anyText),
  controller: maybe(anyText),
  paused: maybe(yes),
  placement: maybe(placement),
} satisfies Members<Observed>);

const imageOrigin = z.object({
  source: maybe(anyText),
  revision: maybe(anyText),
  version: maybe(anyText),
} satisfies Members<ImageOrigin>);

/** The shape of the origins of a replaced and a new image. */
export const whatChanged = z.object({
  url: maybe(anyText),
  from: maybe(imageOrigin),
  to: imageOrigin,
} satisfies Members<WhatChanged>);

const change = z.object({
  list: containerList,
  name: text,
  imageName: text,
  tag: text,
  digest: anyText,
  platformDigests: maybe(texts),
  apply: z.enum(["pin", "tag", "restart"]),
  from: anyText,
  to: anyText,
  isFirst: maybe(yes),
  fromDigest: maybe(anyText),
  back: maybe(z.object({ tag: text, digest: anyText, to: anyText } satisfies Members<RollbackImage>)),
  policy: anyText,
  attributes: maybe(textMap),
  offers: maybe(texts),
  fromOffers: maybe(texts),
  whatChanged: maybe(whatChanged),
} satisfies Members<ImageChange>);

const changes = z.readonly(z.array(change).check(z.minLength(1)));

const voided = z.object({ voter: anyText, at: instant } satisfies Members<VoidedVote>);

const approval = z.object({
  askedAt: instant,
  until: maybe(instant),
  bindingHash: anyText,
  approvedBy: texts,
  expiredAt: maybe(instant),
  voided: maybe(list(voided)),
  ignored: maybe(anyText),
} satisfies Members<RequestedApproval>);

const byPerson = { by: anyText, why: anyText, at: instant } satisfies Members<Suspension>;

const requestedAs = z.enum(["set", "rollback"]);

const requested = z.object({ as: requestedAs, by: anyText, why: anyText } satisfies Members<RequestedVersion>);

const core = {
  seq: number,
  changes,
  detectedAt: instant,
  foundAt: maybe(instant),
  source: anyText,
  correlationId: maybe(anyText),
  selectedAt: instant,
  approval: maybe(approval),
  requested: maybe(requested),
} satisfies Members<UpdateCore>;

const pass = z.object({
  ...byPerson,
  gates: list(z.enum(passableGates)),
  digests: list(anyText),
} satisfies Members<Pass>);

const open = {
  ...core,
  timesDeadLettered: maybe(count),
  clusterFailures: maybe(count),
  passes: maybe(list(pass)),
};

/** The shape of the reason of a wait. */
export const wait = z.object({
  reason,
  until: maybe(instant),
  detail: maybe(anyText),
  member: maybe(z.object({ tier: text, workload: text })),
} satisfies Members<WaitReason>);

const pending = z.object({
  ...open,
  status: z.literal("held"),
  waits: z.readonly(z.array(wait).check(z.minLength(1))),
  queuedAt: maybe(instant),
  reselectAt: maybe(instant),
  observed: maybe(yes),
} satisfies Members<PendingUpdate>);

const restart = z.object({ from: maybe(anyText), to: text } satisfies Members<Restart>);
const releasedCore = { ...open, releasedAt: instant, slot: maybe(count) };
const forward = { ...releasedCore, reevaluate: maybe(yes) };
const labelChange = z.object({ from: textMap, to: textMap } satisfies Members<LabelChange>);
const patched = { ...releasedCore, restart: maybe(restart), attributeLabels: maybe(labelChange) };

const running = z.object({
  seenAt: instant,
  settlesAt: instant,
  since: instant,
  restarts: count,
  pods: count,
} satisfies Members<Running>);

const fault = z.object({ detail: anyText, ready: count, failsAt: maybe(instant) } satisfies Members<SeenFault>);

const bake = z.object({ since: instant, wait } satisfies Members<Bake>);

const waits = ["paused", "on-delete", "broken-pod", "next-job"] as const satisfies readonly RolloutWait[];

const progress = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("progressing"),
    deadlineAt: instant,
    fault: maybe(fault),
    wasLimited: maybe(yes),
  } satisfies Members<Progressing>),
  z.object({ kind: z.literal("waiting"), why: z.enum(waits), running: maybe(running) }),
  z.object({ kind: z.literal("running"), running, deadlineAt: maybe(instant), bake: maybe(bake) }),
]) satisfies z.ZodMiniType<Progress>;

const rollback = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("patching") }),
  z.object({ kind: z.literal("patched"), at: instant, deadlineAt: instant }),
]) satisfies z.ZodMiniType<Rollback>;

const active = z.discriminatedUnion("status", [
  z.object({ ...forward, status: z.literal("released") } satisfies Members<ReleasedUpdate>),
  z.object({ ...forward, ...patched, status: z.literal("patching") } satisfies Members<PatchingUpdate>),
  z.object({
    ...forward,
    ...patched,
    status: z.literal("rolling-out"),
    patchedAt: instant,
    progress,
  } satisfies Members<RollingOutUpdate>),
  z.object({
    ...patched,
    status: z.literal("rolling-back"),
    patchedAt: instant,
    failure: z.object({ at: instant, reason, detail: anyText }),
    rollback,
  } satisfies Members<RollingBackUpdate>),
]);

const endedCore = { ...core, endedAt: instant, restart: maybe(restart), runningSince: maybe(instant) };

const ended = z.discriminatedUnion("status", [
  z.object({
    ...endedCore,
    status: z.literal("succeeded"),
    patchedAt: instant,
    detail: anyText,
    isUnproved: maybe(yes),
  } satisfies Members<SucceededUpdate>),
  z.object({
    ...endedCore,
    status: z.enum(["rolled-back", "rollback-failed", "failed"]),
    patchedAt: instant,
    reason,
    detail: maybe(anyText),
  } satisfies Members<FailedUpdate>),
  z.object({
    ...endedCore,
    status: z.enum(["reverted", "superseded"]),
    reason,
    detail: maybe(anyText),
    patchedAt: maybe(instant),
  } satisfies Members<OvertakenUpdate>),
  z.object({
    ...core,
    status: z.literal("rejected"),
    endedAt: instant,
    reason,
    detail: maybe(anyText),
  } satisfies Members<RejectedUpdate>),
]) satisfies z.ZodMiniType<EndedUpdate>;

const ofDigest = { imageName: text, digest: anyText, tag: anyText };

const blocked = z.object({
  ...ofDigest,
  reason,
  by: maybe(anyText),
  seq: count,
  at: instant,
} satisfies Members<BlockedDigest>);

const restored = z.object({
  ...ofDigest,
  image: anyText,
  manager: anyText,
  at: instant,
  isDoubtful: z.boolean(),
} satisfies Members<RestoredDigest>);

const limited = z.object({
  ...ofDigest,
  reason: z.enum(limitReasons),
  times: number,
  until: instant,
} satisfies Members<LimitedDigest>);

const unreleased = z.object({ imageName: text, digest: anyText } satisfies Members<RepositoryDigest>);

const hold = z.object({
  reason: z.literal("reverted-by-user"),
  at: instant,
  seq: count,
  detail: anyText,
} satisfies Members<Hold>);

const knownImage = z.object({
  tag: maybe(anyText),
  digest: maybe(anyText),
  movedAt: maybe(instant),
} satisfies Members<KnownImage>);

const kept = z.object({
  ...byPerson,
  as: requestedAs,
  list: containerList,
  container: text,
  imageName: text,
  tag: text,
  digest: anyText,
  platforms: texts,
  pinned: maybe(yes),
  landed: maybe(yes),
  seq: count,
  newest: knownImage,
} satisfies Members<KeptImage>);

const left = z.object({
  ...byPerson,
  list: containerList,
  container: text,
  imageName: text,
  tags: texts,
  policy: text,
  newest: knownImage,
} satisfies Members<LeftTags>);

const skipped = z.object({
  ...byPerson,
  imageName: text,
  tag: anyText,
  until: maybe(instant),
} satisfies Members<SkippedByPerson>);

const selectionFailure = z.object({
  container: anyText,
  reason,
  detail: maybe(anyText),
  digest: maybe(anyText),
  until: maybe(instant),
} satisfies Members<SelectionFailure>);

const readApproval = z.object({ text: anyText, seq: count } satisfies Members<ReadApproval>);

const retry = z.object({
  failedEvaluations: maybe(count),
  pause: maybe(
    z.object({
      reason: z.enum(["internal-error", "cluster-unreachable"]),
      until: instant,
      detail: anyText,
    } satisfies Members<Pause>),
  ),
} satisfies Members<Retry>);

const approvalChange = z.object({
  what: z.enum(["requested", "given", "expired", "voided"]),
  people: texts,
} satisfies Members<ApprovalChange>);

/** The shape of the act of a person. */
export const action = z.object({
  what: z.enum(actionNames),
  by: anyText,
  why: maybe(anyText),
  provedBy: maybe(z.enum(proofKinds)),
} satisfies Members<Action>);

/** The shape of a transition. */
export const transition = z.object({
  seq: count,
  what: z.enum([
    ...["tracked", "observed", "untracked", "evidence-imported", "held", "released", "patching", "patched"],
    ...["running", "failing", "rolling-back", "still-waiting", "waiting", "approved", "unblocked"],
    ...["digests-unblocked", "suspended", "resumed", "version-kept", "tag-skipped", "base-image-moved", ...endings],
  ] as readonly Transition["what"][]),
  reasons: list(wait),
  detail: maybe(anyText),
  changes: list(change),
  baseImages: maybe(list(z.object({ image: text, from: text, digest: text } satisfies Members<BaseImageMove>))),
  detectedAt: maybe(instant),
  source: maybe(anyText),
  correlationId: maybe(anyText),
  approval: maybe(list(approvalChange)),
  selected: maybe(z.boolean()),
  action: maybe(action),
  again: maybe(yes),
} satisfies Members<Transition>);

const proof = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("iam"), arn: text }),
  z.object({ kind: z.literal("token"), name: maybe(anyText), id: maybe(anyText) }),
  z.object({ kind: z.literal("annotation"), by: anyText, image: anyText }),
]) satisfies z.ZodMiniType<Proof>;

const binding = z.object({
  uid: anyText,
  seq: number,
  images: list(z.object({ list: containerList, name: text, imageName: text, tag: text, digest: anyText })),
  policyHash: anyText,
} satisfies Members<Binding>);

/** The shape of a vote. */
export const vote = z.object({
  person: text,
  proof,
  decision: z.enum(["approve", "reject"]),
  binding,
  bindingHash: text,
  why: maybe(anyText),
  at: instant,
  requestId: maybe(anyText),
} satisfies Members<Vote>);

const budget = z.object({
  takes: maybe(count),
  frees: maybe(count),
  joins: maybe(instant),
  leaves: maybe(instant),
} satisfies Members<BudgetChange>);

const tierPlace = { group: text, tier: text };
const tierContainer = { list: containerList, name: text, imageName: text };

const ranImage = z.object({
  ...tierContainer,
  tag: text,
  digest: text,
  foundAt: instant,
  at: instant,
} satisfies Members<RanImage>);

/** The shape of a member of a tier. */
export const tierMember = z.object({
  ...tierPlace,
  workload,
  containers: list(z.object({ ...tierContainer, tag: maybe(anyText), digest: maybe(anyText) })),
  ran: list(ranImage),
  halted: list(
    z.object({
      imageName: text,
      tag: anyText,
      digest: anyText,
      reason,
      by: maybe(anyText),
      at: instant,
    } satisfies Members<HaltedImage>),
  ),
  suspended: maybe(yes),
  mayFail: maybe(yes),
  isUnreadable: maybe(yes),
  misplaced: maybe(anyText),
  leftAt: maybe(instant),
} satisfies Members<TierMember>);

const tierChange = z.object({
  puts: maybe(tierMember),
  leaves: maybe(tierMember),
} satisfies Members<TierChange>);

const effects = z.object({
  budget: maybe(budget),
  approvalWait: maybe(z.enum(["begins", "ends"])),
  tier: maybe(tierChange),
  vote: maybe(vote),
  dueAt: maybe(instant),
} satisfies Members<Effects>);

const seenBaseImage = z.object({
  image: text,
  digest: text,
  told: maybe(texts),
} satisfies Members<SeenBaseImage>);

/** The shape of the record of a workload. */
export const recordShape = z
  .object({
    workload,
    uid: anyText,
    seq: count,
    updates: maybe(count),
    observed,
    pending: maybe(pending),
    active: maybe(active),
    last: maybe(ended),
    landed: maybe(ended),
    blocked: list(blocked),
    hold: maybe(hold),
    suspension: maybe(z.object(byPerson)),
    kept: maybe(list(kept)),
    left: maybe(list(left)),
    skips: maybe(list(skipped)),
    restored: maybe(list(restored)),
    limited: maybe(list(limited)),
    unreleased: maybe(list(unreleased)),
    baseImages: maybe(list(seenBaseImage)),
    selectionFailures: list(selectionFailure),
    needsEvaluation: maybe(yes),
    tracked: z.boolean(),
    readApprovals: maybe(list(readApproval)),
    member: maybe(z.object({ ...tierPlace, misplaced: maybe(anyText) })),
    ran: maybe(list(ranImage)),
    version: number,
    cause: anyText,
    changedAt: instant,
    transitions: list(transition),
    effects,
    retry: maybe(retry),
  } satisfies Members<WorkloadRecord>)
  .check(
    z.refine(
      ({ seq, pending: held, active: open, last, landed }) =>
        [held, open, last, landed].every((update) => update === undefined || update.seq <= seq),
      { error: "an update has a higher number than the record", abort: true },
    ),
  );

/** The forms of the record of a workload. */
export const recordForms: KindForms<WorkloadRecord> = { form: 1, shape: recordShape };
