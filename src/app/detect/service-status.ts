import { type Condition, statusWith, writtenConditions } from "#domain/definitions/conditions";
import { groupOfService } from "#domain/definitions/declared-annotations";
import type { Declared, DeclaredTier, DefinitionObject } from "#domain/definitions/definition";
import { imageNameOf } from "#domain/image/reference";
import { isObject } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import { declaredPlaceIn } from "#domain/tiers/declared-tiers";
import { memberOf } from "#domain/update/effects/tier";
import { currentImage, repositoryOf } from "#domain/update/decide/desired-image";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { doingOf } from "../shared/member-doing.ts";

/**
 * Returns the new status of a ServiceImage. Undefined if it stays as it is.
 *
 * A workload that appears later, or moves between tiers, returns its tier to pending. A suspended one is counted, and
 * not waited for.
 *
 * `records` are those of the tracked workloads of the namespace.
 */
export function serviceStatus(
  object: DefinitionObject,
  declared: Declared,
  records: readonly WorkloadRecord[],
  now: EpochMs,
): object | undefined {
  const { fault, imageName, tiers } = declared;
  if (fault !== undefined || imageName === undefined || tiers === undefined) {
    const message = fault === undefined ? "" : `${fault.place} ${fault.message}`;
    return statusWith(object, notComplete(fault?.reason ?? "InvalidTiers", message), now, keptOf(object));
  }
  const group = groupOfService(declared);
  const members = records.filter(({ observed }) => declaredPlaceIn(observed.annotations)?.group === group);
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
  const suspended = members.filter((record) => memberOf(record)?.suspended === true).length;
  return statusWith(object, conditionsOf(views, members.length, { suspended, current }), now, {
    currentPriority: current?.tier.priority ?? tiers.at(-1)?.priority ?? 0,
    tierStatus,
  });
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
  /** The members that count, and do not run the image of the tier. */
  readonly behind: readonly WorkloadRecord[];
  readonly members: number;
}

function tierView(tier: DeclaredTier, imageName: string, records: readonly WorkloadRecord[]): TierOfService {
  const own = records.filter(({ observed }) => declaredPlaceIn(observed.annotations)?.upgradeTier === tier.upgradeTier);
  const counting = own.filter((record) => memberOf(record)?.suspended !== true);
  return { tier, members: own.length, behind: counting.filter((record) => !runs(record, imageName, tier.tag)) };
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
  { suspended, current }: { readonly suspended: number; readonly current: TierOfService | undefined },
): readonly Condition[] {
  if (members === 0) return notComplete("NoWorkload", "the namespace has no tracked workload with this image");
  const aside = suspended === 0 ? "" : `; ${String(suspended)} suspended, with an image of their own`;
  if (current === undefined) {
    const message = `${String(members - suspended)} of ${String(members)} run the image${aside}`;
    return [
      { type: "Complete", status: "True", reason: "Complete", message },
      { type: "InProgress", status: "False", reason: "Complete", message },
      { type: "UpToDate", status: "True", reason: "UpToDate", message },
    ];
  }
  const left = views.reduce((sum, { behind }) => sum + behind.length, 0);
  const [first] = current.behind;
  const isHalted = current.behind.some(({ blocked }) => blocked.some(({ tag }) => tag === current.tier.tag));
  const does = first === undefined ? "" : `: ${workloadKey(first.workload)} ${doingOf(first).does}`;
  const message = `${String(left)} of ${String(members)} to update${aside}${does}`;
  const reason = isHalted ? "Halted" : "Updating";
  return [
    { type: "Complete", status: "False", reason, message },
    { type: "InProgress", status: isHalted ? "False" : "True", reason, message },
    { type: "UpToDate", status: "False", reason, message },
  ];
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
  return ["Complete", "InProgress", "UpToDate"].map((type) => ({ type, status: "False", reason, message }));
}

/** Returns the members of a status that stay while the spec is wrong. */
function keptOf({ status }: DefinitionObject): Readonly<Record<string, unknown>> {
  const { currentPriority, tierStatus } = isObject(status) ? status : {};
  return { currentPriority, tierStatus };
}
