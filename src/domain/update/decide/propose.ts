import { type ApprovalCheck, checkApproval } from "./approval.ts";
import { markForReevaluation } from "./re-evaluation.ts";
import { waitsForSlotSince } from "../effects/budget.ts";
import { correlationOf } from "../state/correlation.ts";
import { askGates, closedGates, type GateFacts, type GateQuestion } from "../../gates/index.ts";
import { minAgeOf } from "../../gates/min-age.ts";
import { wakesAt } from "../effects/commands.ts";
import { isAway, isOfTier, retryOf } from "../../shared/reasons.ts";
import { type Decision, endingOf, inOrder, selectionFailureReasons, waitsOn } from "../state/changes.ts";
import type { RequestedVersion } from "../../workload/control.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import type { WorkloadSettings } from "../../settings/settings.ts";
import { earliest, type EpochMs, epochMs } from "../../shared/time.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import {
  type ActiveUpdate,
  openCoreOf,
  overtaken,
  type PendingUpdate,
  type ReleasedUpdate,
  type SelectionFailure,
  type Transition,
  type UpdateCore,
  type WorkloadRecord,
} from "../state/workload.ts";
import type { ImageChange } from "../../workload/patch.ts";
import { isSameDigest } from "../../workload/repository-digest.ts";
import type { ContainerState } from "../../workload/observed.ts";
import { currentImage, findBlocked, type DesiredImage } from "./desired-image.ts";
import { requestedFirst } from "./kept-image.ts";
import { remembering, unreleasedOf } from "./unreleased.ts";

/** The desired images of a workload, and the facts for its gates. */
export interface ProposalInputs {
  /** One per evaluated container. Other containers keep their pending images. */
  readonly desiredImages: readonly DesiredImage[];
  readonly settings: WorkloadSettings;
  readonly facts: GateFacts;
  /** The instant at which Lookout learned of the images. */
  readonly detectedAt: EpochMs;
  readonly source: string;
  /** The id of the push. Absent if there is no push. */
  readonly correlationId?: string;
  /** True if every tracked container was evaluated, by the settings and images of this record. */
  readonly allContainers: boolean;
}

/**
 * Decides on an update to the desired images. Returns undefined if nothing changes.
 *
 * One update has the newest image of each container. The update replaces the pending images of the
 * evaluated containers, and keeps the other pending images. The update is released immediately when
 * every gate is open.
 */
export function propose(record: WorkloadRecord, inputs: ProposalInputs, now: EpochMs): Decision | undefined {
  const evaluated = evaluatedParts(record, inputs);
  const { changes, requested } = requestedFirst(record, combinedChanges(record, inputs));
  const asked = { ...inputs, unconfirmed: unconfirmedWaits(record, inputs), requested };
  const reselection = reselectionOf(record, inputs, now);
  const proposed = record.pending && [record.pending.changes.map(withoutFrom), record.pending.requested];
  if (record.pending !== undefined && deepEqual(proposed, [changes.map(withoutFrom), requested])) {
    const { reselectAt: _, ...pending } = record.pending;
    const decided = recheckGates(record, { ...pending, changes, ...reselection }, evaluated, asked, now);
    return decided ?? storeEvaluated(record, evaluated);
  }
  if (changes.length > 0) return proposeNew(record, changes, evaluated, { ...asked, reselection }, now);
  if (record.pending === undefined) return storeEvaluated(record, evaluated);
  const why = { reason: whyNotWanted(record, record.pending, inputs.desiredImages) };
  const ended = overtaken(record.pending, "superseded", why, now);
  return { changes: { ...evaluated, pending: undefined, last: ended }, transitions: [endingOf(ended)] };
}

/** Returns a change without the running digest, which Lookout may learn after it proposed the change. */
function withoutFrom({ fromDigest: _, ...change }: ImageChange): Omit<ImageChange, "fromDigest"> {
  return change;
}

/**
 * Asks the gates of a held update again. Returns undefined if nothing changed.
 *
 * If the gates are still closed at the time of a planned check, a new version plans the next check.
 */
