import { annotationPrefix } from "../annotations/written-settings.ts";
import { imageNameOf, parseImageReference } from "../image/reference.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { LiveContainer, LiveWorkload } from "../workload/workload.ts";
import { declaredBySetting, declaredFaultSetting } from "./declared-settings.ts";
import { isEnabled } from "../settings/settings.ts";
import { placeAnnotation } from "../tiers/declared-tiers.ts";
import type { Declared, DeclaredTier } from "./definition.ts";

/** The parts of a container that definitions are about. */
type Container = Pick<LiveContainer, "list" | "name" | "image">;

/** Why a definition does not apply to its workload. */
export type Unapplied =
  | { readonly reason: "TargetHasAnnotations" }
  | { readonly reason: "NoContainer" }
  /** `by`: the name of the older definition. */
  | { readonly reason: "OlderPolicyApplies"; readonly by: string; readonly container: string };

/** The parts of a workload that definitions are about. */
export interface DeclaredTarget extends Pick<LiveWorkload, "workload" | "annotations"> {
  /** Absent if only ImagePolicies matter. */
  readonly labels?: LiveWorkload["labels"];
  readonly containers: readonly Container[];
}

/** What definitions declare about a workload. */
export interface DeclaredWorkload {
  /** Annotations as a person would write them. Empty if no definition applies. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Why definitions do not apply, by their names. */
  readonly unapplied: ReadonlyMap<string, Unapplied>;
}

/**
 * Returns what definitions declare about a workload of their namespace. Each is about the containers of its
 * repository; of two about one container, the older one applies.
 *
 * A workload that a person enables or disables by an annotation of its own is no target.
 */
export function declaredAbout(
  { workload, annotations: own, labels = {}, containers }: DeclaredTarget,
  definitions: readonly Declared[],
): DeclaredWorkload {
  const service = declaredByServices({ workload, annotations: own, labels, containers }, definitions);
  if (service !== undefined) return service;
  const mine = mineOf(workload, definitions);
  const isOwn = Object.hasOwn(own, enabledKey);
  if (isOwn || mine.length === 0)
    return { annotations: {}, unapplied: new Map(mine.map(({ name }) => [name, { reason: "TargetHasAnnotations" }])) };
  const unapplied = new Map<string, Unapplied>();
  const owners = new Map<string, Declared>();
  for (const one of mine) {
    const matching = containers.filter((container) => isAbout(one, container));
    const why = whyUnapplied(matching, owners);
    if (why === undefined) for (const { name } of matching) owners.set(name, one);
    else if (one.fault === undefined) unapplied.set(one.name, why);
  }
  return { annotations: annotationsOf(containers, mine, owners), unapplied };
}

/** Returns why a policy does not apply to the containers of its repository. Undefined if it applies. */
function whyUnapplied(matching: readonly Container[], owners: ReadonlyMap<string, Declared>): Unapplied | undefined {
  if (matching.length === 0) return { reason: "NoContainer" };
  for (const { name } of matching) {
    const owner = owners.get(name);
    if (owner !== undefined) return { reason: "OlderPolicyApplies", by: owner.name, container: name };
  }
  return undefined;
}

/** Returns the policies of a workload, the oldest first. */
function mineOf(workload: LiveWorkload["workload"], definitions: readonly Declared[]): readonly Declared[] {
  return oldestFirst(
    definitions.filter(({ target }) => target?.kind === workload.kind && target.name === workload.name),
  );
}

function oldestFirst(definitions: readonly Declared[]): readonly Declared[] {
  return definitions.toSorted((one, other) => one.createdAt - other.createdAt || compareTexts(one.name, other.name));
}

/** The label that says to which tier of a ServiceImage a workload belongs. */
const upgradeTierLabel = "upgrade-tier";

/**
 * Returns what the oldest ServiceImage of a workload declares: the exact tag of its tier, and the order of the tiers.
 * It is about the workloads that a person enabled. Undefined if none is about the workload.
 */
