import { type Condition, conditionReason, statusWith, writtenConditions } from "#domain/definitions/conditions";
import { isAbout } from "#domain/definitions/annotation-parts";
import { serviceAnnotation, serviceOf } from "#domain/definitions/service-annotations";
import type { Declared, DeclaredTier, DefinitionObject } from "#domain/definitions/definition";
import type { ImageName } from "#domain/image/reference";
import { isObject } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import { type Reason, reasons, retryOf } from "#domain/shared/reasons";
import type { RanImage } from "#domain/tiers/member";
import { runsDeclared } from "#domain/tiers/proof";
import { declaredPlaceIn } from "#domain/tiers/declared-tiers";
import { findBlocked } from "#domain/update/decide/desired-image";
import { memberOf } from "#domain/update/effects/tier";
import type { BlockedDigest, SelectionFailure, WorkloadRecord } from "#domain/update/state/workload";
import type { KeptImage } from "#domain/workload/control";
import { blockCause, blockReasonOf } from "#domain/workload/block-reason";
import { type LiveWorkload, workloadKey } from "#domain/workload/workload";
import { isEvaluatedWith } from "./policy-status.ts";
import { doingOf } from "../shared/member-doing.ts";

/** The workloads of a namespace that may get their images by a ServiceImage. */
interface Asking {
  /** The records of all that ask for one. */
  readonly records: readonly WorkloadRecord[];
  /** The number of records that can't be read, and may be of such workloads. */
  readonly unreadable: number;
  /** Those of this ServiceImage that the sync listed. */
  readonly listed: readonly LiveWorkload[];
  /** All services of the namespace. */
  readonly services: readonly Declared[];
}

/**
 * Returns the new status of a ServiceImage. Undefined if it stays as it is.
 *
 * A workload that appears later, or moves between tiers, returns its tier to pending. A suspended one is counted, and
 * not waited for.
 */
export function serviceStatus(
  object: DefinitionObject,
  declared: Declared,
  asking: Asking,
  now: EpochMs,
): object | undefined {
  const { fault, imageName, tiers } = declared;
  const keep = (conditions: readonly Condition[]) => statusWith(object, conditions, now, keptOf(object));
  if (fault !== undefined || imageName === undefined || tiers === undefined) {
    const message = fault === undefined ? "" : `${fault.place} ${fault.message}`;
    return keep(notComplete(fault?.reason ?? "InvalidTiers", message));
  }
  const members = asking.records.filter(({ observed }) => serviceOf(observed, asking.services)?.uid === declared.uid);
  const unevaluated = whyUnevaluated(declared, members, asking);
  if (unevaluated !== undefined) return keep(conditionsWith("Unknown", "Evaluating", unevaluated));
  if (members.length === 0) return keep(notComplete("NoWorkload", whyNone(declared, asking.records, asking.services)));
  return statusOfTiers(object, { imageName, tiers }, members, now);
}

function statusOfTiers(
  object: DefinitionObject,
  { imageName, tiers }: { readonly imageName: string; readonly tiers: readonly DeclaredTier[] },
  members: readonly WorkloadRecord[],
  now: EpochMs,
): object | undefined {
  const views = tiers.map((tier) => tierView(tier, imageName, members));
  const current = views.find(({ behind }) => behind.length > 0);
  const outside = members.length - sum(views.map((view) => view.members));
  const tierStatus = views.map((view) =>
    writtenTier(
      view,
      { image: `${imageName}:${view.tier.tag}`, current, before: earlierTier(object, view) },
      object,
      now,
    ),
  );
  return statusWith(object, conditionsOf(views, { members: members.length, outside }, current), now, {
    currentPriority: current?.tier.priority ?? tiers.at(-1)?.priority ?? 0,
    tierStatus,
  });
}

/** Returns why not all workloads of a service are known and evaluated. Undefined if they are. */
function whyUnevaluated(
  declared: Declared,
  members: readonly WorkloadRecord[],
  { unreadable, listed, services }: Asking,
): string | undefined {
  const known = new Set(members.map(keyOf));
  const late = listed.filter((one) => !known.has(keyOf(one)));
  const evaluated = members.filter((record) => isEvaluatedWith(record, declared));
  const all = members.length + late.length + unreadable;
  const left = all - evaluated.length;
  if (left > 0) return `${String(left)} of ${String(all)} workloads are not evaluated yet`;
  // Until a complete list shows all workloads as their records have them, some may be missing here.
  const isPlaced = all === 0 || services.find(({ uid }) => uid === declared.uid)?.isPlaced === true;
  return isPlaced ? undefined : "its workloads are listed";
}