export function checkGates(
  record: WorkloadRecord,
  inputs: Pick<ProposalInputs, "settings" | "facts">,
  now: EpochMs,
): Decision | undefined {
  if (record.pending === undefined) return undefined;
  const decided = recheckGates(record, record.pending, {}, { ...inputs, allContainers: false }, now);
  const { vote, dueAt } = record.effects;
  const isOverdue = dueAt !== undefined && dueAt <= now;
  const isEarly = vote === undefined && !isOverdue && now < wakesAt(record.pending, record.changedAt);
  if (decided !== undefined || isEarly) return decided;
  return waitsOn(record.pending);
}

/**
 * Returns whether a workload's desired images differ from the images that are pending or rolling
 * out.
 */
export function wantsOtherImages(
  record: WorkloadRecord,
  inputs: Pick<ProposalInputs, "desiredImages" | "settings">,
): boolean {
  const images = (changes: readonly ImageChange[]) => changes.map(({ name, tag, digest }) => ({ name, tag, digest }));
  const { changes } = requestedFirst(record, combinedChanges(record, inputs));
  return !deepEqual(images(record.pending?.changes ?? []), images(changes));
}

/** Returns whether a registry that gave no answer has answered again. */
export function endsRegistryOutage(record: WorkloadRecord, desiredImages: readonly DesiredImage[]): boolean {
  const unanswered = record.selectionFailures.filter(isUnanswered);
  const answered = new Set(
    desiredImages
      .filter((desired) => desired.kind !== "failure" || !isUnanswered(desired.selectionFailure))
      .map(containerOf),
  );
  return unanswered.some(({ container }) => answered.has(container));
}

function isUnanswered({ reason }: SelectionFailure): boolean {
  return reason === "registry-not-allowed" || reason === "other-registry" || retryOf(reason) === "registry-outage";
}

function isAnswer(desired: DesiredImage): boolean {
  return desired.kind !== "failure" || retryOf(desired.selectionFailure.reason) !== "registry-outage";
}

/**
 * Returns the changes that gates may judge with these desired images: new, pending and active
 * changes.
 */
export function judgedChanges(record: WorkloadRecord, desiredImages: readonly DesiredImage[]): readonly ImageChange[] {
  const wanted = desiredImages.flatMap((desired) => (desired.kind === "change" ? [desired.change] : []));
  return [...wanted, ...(record.pending?.changes ?? []), ...(record.active?.changes ?? [])];
}

/** The next instant at which a preferred image is old enough. */
type Reselection = Pick<PendingUpdate, "reselectAt">;

/**
 * Returns the next instant at which a preferred image is old enough. An earlier instant stays for
 * the containers without an answer.
 */
function reselectionOf(
  { pending }: WorkloadRecord,
  { desiredImages, allContainers }: ProposalInputs,
  now: EpochMs,
): Reselection {
  const isComplete = allContainers && desiredImages.every(isAnswer);
  const stored =
    isComplete || pending?.reselectAt === undefined || pending.reselectAt <= now ? [] : [pending.reselectAt];
  const next = earliest([
    ...stored,
    ...desiredImages.flatMap(({ reselectAt }) => (reselectAt === undefined ? [] : [reselectAt])),
  ]);
  return next === undefined ? {} : { reselectAt: next };
}

/**
 * Returns a wait for each pending image that the registry does not confirm. Only the registry shows
 * that an image still exists after its minimum age.
 */
function unconfirmedWaits(
  { pending }: WorkloadRecord,
  { desiredImages, settings }: ProposalInputs,
): readonly WaitReason[] {
  if (minAgeOf(settings) === 0) return [];
  return desiredImages.flatMap((desired) => {
    if (desired.kind !== "failure" || isAnswer(desired)) return [];
    const { container, reason, detail } = desired.selectionFailure;
    if (pending?.changes.every(({ name }) => name !== container) !== false) return [];
    return [{ reason, ...(detail === undefined ? {} : { detail }) }];
  });
}

