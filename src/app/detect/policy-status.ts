import { apiTime, type Condition, conditionReason, statusWith } from "#domain/definitions/conditions";
import { faultIn, follows, isAbout } from "#domain/definitions/annotation-parts";
import { declaredAbout, ownAnnotationText, targetText, type Unapplied } from "#domain/definitions/declared-annotations";
import type { Declared, DefinitionObject } from "#domain/definitions/definition";
import { isObject } from "#domain/shared/json";
import { isBlockReason, type Reason, reasons } from "#domain/shared/reasons";
import type { EpochMs } from "#domain/shared/time";
import { currentImage } from "#domain/update/decide/desired-image";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { stateOf } from "../shared/workload-state.ts";

/** What is known about the target of an ImagePolicy. */
export interface PolicyTarget {
  /** Absent if the workload is not tracked. */
  readonly record?: WorkloadRecord;
  /** Why the policy does not apply. Absent if it applies, or nobody looked. */
  readonly unapplied?: Unapplied;
  /** What counts for the workload. Absent if only the record tells. */
  readonly definitions?: readonly Declared[];
  /** True if the cluster has no such workload. */
  readonly isGone?: true;
}

/**
 * Returns the new status of an ImagePolicy. Undefined if it stays as it is, also while the record does not follow its
 * spec yet: then the status is about the spec before.
 */
export function policyStatus(
  object: DefinitionObject,
  declared: Declared,
  target: PolicyTarget,
  now: EpochMs,
): object | undefined {
  const conditions = conditionsOf(declared, target);
  if (conditions === undefined) return undefined;
  const before = isObject(object.status) ? object.status : {};
  const lastAppliedTag = appliedTag(declared, target) ?? before["lastAppliedTag"];
  const status = statusWith(object, conditions, now, { lastAppliedTag });
  // A write for each check would make the object change all the time.
  return status && { ...status, lastCheckedTime: apiTime(now) };
}

function conditionsOf(
  declared: Declared,
  { record, unapplied, isGone, definitions }: PolicyTarget,
): readonly Condition[] | undefined {
  const { fault } = declared;
  if (fault !== undefined) return notReady(fault.reason, `${fault.place} ${fault.message}`);
  if (isGone === true) return notReady("TargetNotFound", `the namespace has no ${targetText(declared.target)}`);
  if (unapplied !== undefined) return notReady(unapplied.reason, unappliedText(declared, unapplied));
  if (record === undefined || !isEvaluatedWith(record, declared)) return undefined;
  const message = `gives the settings of ${workloadKey(record.workload)}`;
  const ready: Condition = { type: "Ready", status: "True", reason: "Applies", message };
  if (definitions === undefined || record.active !== undefined) return [ready, upToDate(record)];
  const closing = closingOf(record, definitions);
  if (closing !== undefined) return [ready, heldBy(closing)];
  // Until it is evaluated again, a record tells of a fault that is mended.
  return faultIn(record.observed.annotations) === undefined ? [ready, upToDate(record)] : undefined;
}

/** Returns what another definition says is wrong. A new one closes the workload before its evaluation. */
function closingOf({ workload, observed }: WorkloadRecord, definitions: readonly Declared[]): string | undefined {
  const target = { workload, annotations: {}, containers: observed.containers };
  return faultIn(declaredAbout(target, definitions).annotations);
}

function heldBy(message: string): Condition {
  return { type: "UpToDate", status: "False", reason: conditionReason("problem-in-settings"), message };
}

/** Returns whether a record was evaluated with the present version of a definition. */
export function isEvaluatedWith(
  { tracked, observed, needsEvaluation, active }: WorkloadRecord,
  definition: Declared,
): boolean {
  // An update under way is evaluated when it has ended.
  return tracked && follows(observed.annotations, definition) && (needsEvaluation !== true || active !== undefined);
}

function notReady(reason: string, message: string): readonly Condition[] {
  return [
    { type: "Ready", status: "False", reason, message },
    { type: "UpToDate", status: "False", reason, message: "the policy does not apply" },
  ];
}

function unappliedText(declared: Declared, unapplied: Unapplied): string {
  const { target, imageName } = declared;
  switch (unapplied.reason) {
    case "TargetHasAnnotations":
      return ownAnnotationText(declared, unapplied.key);
    case "NoContainer":
      return `${targetText(target)} has no container with an image of ${imageName ?? "its repository"}`;
    case "OlderPolicyApplies":
      return `the older ImagePolicy ${unapplied.by} is about container ${unapplied.container}: remove one of them`;
  }
}

function upToDate(record: WorkloadRecord): Condition {
  const { pending, active, selectionFailures } = record;
  const isBlocked = selectionFailures.some(({ reason }) => isBlockReason(reason));
  const state = stateOf(record, { isBroken: false, isBlocked, isUnchecked: false });
  if (state === "up-to-date")
    return { type: "UpToDate", status: "True", reason: "UpToDate", message: "runs the newest image" };
  const open = active ?? pending;
  const why = active === undefined ? (pending?.waits[0] ?? selectionFailures[0]) : undefined;
  const tags = open?.changes.map(({ tag }) => tag).join(", ");
  const message = [tags === undefined ? state : `${tags} is ${state}`, ...(why === undefined ? [] : [sentenceOf(why)])];
  return {
    ...{ type: "UpToDate", status: "False", message: message.join(". ") },
    reason: conditionReason(why?.reason ?? state),
  };
}

function sentenceOf({ reason, detail }: { readonly reason: Reason; readonly detail?: string }): string {
  return [reasons[reason].sentence, ...(detail === undefined ? [] : [detail])].join(" ");
}

/** Returns the tag that the matching container runs by an update that ended well. */
function appliedTag(declared: Declared, { record, unapplied }: PolicyTarget): string | undefined {
  if (record === undefined || unapplied !== undefined || record.active !== undefined) return undefined;
  if (!follows(record.observed.annotations, declared)) return undefined;
  const container = record.observed.containers.find((one) => isAbout(declared, one));
  return container && currentImage(container).tag;
}