function whyNone(declared: Declared, records: readonly WorkloadRecord[], services: readonly Declared[]): string {
  const [taken] = records.filter(({ observed }) =>
    observed.containers.some((container) => isAbout(declared, container)),
  );
  const older = taken && serviceOf(taken.observed, services);
  return older === undefined
    ? `no enabled workload of the namespace has ${serviceAnnotation} and this image`
    : `the older ServiceImage ${older.name} has the workloads with this image: remove one of the two`;
}

function keyOf({ workload, uid }: Pick<LiveWorkload, "workload" | "uid">): string {
  return `${workloadKey(workload)} ${uid}`;
}

function earlierTier({ status }: DefinitionObject, { tier }: TierOfService): Readonly<Record<string, unknown>> {
  const all = isObject(status) && Array.isArray(status["tierStatus"]) ? status["tierStatus"].filter(isObject) : [];
  return all.find((one) => one["upgradeTier"] === tier.upgradeTier) ?? {};
}

function writtenTier(
  view: TierOfService,
  {
    image,
    current,
    before,
  }: {
    readonly image: string;
    readonly current: TierOfService | undefined;
    readonly before: Readonly<Record<string, unknown>>;
  },
  { generation }: DefinitionObject,
  now: EpochMs,
) {
  const conditions = tierConditions(view, view.tier.priority === current?.tier.priority);
  return {
    upgradeTier: view.tier.upgradeTier,
    // Until the tier is through, new workloads are expected to begin with the image before.
    newDeploymentImage: view.behind.length === 0 ? image : (before["newDeploymentImage"] ?? image),
    conditions: writtenConditions(conditions, before["conditions"], generation, now),
  };
}

interface TierOfService {
  readonly tier: DeclaredTier;
  readonly suspended: number;
  /** The number of members on which the image failed, although it halts nothing. */
  readonly failed: number;
  /** The members that count, and do not run the image of the tier. */
  readonly behind: readonly WorkloadRecord[];
  readonly members: number;
}

function tierView(tier: DeclaredTier, imageName: string, records: readonly WorkloadRecord[]): TierOfService {
  const own = records.filter(({ observed }) => declaredPlaceIn(observed.annotations)?.upgradeTier === tier.upgradeTier);
  const isRun = own.some((record) => runs(record, imageName, tier.tag));
  const suspended = own.filter((record) => memberOf(record)?.suspended === true);
  // As the gate, a failure that halts nothing needs another member that runs the image.
  const failed = own.filter((record) => isRun && memberOf(record)?.mayFail === true && isRefused(record, tier.tag));
  const aside = new Set([...suspended, ...failed]);
  const behind = own.filter((record) => !aside.has(record) && !runs(record, imageName, tier.tag));
  return { tier, members: own.length, behind, suspended: suspended.length, failed: failed.length };
}

/** Returns whether a workload ran a tag well in all containers of the service, and no update is open or failed since. */
function runs(record: WorkloadRecord, imageName: string, tag: string): boolean {
  if (record.active !== undefined || record.pending !== undefined || isRefused(record, tag)) return false;
  const kept = keptBeside(record, tag);
  // A request that failed keeps nothing away.
  if (kept !== undefined && findBlocked(kept, record.blocked) === undefined) return false;
  const failure = failureIn(record, tag);
  if (failure !== undefined && !saysNothing(failure)) return false;
  const member = memberOf(record);
  return member !== undefined && runsDeclared(member, { imageName, tag });
}

/** Returns whether a workload refuses the last image of a tag. */
function isRefused(record: WorkloadRecord, tag: string): boolean {
  return refusedIn(record, tag) !== undefined;
}

/**
 * Returns the last image of a tag if it failed on a workload, or a person replaced it there, and nothing tries it again.
 */
function refusedIn(record: WorkloadRecord, tag: string): BlockedDigest | undefined {
  const { blocked, ran = [], active, pending } = record;
  if (active !== undefined || pending !== undefined) return undefined;
  const imageName = imageNameOfService(record);
  const wanted = blockedBy(failureIn(record, tag), record);
  if (wanted !== undefined) return wanted;
  const ofTag = (image: Pick<RanImage, "imageName" | "tag">) => image.imageName === imageName && image.tag === tag;
  const ranAt = Math.max(...ran.filter(ofTag).map(({ at }) => at));
  return blocked.findLast((image) => ofTag(image) && image.at > ranAt);
}