/**
 * Returns whether a policy must select again before an update of a workload with a minimum age is
 * released. The selected image may be gone, or a preferred image may be old enough.
 *
 * @param decision - the answer of the gates; undefined if nothing changed.
 */
export function needsReselection(
  record: WorkloadRecord,
  decision: Decision | undefined,
  settings: WorkloadSettings,
  now: EpochMs,
): boolean {
  const { pending, needsEvaluation, active } = record;
  if (pending === undefined || active !== undefined || needsEvaluation === true) return false;
  // A passed instant must go, even if the minimum age is gone: otherwise it wakes the update without end.
  if (pending.reselectAt !== undefined && pending.reselectAt <= now) return true;
  return minAgeOf(settings) > 0 && decision?.changes.active !== undefined;
}

/** The request of the person who named the images of a proposal. Undefined if the policies selected them. */
interface Requested {
  readonly requested: RequestedVersion | undefined;
}

type GateInputs = Pick<ProposalInputs, "settings" | "facts" | "allContainers"> & {
  /** The waits for a registry that did not confirm the images. */
  readonly unconfirmed?: readonly WaitReason[];
};

/** The parts of a record that an evaluation changes beside the update. */
interface EvaluatedParts {
  readonly observed?: WorkloadRecord["observed"];
  readonly selectionFailures?: readonly SelectionFailure[];
  readonly needsEvaluation?: undefined;
  readonly active?: ActiveUpdate;
}

/**
 * Returns the parts of the record that the evaluation changes beside the update. Empty if there are
 * none.
 */
function evaluatedParts(
  record: WorkloadRecord,
  { desiredImages, allContainers, settings }: ProposalInputs,
): EvaluatedParts {
  const evaluatedNames = new Set(desiredImages.map(containerOf));
  const selectionFailures = [
    ...record.selectionFailures.filter(
      ({ container }) => !evaluatedNames.has(container) && isTracked(settings, container),
    ),
    ...desiredImages.flatMap((desired) => (desired.kind === "failure" ? [desired.selectionFailure] : [])),
    ...desiredImages.flatMap((desired) => (desired.drift === undefined ? [] : [driftOf(desired, desired.drift)])),
  ].sort((left, right) => (left.container < right.container ? -1 : 1));
  const containers = record.observed.containers.map((container) =>
    withAdvice(withAvailable(withBaseline(container, desiredImages), desiredImages), desiredImages),
  );
  const marked = markForReevaluation(record.active, desiredImages);
  const unchanged = deepEqual([containers, selectionFailures], [record.observed.containers, record.selectionFailures]);
  const asked = allContainers && record.needsEvaluation === true;
  if (unchanged && !asked && marked === undefined) return {};
  return {
    observed: { ...record.observed, containers },
    selectionFailures,
    ...(asked ? { needsEvaluation: undefined } : {}),
    ...marked,
  };
}

/** Returns the reason of a container whose pods run different digests, also while an update realigns them. */
function driftOf(desired: DesiredImage, detail: string): SelectionFailure {
  return { container: containerOf(desired), reason: "digest-drift", detail };
}

function storeEvaluated(record: WorkloadRecord, evaluated: EvaluatedParts): Decision | undefined {
  if (evaluated.selectionFailures === undefined) return undefined;
  const again = staysThrottled(record, evaluated.selectionFailures)
    ? { retry: { failedEvaluations: (record.retry?.failedEvaluations ?? 0) + 1 } }
    : {};
  return {
    ...again,
    changes: evaluated,
    transitions: [
      { seq: 0, what: "observed", reasons: selectionFailureReasons(evaluated.selectionFailures), changes: [] },
    ],
  };
}

/**
 * Returns whether a registry still allows no requests. The end of its pause differs each time, so the
 * record changes, but the pause before the next retry must grow.
 */
