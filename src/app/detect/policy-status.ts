import { annotationPrefix } from "#domain/annotations/written-settings";
import { apiTime, type Condition, conditionReason, statusWith } from "#domain/definitions/conditions";
import { declaredAbout, nameOf, type Unapplied } from "#domain/definitions/declared-annotations";
import { declaredBySetting } from "#domain/definitions/declared-settings";
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
  /** True if the cluster has no such workload. */
  readonly isGone?: true;
}

/**
 * Returns the new status of an ImagePolicy. Undefined if it stays as it is, also while the records do not follow its
 * spec yet: then the status is about the spec before.
 *
 * `all` are the definitions of the same target.
 */
export function policyStatus(
  object: DefinitionObject,
  declared: Declared,
  { target, all, now }: { readonly target: PolicyTarget; readonly all: readonly Declared[]; readonly now: EpochMs },
): object | undefined {
  const conditions = conditionsOf(declared, target, all);
  if (conditions === undefined) return undefined;
  const before = isObject(object.status) ? object.status : {};
  const lastAppliedTag = appliedTag(declared, target) ?? before["lastAppliedTag"];
  const status = statusWith(object, conditions, now, { lastAppliedTag });
  // A write for each check would make the object change all the time.
  return status && { ...status, lastCheckedTime: apiTime(now) };
}

function conditionsOf(
  declared: Declared,
  { record, unapplied, isGone }: PolicyTarget,
  all: readonly Declared[],
): readonly Condition[] | undefined {
  const { fault } = declared;
  if (fault !== undefined) return notReady(fault.reason, `${fault.place} ${fault.message}`);
  if (isGone === true) return notReady("TargetNotFound", `the namespace has no ${targetText(declared)}`);
  if (unapplied !== undefined) return notReady(unapplied.reason, unappliedText(declared, unapplied));
  if (record === undefined || !isFollowed(record, all)) return undefined;
  const message = `gives the settings of ${workloadKey(record.workload)}`;
  return [{ type: "Ready", status: "True", reason: "Applies", message }, upToDate(record)];
}

function notReady(reason: string, message: string): readonly Condition[] {
  return [
    { type: "Ready", status: "False", reason, message },
    { type: "UpToDate", status: "False", reason, message: "the policy does not apply" },
  ];
}

function targetText({ target }: Declared): string {
  return target === undefined ? "target" : `${target.kind} ${target.name}`;
}

function unappliedText(declared: Declared, unapplied: Unapplied): string {
  switch (unapplied.reason) {
    case "TargetHasAnnotations":
      return `${targetText(declared)} has lookout.dev/enabled itself: remove the annotation, or this policy`;
    case "NoContainer":
      return `${targetText(declared)} has no container with an image of ${declared.imageName ?? "its repository"}`;
    case "OlderPolicyApplies":
      return `the older ImagePolicy ${unapplied.by} is about container ${unapplied.container}: remove one of them`;
  }
}

/** Returns whether a record was evaluated with the present definitions. */
function isFollowed(record: WorkloadRecord, all: readonly Declared[]): boolean {
  const { observed, workload, tracked, needsEvaluation } = record;
  if (!tracked || needsEvaluation === true) return false;
  if (observed.annotations[`${annotationPrefix}${declaredBySetting}`] === undefined) return false;
  // Which of the annotations are its own shows from the definitions alone.
  const { annotations } = declaredAbout({ workload, annotations: {}, containers: observed.containers }, all);
  return (
    Object.keys(annotations).every((key) => observed.annotations[key] !== undefined) &&
    Object.entries(annotations)
      .filter(([key]) => key.includes("/container.") || key.endsWith(declaredBySetting))
      .every(([key, value]) => observed.annotations[key] === value)
  );
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
function appliedTag({ imageName, name, kind }: Declared, { record, unapplied }: PolicyTarget): string | undefined {
  if (record === undefined || unapplied !== undefined || record.active !== undefined) return undefined;
  const by = record.observed.annotations[`${annotationPrefix}${declaredBySetting}`]?.split(", ") ?? [];
  if (!by.includes(nameOf({ kind, name }))) return undefined;
  const container = record.observed.containers.find(({ image }) => image.startsWith(`${imageName ?? ""}:`));
  return container && currentImage(container).tag;
}