/** The state of the tier that gets its image now. */
interface Progress {
  readonly reason: string;
  readonly message: string;
  /** False if nothing goes on before a person does something. */
  readonly isInProgress: boolean;
}

/** Returns what the current tier waits for. */
function progressOf({ behind, tier }: TierOfService): Progress {
  const stuck = behind.flatMap((record) => stuckOf(record, tier.tag) ?? []);
  const halted = stuck.find(({ reason }) => reason === "Halted");
  if (halted !== undefined) return { ...halted, isInProgress: false };
  const [first] = stuck;
  if (first !== undefined && stuck.length === behind.length) return { ...first, isInProgress: false };
  const [moving] = behind.filter((record) => stuckOf(record, tier.tag) === undefined);
  const message = moving === undefined ? "" : `${workloadKey(moving.workload)} ${doesOf(moving, tier.tag)}`;
  return { reason: "Updating", message, isInProgress: true };
}

/** Returns the progress of a tier, and of those with its priority: the halt of one, else what still goes on. */
function progressBeside(current: TierOfService, views: readonly TierOfService[]): Progress {
  const isBeside = ({ tier, behind }: TierOfService) => tier.priority === current.tier.priority && behind.length > 0;
  const all = views.filter(isBeside).map(progressOf);
  return (
    all.find(({ reason }) => reason === "Halted") ?? all.find(({ isInProgress }) => isInProgress) ?? progressOf(current)
  );
}

/** Returns why a workload gets its image only when a person does something. Undefined if it may get it. */
function stuckOf(record: WorkloadRecord, tag: string): Pick<Progress, "reason" | "message"> | undefined {
  const { workload, hold, active, pending } = record;
  const key = workloadKey(workload);
  const refused = refusedIn(record, tag);
  if (refused !== undefined) {
    const what = blockReasonOf(refused) === "digest-blocked" ? "failed" : `was ${blockCause(refused)}`;
    return { reason: "Halted", message: `${tag} ${what} on ${key}: write another tag, or lookout unblock ${key}` };
  }
  if (active !== undefined) return undefined;
  if (hold !== undefined) return { reason: "Held", message: `${key} ${doingOf(record).does}: lookout explain ${key}` };
  if (pending !== undefined) return waitsForPerson(record);
  const kept = keptBeside(record, tag);
  if (kept !== undefined) {
    const did = kept.as === "set" ? "set" : "rolled back";
    return { reason: "Held", message: `${key} was ${did} to ${kept.tag} by ${kept.by}: lookout resume ${key}` };
  }
  const failure = failureIn(record, tag);
  if (failure === undefined) return undefined;
  const message = `${key} does not get ${tag}: ${reasons[failure.reason].short}`;
  return { reason: conditionReason(failure.reason), message };
}

/** The reasons of waits that end only when a person does something. */
const waitsForPeople: ReadonlySet<Reason> = new Set([
  ...["suspended", "suspended-by-person", "frozen", "quarantined", "observe", "lower-version", "workload-paused"],
  ...["problem-in-settings", "declared-source-owns-the-image", "owned-by-a-controller", "reverted-by-user"],
  ...["needs-approval", "approval-expired", "approval-rejected", "approval-asked-again", "approval-needs-a-digest"],
  ...["tier-halted", "tier-unknown", "check-unknown"],
] as const satisfies readonly Reason[]);

/** Returns what an update waits for, if a person must end it. */
function waitsForPerson(record: WorkloadRecord): Pick<Progress, "reason" | "message"> | undefined {
  const wait = record.pending?.waits.find(({ reason }) => waitsForPeople.has(reason));
  if (wait === undefined) return undefined;
  const key = workloadKey(record.workload);
  const reason = wait.reason === "tier-halted" ? "Halted" : conditionReason(wait.reason);
  return { reason, message: `${key} ${doingOf(record).does}: lookout explain ${key}` };
}

/** Returns whether a failure leaves open which image the tag names now: the workload may run it. */
function saysNothing({ reason }: SelectionFailure): boolean {
  return retryOf(reason) === "registry-outage" || missing.has(reason);
}

const missing: ReadonlySet<Reason> = new Set([
  ...["no-tag-fits", "tag-not-found", "repository-not-found", "registry-not-allowed", "other-registry"],
] as const satisfies readonly Reason[]);