function staysThrottled(
  { selectionFailures, needsEvaluation }: WorkloadRecord,
  failures: readonly SelectionFailure[],
): boolean {
  const isThrottled = ({ reason }: SelectionFailure): boolean => reason === "registry-throttled";
  return needsEvaluation !== true && selectionFailures.some(isThrottled) && failures.some(isThrottled);
}

function withBaseline(container: ContainerState, desiredImages: readonly DesiredImage[]): ContainerState {
  const desired = desiredImages.find(
    (candidate) => candidate.kind === "satisfied" && candidate.container === container.name,
  );
  const baseline = desired?.kind === "satisfied" ? desired.baseline : undefined;
  return baseline === undefined || container.baseline !== undefined ? container : { ...container, baseline };
}

/**
 * Returns a container with its available tag. A failed selection keeps the previous available tag.
 */
function withAvailable(container: ContainerState, desiredImages: readonly DesiredImage[]): ContainerState {
  const desired = desiredImages.find((candidate) => containerOf(candidate) === container.name);
  if (desired === undefined || desired.kind === "failure") return container;
  const { available: _, ...rest } = container;
  const { available } = desired.kind === "satisfied" ? desired : {};
  return available === undefined ? rest : { ...rest, available };
}

/** Returns a container with its advice. A selection without tags keeps the previous advice. */
function withAdvice(container: ContainerState, desiredImages: readonly DesiredImage[]): ContainerState {
  const desired = desiredImages.find((candidate) => containerOf(candidate) === container.name);
  if (desired?.advice === undefined) return container;
  const { advice: _, ...rest } = container;
  return desired.advice === "none" ? rest : { ...rest, advice: desired.advice };
}

/**
 * Returns whether the tag that a pinned container would get, the advice about skipped tags, or the
 * tag that waits for other containers differs from what is stored.
 */
export function showsOtherTags(record: WorkloadRecord, desiredImages: readonly DesiredImage[]): boolean {
  const { containers } = record.observed;
  const shown = containers.map((container) => withAdvice(withAvailable(container, desiredImages), desiredImages));
  const failures = desiredImages.flatMap((desired) => (desired.kind === "failure" ? [desired.selectionFailure] : []));
  return !deepEqual([containers, loneTags(record.selectionFailures)], [shown, loneTags(failures)]);
}

/** Returns the tags that wait for other containers, by container. */
function loneTags(failures: readonly SelectionFailure[]): readonly (readonly [string, string | undefined])[] {
  const lone = failures.filter(({ reason }) => reason === "no-common-tag");
  return lone.map(({ container, detail }) => [container, detail] as const).sort(([one], [two]) => (one < two ? -1 : 1));
}

/**
 * Returns the changes of an update. Without an answer from the registry, pending images stay,
 * unless the settings changed.
 */
function combinedChanges(
  record: WorkloadRecord,
  { desiredImages, settings }: Pick<ProposalInputs, "desiredImages" | "settings">,
): readonly ImageChange[] {
  const answered = desiredImages.filter((desired) => record.needsEvaluation === true || isAnswer(desired));
  const answeredNames = new Set(answered.map(containerOf));
  const kept = allowed(record, record.pending, settings).filter(
    ({ name }) => !answeredNames.has(name) && isTracked(settings, name),
  );
  const fresh = desiredImages.flatMap((desired) =>
    desired.kind === "change" && !isRollingOut(record.active, desired.change) ? [desired] : [],
  );
  const ready = settings.together ? undefined : withoutUnproven(record, { kept, fresh });
  return inOrder(record, ready ?? [...kept, ...fresh.map(({ change }) => change)]);
}

type Fresh = Extract<DesiredImage, { kind: "change" }>;

/**
 * Returns the changes that the earlier tiers ran, if there are any, without those that they did not run: a broken
 * sidecar would hold every image of its neighbours. Undefined if all changes stay together.
 */
