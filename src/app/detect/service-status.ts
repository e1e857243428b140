import { type Condition, statusWith, writtenConditions } from "#domain/definitions/conditions";
import { serviceAnnotation, serviceOf } from "#domain/definitions/service-annotations";
import type { Declared, DeclaredTier, DefinitionObject } from "#domain/definitions/definition";
import { imageNameOf } from "#domain/image/reference";
import { isObject } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import { declaredPlaceIn } from "#domain/tiers/declared-tiers";
import { memberOf } from "#domain/update/effects/tier";
import { currentImage, repositoryOf } from "#domain/update/decide/desired-image";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type LiveWorkload, workloadKey } from "#domain/workload/workload";
import { isEvaluatedWith } from "./policy-status.ts";
import { doingOf } from "../shared/member-doing.ts";

/** The workloads that may get their images by a ServiceImage. */
interface Asking {
  /** The records of all that ask for one. */
  readonly records: readonly WorkloadRecord[];
  /** Those of this ServiceImage that the sync listed. */
  readonly listed: readonly LiveWorkload[];
  /** All services of the cluster. */
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
  { records, listed, services }: Asking,
  now: EpochMs,
): object | undefined {
  const { fault, imageName, tiers } = declared;
  if (fault !== undefined || imageName === undefined || tiers === undefined) {
    const message = fault === undefined ? "" : `${fault.place} ${fault.message}`;
    return statusWith(object, notComplete(fault?.reason ?? "InvalidTiers", message), now, keptOf(object));
  }
  const own = services.filter(({ namespace }) => namespace === object.namespace);
  const members = records
    .filter(({ workload }) => workload.namespace === object.namespace)
    .filter(({ observed }) => serviceOf(observed, own)?.uid === declared.uid);
  const known = new Set(members.map(keyOf));
  const late = listed.filter((one) => !known.has(keyOf(one)));
  const evaluated = members.filter((record) => isEvaluatedWith(record, declared));
  const left = members.length - evaluated.length + late.length;
  if (left > 0) {
    const message = `${String(left)} of ${String(members.length + late.length)} workloads are not evaluated yet`;
    return statusWith(object, conditionsWith("Unknown", "Evaluating", message), now, keptOf(object));
  }
  const views = tiers.map((tier) => tierView(tier, imageName, members));
  const current = views.find(({ behind }) => behind.length > 0);
  const tierStatus = views.map((view) =>
    writtenTier(
      view,
      { image: `${imageName}:${view.tier.tag}`, current, before: earlierTier(object, view) },
      object,
      now,
    ),
  );
  return statusWith(object, conditionsOf(views, members.length, current), now, {
    currentPriority: current?.tier.priority ?? tiers.at(-1)?.priority ?? 0,
    tierStatus,
  });
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
  const failed = own.filter((record) => isRun && memberOf(record)?.mayFail === true && hasFailed(record, tier.tag));
  const aside = new Set([...suspended, ...failed]);
  const behind = own.filter((record) => !aside.has(record) && !runs(record, imageName, tier.tag));
  return { tier, members: own.length, behind, suspended: suspended.length, failed: failed.length };
}

/** Returns whether all containers of the service run a tag, and no update is open. */
function runs({ observed, active, pending }: WorkloadRecord, imageName: string, tag: string): boolean {
  if (active !== undefined || pending !== undefined) return false;
  const images = observed.containers.filter((container) => {
    const repository = container.list === "containers" ? repositoryOf(container) : undefined;
    return repository !== undefined && imageNameOf(repository) === imageName;
  });
  return images.length > 0 && images.every((container) => currentImage(container).tag === tag);
}

function conditionsOf(
  views: readonly TierOfService[],
  members: number,
  current: TierOfService | undefined,
): readonly Condition[] {
  if (members === 0) {
    const message = `no enabled workload of the namespace has ${serviceAnnotation} and this image`;
    return notComplete("NoWorkload", message);
  }
  const suspended = sum(views.map((view) => view.suspended));
  const failed = sum(views.map((view) => view.failed));
  const aside = [
    ...(suspended === 0 ? [] : [`; ${String(suspended)} suspended, with an image of their own`]),
    ...(failed === 0 ? [] : [`; ${String(failed)} failed, which halts nothing`]),
  ].join("");
  if (current === undefined) {
    const message = `${String(members - suspended - failed)} of ${String(members)} run the image${aside}`;
    return [
      { type: "Complete", status: "True", reason: "Complete", message },
      { type: "InProgress", status: "False", reason: "Complete", message },
      { type: "UpToDate", status: "True", reason: "UpToDate", message },
    ];
  }
  const left = sum(views.map(({ behind }) => behind.length));
  const [first] = current.behind;
  const isHalted = current.behind.some((record) => hasFailed(record, current.tier.tag));
  const does = first === undefined ? "" : `: ${workloadKey(first.workload)} ${doingOf(first).does}`;
  const message = `${String(left)} of ${String(members)} to update${aside}${does}`;
  const reason = isHalted ? "Halted" : "Updating";
  return [
    { type: "Complete", status: "False", reason, message },
    { type: "InProgress", status: isHalted ? "False" : "True", reason, message },
    { type: "UpToDate", status: "False", reason, message },
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Returns whether a tag failed on a workload, and did not move to an image that the workload gets now. */
function hasFailed({ blocked, active, pending }: WorkloadRecord, tag: string): boolean {
  return active === undefined && pending === undefined && blocked.some((image) => image.tag === tag);
}

function tierConditions({ behind, members }: TierOfService, isCurrent: boolean): readonly Condition[] {
  const [first] = behind;
  if (first === undefined) {
    const message = `${String(members)} of ${String(members)} run the image`;
    return [
      { type: "Complete", status: "True", reason: "Complete", message },
      { type: "InProgress", status: "False", reason: "Complete", message },
    ];
  }
  const message = `${workloadKey(first.workload)} ${doingOf(first).does}`;
  return [
    { type: "Complete", status: "False", reason: isCurrent ? "Updating" : "NotStarted", message },
    {
      type: "InProgress",
      status: isCurrent ? "True" : "False",
      reason: isCurrent ? "Updating" : "NotStarted",
      message,
    },
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