/** Returns why a workload does not take the image that a tag of its ServiceImage names now. Undefined without a reason. */
function failureIn(record: WorkloadRecord, tag: string): SelectionFailure | undefined {
  const { observed, selectionFailures } = record;
  const imageName = imageNameOfService(record);
  const own = observed.containers.filter((container) => imageName !== undefined && isAbout({ imageName }, container));
  const kept = keptBeside(record, tag);
  return selectionFailures.find(({ container, digest }) => {
    const isOfRequest = kept !== undefined && digest === kept.digest;
    return !isOfRequest && own.some(({ name }) => name === container);
  });
}

/** Returns the blocked image that a failure is about. Undefined for another failure. */
function blockedBy(failure: SelectionFailure | undefined, record: WorkloadRecord): BlockedDigest | undefined {
  const imageName = imageNameOfService(record);
  const digest = failure?.digest;
  return imageName === undefined || digest === undefined
    ? undefined
    : findBlocked({ imageName, digest }, record.blocked);
}

/** Returns the repository of a workload's ServiceImage. Undefined without one. */
function imageNameOfService({ observed }: WorkloadRecord): ImageName | undefined {
  return declaredPlaceIn(observed.annotations)?.imageName;
}

/** Returns the image that a workload keeps for a person, beside the one that a tag names. */
function keptBeside(record: WorkloadRecord, tag: string): KeptImage | undefined {
  const imageName = imageNameOfService(record);
  const isBefore = ({ digest, newest }: KeptImage) => newest.tag === tag && newest.digest !== digest;
  return record.kept?.find((image) => image.imageName === imageName && (image.tag !== tag || isBefore(image)));
}

function doesOf(record: WorkloadRecord, tag: string): string {
  const { does } = doingOf(record);
  return does === `runs ${tag}` || does.startsWith(`runs ${tag},`)
    ? `runs ${tag}, and its pods were not seen ready yet`
    : does;
}

function conditionsOf(
  views: readonly TierOfService[],
  { members, outside }: { readonly members: number; readonly outside: number },
  current: TierOfService | undefined,
): readonly Condition[] {
  const suspended = sum(views.map((view) => view.suspended));
  const failed = sum(views.map((view) => view.failed));
  const aside = [
    ...(suspended === 0 ? [] : [`; ${String(suspended)} suspended`]),
    ...(failed === 0 ? [] : [`; ${String(failed)} failed, which halts nothing`]),
    ...(outside === 0 ? [] : [`; ${String(outside)} in no tier, and not updated`]),
  ].join("");
  if (current === undefined) {
    const message = `${String(members - suspended - failed - outside)} of ${String(members)} run the image${aside}`;
    if (members === outside) return notComplete("NoWorkload", message);
    return [
      { type: "Complete", status: "True", reason: "Complete", message },
      { type: "InProgress", status: "False", reason: "Complete", message },
      { type: "UpToDate", status: "True", reason: "UpToDate", message },
    ];
  }
  const left = sum(views.map(({ behind }) => behind.length));
  const { reason, message: why, isInProgress } = progressBeside(current, views);
  const message = `${String(left)} of ${String(members)} to update${aside}: ${why}`;
  return [
    { type: "Complete", status: "False", reason, message },
    { type: "InProgress", status: isInProgress ? "True" : "False", reason, message },
    { type: "UpToDate", status: "False", reason, message },
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function tierConditions(view: TierOfService, isCurrent: boolean): readonly Condition[] {
  const { behind, members } = view;
  if (behind.length === 0) {
    const message = `${String(members)} of ${String(members)} run the image`;
    return [
      { type: "Complete", status: "True", reason: "Complete", message },
      { type: "InProgress", status: "False", reason: "Complete", message },
    ];
  }
  const { reason, message, isInProgress } = isCurrent
    ? progressOf(view)
    : { reason: "NotStarted", message: "waits for the tiers of a higher priority", isInProgress: false };
  return [
    { type: "Complete", status: "False", reason, message },
    { type: "InProgress", status: isInProgress ? "True" : "False", reason, message },
  ];
}

function notComplete(reason: string, message: string): readonly Condition[] {
  return conditionsWith("False", reason, message);
}

function conditionsWith(status: Condition["status"], reason: string, message: string): readonly Condition[] {
  return ["Complete", "InProgress", "UpToDate"].map((type) => ({ type, status, reason, message }));
}

/** Returns the members of a status that stay while the spec is wrong. */
function keptOf({ status }: DefinitionObject): Readonly<Record<string, unknown>> {
  const { currentPriority, tierStatus } = isObject(status) ? status : {};
  return { currentPriority, tierStatus };
}