function withoutUnproven(
  { pending }: WorkloadRecord,
  { kept, fresh }: { readonly kept: readonly ImageChange[]; readonly fresh: readonly Fresh[] },
): readonly ImageChange[] | undefined {
  const isPassed = pending?.passes?.some(({ gates }) => gates.includes("tier")) === true;
  const holds = pending?.waits.some(({ reason }) => isOfTier(reason)) === true;
  const isKeptProven = kept.length > 0 && !holds;
  if (isPassed || (!isKeptProven && fresh.every(({ foundAt }) => foundAt === undefined))) return undefined;
  return [...(holds ? [] : kept), ...fresh.filter((one) => one.isUnproven !== true).map(({ change }) => change)];
}

/**
 * Returns whether a container is tracked. A setting that can't be parsed untracks no container: it
 * closes the gates.
 */
function isTracked({ containers, problems }: WorkloadSettings, name: string): boolean {
  return containers[name] !== undefined || problems.some(({ closes }) => closes);
}

function containerOf(desired: DesiredImage): string {
  switch (desired.kind) {
    case "change":
      return desired.change.name;
    case "satisfied":
      return desired.container;
    case "failure":
      return desired.selectionFailure.container;
  }
}

/**
 * Returns whether an image is already rolling out, so that it is not proposed again. A rolled back
 * image has a blocked digest.
 */
function isRollingOut(active: ActiveUpdate | undefined, wanted: ImageChange): boolean {
  return (
    active?.changes.some(
      (change) => change.name === wanted.name && change.tag === wanted.tag && change.digest === wanted.digest,
    ) ?? false
  );
}

function whyNotWanted(
  record: WorkloadRecord,
  pending: PendingUpdate,
  desiredImages: readonly DesiredImage[],
): "already-runs" | "no-longer-wanted" | "version-requested" | "container-gone" {
  const { kept = [] } = record;
  const isKept = ({ list, name }: ImageChange): boolean =>
    kept.some((one) => one.list === list && one.container === name);
  if (pending.requested === undefined && pending.changes.some(isKept)) return "version-requested";
  if (lacksContainer(record, pending)) return "container-gone";
  const isSatisfied = (name: string): boolean =>
    desiredImages.some((desired) => desired.kind === "satisfied" && desired.container === name);
  const runs = ({ list, name, tag, digest }: ImageChange): boolean =>
    record.observed.containers.some(
      (one) =>
        one.list === list &&
        one.name === name &&
        currentImage(one).tag === tag &&
        (one.digest === undefined || one.digest === digest || one.baseline === digest),
    );
  const isThere = pending.changes.every((change) => isSatisfied(change.name) && runs(change));
  return isThere ? "already-runs" : "no-longer-wanted";
}

/** Returns whether a container of an update was renamed or removed. */
function lacksContainer({ observed: { containers } }: WorkloadRecord, { changes }: PendingUpdate): boolean {
  return changes.some(({ name }) => containers.every((one) => one.name !== name));
}

/** Returns why a new update takes the place of a pending one. */
function whySuperseded(
  record: WorkloadRecord,
  pending: PendingUpdate,
  { requested }: Requested,
): "version-requested" | "container-gone" | "superseded-by-a-newer-push" {
  if (requested !== undefined) return "version-requested";
  return lacksContainer(record, pending) ? "container-gone" : "superseded-by-a-newer-push";
}