function declaredByServices(
  { workload, annotations, labels = {}, containers }: DeclaredTarget,
  definitions: readonly Declared[],
): DeclaredWorkload | undefined {
  if (!isEnabled(annotations)) return undefined;
  const [service] = oldestFirst(
    definitions.filter((one) => one.kind === "ServiceImage" && containers.some((container) => isAbout(one, container))),
  );
  if (service?.tiers === undefined) return undefined;
  const label = labels[upgradeTierLabel] ?? "";
  const tiers = service.tiers;
  const own =
    tiers.find(({ upgradeTier }) => upgradeTier === label) ?? tiers.find(({ upgradeTier }) => upgradeTier === "");
  const by = { [`${annotationPrefix}${declaredBySetting}`]: nameOf(service) };
  if (own === undefined) {
    const text = `${nameOf(service)}: spec.tiers\nno tier has the label ${upgradeTierLabel} of this workload`;
    return { annotations: { ...by, [`${annotationPrefix}${declaredFaultSetting}`]: text }, unapplied: new Map() };
  }
  const place = {
    group: groupOfService(service),
    tier: nameOfTier(own),
    order: tiers.map((tier) => ({ name: nameOfTier(tier), tag: tier.tag, priority: tier.priority })),
    upgradeTier: own.upgradeTier,
  };
  // A tag has no `*`, so this is the only tag.
  const settings = { policy: "alphabetical", "include-tags": own.tag, "allow-downgrade": "true" };
  const annotated = containers
    .filter((container) => isAbout(service, container))
    .flatMap(({ name }) => containerSettings(name, { ...service, settings }));
  return {
    annotations: {
      ...by,
      ...(service.fault === undefined ? {} : { [`${annotationPrefix}${declaredFaultSetting}`]: faultText(service) }),
      ...placeAnnotation(place),
      ...Object.fromEntries(annotated),
    },
    unapplied: new Map(mineOf(workload, definitions).map(({ name }) => [name, { reason: "TargetHasAnnotations" }])),
  };
}

/** Returns the group of the tiers of a ServiceImage. No default group of workloads has this name. */
export function groupOfService({ kind, namespace, name }: Declared): string {
  return `${kind} ${namespace}/${name}`;
}

/** Returns the name of a tier. No label has the name of the tier of all others. */
function nameOfTier({ upgradeTier }: DeclaredTier): string {
  return upgradeTier === "" ? "(others)" : upgradeTier;
}

const enabledKey = `${annotationPrefix}enabled`;

/** Returns whether a container has an image of a definition's repository. */
function isAbout({ imageName }: Declared, { list, image }: Container): boolean {
  if (list !== "containers") return false;
  const read = parseImageReference(image);
  return read.ok && imageNameOf(read.value) === imageName;
}

function annotationsOf(
  containers: readonly Container[],
  all: readonly Declared[],
  owners: ReadonlyMap<string, Declared>,
): Readonly<Record<string, string>> {
  const faulty = all.filter(({ fault }) => fault !== undefined);
  const applied = [...new Set(owners.values())];
  if (faulty.length + applied.length === 0) return {};
  const [fault] = faulty;
  const intervals = applied.flatMap(({ interval }) => interval ?? []);
  const [shortest] = intervals.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return {
    [enabledKey]: "true",
    ...(applied.length === 0 ? {} : { [`${annotationPrefix}${declaredBySetting}`]: applied.map(nameOf).join(", ") }),
    ...(fault === undefined ? {} : { [`${annotationPrefix}${declaredFaultSetting}`]: faultText(fault) }),
    ...(shortest === undefined ? {} : { [`${annotationPrefix}interval`]: shortest }),
    ...Object.fromEntries(
      containers
        .filter(({ list }) => list === "containers")
        .flatMap(({ name }) => containerSettings(name, owners.get(name))),
    ),
  };
}

function containerSettings(container: string, owner: Declared | undefined): readonly (readonly [string, string])[] {
  const settings = owner?.settings ?? { enabled: "false" };
  return Object.entries(settings).map(
    ([setting, value]) => [`${annotationPrefix}container.${container}.${setting}`, value] as const,
  );
}

/** Returns a definition as people name it: `ImagePolicy web`. */
export function nameOf({ kind, name }: Pick<Declared, "kind" | "name">): string {
  return `${kind} ${name}`;
}

function faultText(definition: Declared): string {
  const { place = "", message = "" } = definition.fault ?? {};
  return `${nameOf(definition)}: ${place}\n${message}`;
}