function proposeNew(
  record: WorkloadRecord,
  changes: readonly ImageChange[],
  evaluated: EvaluatedParts,
  inputs: ProposalInputs & GateInputs & Requested & { readonly reselection: Reselection },
  now: EpochMs,
): Decision {
  const seq = record.seq + 1;
  const superseded =
    record.pending === undefined
      ? undefined
      : overtaken(
          record.pending,
          "superseded",
          {
            reason: whySuperseded(record, record.pending, inputs),
            detail: `update ${String(seq)}`,
          },
          now,
        );
  const { detectedAt, source, reselection, requested } = inputs;
  const byRequest = requested === undefined ? {} : { requested };
  const learned = { detectedAt, ...foundIn(changes, inputs), source, ...correlationOf(inputs) };
  const selected = { seq, changes, ...learned, selectedAt: now, ...byRequest };
  const check = checkApproval(record, selected, inputs, now);
  const found = { ...selected, ...approvalOf(check), ...observedIn(record, changes, inputs) };
  const waits = waitsOf(record, found, withVotes(inputs, check), now);
  const transition = { seq, reasons: waits, changes, ...approvalChanges(check), selected: true } as const;
  const before = superseded === undefined ? [] : [endingOf(superseded)];
  const { slot } = inputs.facts;
  const others = { ...evaluated, ...check.state, ...rememberedIn(record, changes, inputs), seq };
  // Without a slot, the gate of the budget has added a wait. A requested rollback needs no slot.
  if (waits.length > 0 || (slot === undefined && requested?.as !== "rollback"))
    return {
      changes: {
        ...others,
        pending: { ...found, status: "held", waits, ...placeInQueue(record), ...reselection },
      },
      transitions: [...before, { ...transition, what: "held" }],
      vote: check.vote,
    };
  return {
    changes: { ...others, pending: undefined, active: release({ ...found, ...reselection }, slot, inputs, now) },
    transitions: [...before, { ...transition, what: "released" }],
    vote: check.vote,
  };
}

/** Returns when Lookout learned of the last image of an update in an earlier tier, if it learned of all there. */
function foundIn(
  changes: readonly ImageChange[],
  { desiredImages, detectedAt }: ProposalInputs,
): Pick<UpdateCore, "foundAt"> {
  const instants = changes.map(({ name }) => {
    const desired = desiredImages.find((one) => containerOf(one) === name);
    return (desired?.kind === "change" ? desired.foundAt : undefined) ?? detectedAt;
  });
  const last = epochMs(Math.max(...instants));
  return last < detectedAt ? { foundAt: last } : {};
}

/**
 * Returns whether an update was observed: Lookout observes now, or the update has a digest
 * that was observed and not released.
 */
function observedIn(
  record: WorkloadRecord,
  changes: readonly ImageChange[],
  { facts: { observes } }: GateInputs,
): Pick<PendingUpdate, "observed"> {
  const earlier = unreleasedOf(record);
  const isObserved = observes !== undefined || changes.some((change) => earlier.some(isSameDigest(change)));
  return isObserved ? { observed: true } : {};
}

/** Returns the digests to remember as observed, if an evaluation finds others than before. */
function rememberedIn(record: WorkloadRecord, changes: readonly ImageChange[], { facts: { observes } }: GateInputs) {
  return remembering(record, observes === undefined ? [] : changes);
}

/**
 * Returns the place of the superseded update in the queue, so that frequent pushes don't delay a
 * workload.
 */
function placeInQueue(record: WorkloadRecord): Pick<PendingUpdate, "queuedAt"> {
  const since = waitsForSlotSince(record);
  return since === undefined ? {} : { queuedAt: since };
}

/**
 * Returns the pending changes without blocked digests: a digest may be blocked after its proposal.
 * Returns no change if containers that belong together would part.
 */
function allowed(
  { blocked }: WorkloadRecord,
  pending: PendingUpdate | undefined,
  { together }: WorkloadSettings,
): readonly ImageChange[] {
  const held = pending?.changes ?? [];
  const left = held.filter((change) => findBlocked(change, blocked) === undefined);
  return together && left.length < held.length ? [] : left;
}

function recheckGates(
  record: WorkloadRecord,
  held: PendingUpdate,
  evaluated: EvaluatedParts,
  inputs: GateInputs,
  now: EpochMs,
): Decision | undefined {
  const changes = allowed(record, held, inputs.settings);
  if (changes.length === 0) {
    const ended = overtaken(held, "superseded", { reason: "digest-blocked" }, now);
    return { changes: { ...evaluated, pending: undefined, last: ended }, transitions: [endingOf(ended)] };
  }
  const check = checkApproval(record, { ...held, changes }, inputs, now);
  const pending = { ...held, changes, ...approvalOf(check), ...observedIn(record, changes, inputs) };
  const waits = [
    ...remainingPauses(pending, record.changedAt, inputs.facts, now),
    ...waitsOf(record, pending, withVotes(inputs, check), now),
  ];
  const { slot } = inputs.facts;
  const transition = {
    seq: pending.seq,
    reasons: waits,
    changes: pending.changes,
    ...approvalChanges(check),
  } satisfies Omit<Transition, "what">;
  const remembered = rememberedIn(record, changes, inputs);
  const others = { ...evaluated, ...check.state, ...remembered };
  if (waits.length === 0 && (slot !== undefined || pending.requested?.as === "rollback"))
    return {
      changes: { ...others, pending: undefined, active: release(pending, slot, inputs, now) },
      transitions: [{ ...transition, what: "released" }],
      vote: check.vote,
    };
  if (remembered.unreleased === undefined && deepEqual({ ...pending, waits }, record.pending)) return undefined;
  return {
    changes: { ...others, pending: { ...pending, waits } },
    transitions: [{ ...transition, what: "held" }],
    vote: check.vote,
  };
}

/**
 * Returns the pauses after failed patches that have not ended. Other waits are not returned,
 * because the gates are asked again.
 *
 * A pause for an unreachable cluster ends when the cluster answers.
 *
 * @param since - the instant at which the pause was stored.
 */
function remainingPauses(
  pending: PendingUpdate,
  since: EpochMs,
  { away, answeredAt }: GateFacts,
  now: EpochMs,
): PendingUpdate["waits"] {
  const asked = away !== undefined || (answeredAt !== undefined && answeredAt > since);
  return pending.waits.filter(
    ({ reason, until }) =>
      until !== undefined && until > now && (retryOf(reason) === "pause" || (isAway(reason) && !asked)),
  );
}

function waitsOf(
  record: WorkloadRecord,
  update: GatedParts,
  { settings, facts, allContainers, unconfirmed = [] }: GateInputs,
  now: EpochMs,
): PendingUpdate["waits"] {
  const { changes, requested } = update;
  const quarantined = facts.quarantined.filter((one) => changes.some(({ digest }) => digest === one.digest));
  const closed = closedGates(
    askGates({ now, record, settings, ...gatedPartsOf(update), facts: { ...facts, quarantined } }),
  );
  // Neither new settings nor a registry stop a rollback.
  if (requested?.as === "rollback") return closed;
  const outdated: PendingUpdate["waits"] =
    record.needsEvaluation === true && !allContainers ? [{ reason: "settings-changed" }] : [];
  return [...outdated, ...unconfirmed, ...closed];
}

type GatedParts = Pick<PendingUpdate, "seq" | "changes" | "approval" | "observed" | "requested" | "passes">;

/** Returns the parts of an open update that its gates read. */
export function gatedPartsOf(update: GatedParts): Omit<GateQuestion, "now" | "record" | "settings" | "facts"> {
  const { seq, changes, approval, observed, requested, passes } = update;
  return { seq, changes, approval, observed, requested, passes };
}

function approvalOf({ approval }: ApprovalCheck): Pick<UpdateCore, "approval"> {
  return approval === undefined ? {} : { approval };
}

/** Adds the votes of a check: an approval annotation counts immediately. */
function withVotes(inputs: GateInputs, { votes }: ApprovalCheck): GateInputs {
  return { ...inputs, facts: { ...inputs.facts, votes } };
}

function approvalChanges({ changes }: ApprovalCheck): Pick<Transition, "approval"> {
  return changes.length === 0 ? {} : { approval: changes };
}

function release(
  update: UpdateCore & Reselection,
  slot: number | undefined,
  { facts: { tier } }: GateInputs,
  now: EpochMs,
): ReleasedUpdate {
  // A higher image may wait for an earlier tier.
  const isBehind = update.reselectAt !== undefined || tier.kind === "after";
  const reevaluate = isBehind ? ({ reevaluate: true } as const) : {};
  const held = slot === undefined ? {} : { slot };
  return { ...openCoreOf(update), status: "released", releasedAt: now, ...held, ...reevaluate };
}
