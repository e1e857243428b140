import { annotationPrefix } from "../annotations/written-settings.ts";
import { imageNameOf, parseImageReference } from "../image/reference.ts";
import { isEnabled } from "../settings/settings.ts";
import { compareTexts } from "../shared/text-order.ts";
import { placeAnnotation } from "../tiers/declared-tiers.ts";
import type { LiveContainer, LiveWorkload } from "../workload/workload.ts";
import {
  declaredBySetting,
  declaredFaultSetting,
  declaredVersionsSetting,
  isServicePolicy,
  servicePolicy,
} from "./declared-settings.ts";
import type { Declared, DeclaredTier, DefinitionFault } from "./definition.ts";

/** The parts of a container that definitions are about. */
type Container = Pick<LiveContainer, "list" | "name" | "image">;

/** Why a definition does not apply to its workload. */
export type Unapplied =
  /** `key`: the annotation of the workload. */
  | { readonly reason: "TargetHasAnnotations"; readonly key: string }
  | { readonly reason: "NoContainer" }
  /** `by`: the name of the older definition. */
  | { readonly reason: "OlderPolicyApplies"; readonly by: string; readonly container: string };

type Annotations = Readonly<Record<string, string>>;

/** The parts of a workload that definitions are about. */
export interface DeclaredTarget extends Pick<LiveWorkload, "workload" | "annotations"> {
  /** Absent if only ImagePolicies matter. */
  readonly labels?: LiveWorkload["labels"];
  readonly containers: readonly Container[];
}

/** What definitions declare about a workload. */
export interface DeclaredWorkload {
  /** Annotations as a person would write them. Empty if no definition applies. */
  readonly annotations: Annotations;
  /** Why definitions do not apply, by their names. */
  readonly unapplied: ReadonlyMap<string, Unapplied>;
}

const enabledKey = `${annotationPrefix}enabled`;

/**
 * Returns what definitions declare about a workload of their namespace. A ServiceImage is about the workloads with the
 * policy `service-image`, and an ImagePolicy about its target. Each is about the containers of its repository; of two
 * about one container, the older one applies.
 *
 * A workload or a container that a person enables or disables by an annotation of its own is no target of a policy.
 */
export function declaredAbout(target: DeclaredTarget, definitions: readonly Declared[]): DeclaredWorkload {
  const { workload, annotations: own, containers } = target;
  const mine = mineOf(workload, definitions);
  if (asksService(own)) return { annotations: declaredByService(target, definitions), unapplied: allOwn(mine) };
  if (Object.hasOwn(own, enabledKey) || mine.length === 0) return { annotations: {}, unapplied: allOwn(mine) };
  const unapplied = new Map<string, Unapplied>();
  const owners = new Map<string, Declared>();
  for (const one of mine) {
    const matching = containers.filter((container) => isAbout(one, container));
    const why = whyUnapplied(matching, own, owners);
    if (why === undefined) for (const { name } of matching) owners.set(name, one);
    else if (one.fault === undefined) unapplied.set(one.name, why);
  }
  return { annotations: annotationsOf(containers, mine, owners), unapplied };
}

function allOwn(policies: readonly Declared[]): DeclaredWorkload["unapplied"] {
  return new Map(policies.map(({ name }) => [name, { reason: "TargetHasAnnotations", key: enabledKey }]));
}

/** Returns why a policy does not apply to the containers of its repository. Undefined if it applies. */
function whyUnapplied(
  matching: readonly Container[],
  own: Annotations,
  owners: ReadonlyMap<string, Declared>,
): Unapplied | undefined {
  if (matching.length === 0) return { reason: "NoContainer" };
  for (const { name } of matching) {
    const key = Object.keys(own).find((one) => policyKeys(name).includes(one));
    if (key !== undefined) return { reason: "TargetHasAnnotations", key };
    const owner = owners.get(name);
    if (owner !== undefined) return { reason: "OlderPolicyApplies", by: owner.name, container: name };
  }
  return undefined;
}

/** Returns the annotations by which a person decides about a container. */
function policyKeys(container: string): readonly string[] {
  const settings = ["enabled", "policy", "tag-pattern", "order", "include-tags", "exclude-tags", "allow-downgrade"];
  return settings.map((setting) => settingKey(container, setting));
}

function settingKey(container: string, setting: string): string {
  return `${annotationPrefix}container.${container}.${setting}`;
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

/** Returns whether a workload gets the images of a ServiceImage. */
export function asksService(annotations: Annotations): boolean {
  return isEnabled(annotations) && isServicePolicy(annotations[`${annotationPrefix}policy`]);
}

/** Returns the oldest ServiceImage with the repository of a workload that asks for one. Undefined without one. */
export function serviceOf(
  { annotations, containers }: Pick<DeclaredTarget, "annotations" | "containers">,
  definitions: readonly Declared[],
): Declared | undefined {
  if (!asksService(annotations)) return undefined;
  return servicesOf(definitions).find((one) => containers.some((container) => isAbout(one, container)));
}

function servicesOf(definitions: readonly Declared[]): readonly Declared[] {
  return oldestFirst(definitions.filter(({ kind }) => kind === "ServiceImage"));
}

/**
 * Returns what the ServiceImage of a workload declares: the exact tag of its tier, and the order of the tiers. Its other
 * containers get no update.
 */
function declaredByService(target: DeclaredTarget, definitions: readonly Declared[]): Annotations {
  const service = serviceOf(target, definitions);
  if (service?.tiers === undefined) {
    // One without an image may be the one of this workload.
    const [faulty] = servicesOf(definitions).filter(({ imageName }) => imageName === undefined);
    return faulty === undefined ? {} : { ...faultAnnotation(faulty), ...serviceSettings(target, () => closedSettings) };
  }
  const label = target.labels?.[upgradeTierLabel] ?? "";
  const own = tierOf(service.tiers, label) ?? tierOf(service.tiers, "");
  return {
    ...byAnnotation([service]),
    ...faultAnnotation(own === undefined ? { ...service, fault: noTier } : service),
    ...(own === undefined ? {} : placeAnnotation(placeIn(service, own, service.tiers))),
    ...serviceSettings(target, (container) => (isAbout(service, container) ? settingsOfTier(own) : undefined)),
  };
}

const noTier: DefinitionFault = {
  ...{ reason: "InvalidTiers", place: "spec.tiers" },
  message: `no tier has the label ${upgradeTierLabel} of this workload`,
};

function tierOf(tiers: readonly DeclaredTier[], label: string): DeclaredTier | undefined {
  return tiers.find(({ upgradeTier }) => upgradeTier === label);
}

/** Beside a fault, this updates nothing. */
const closedSettings: Annotations = { policy: "pinned" };

function settingsOfTier(tier: DeclaredTier | undefined): Annotations {
  if (tier === undefined) return closedSettings;
  // A tag has no `*`, so this is the only tag.
  return { policy: "alphabetical", "include-tags": tier.tag, "allow-downgrade": "true" };
}

/** Returns the settings of the containers that have no policy of their own. Without settings, one gets no update. */
function serviceSettings(
  { annotations, containers }: DeclaredTarget,
  settingsOf: (container: Container) => Annotations | undefined,
): Annotations {
  const asking = containers.filter(
    ({ list, name }) => list === "containers" && !Object.hasOwn(annotations, settingKey(name, "policy")),
  );
  return Object.fromEntries(asking.flatMap((one) => Object.entries(containerSettings(one.name, settingsOf(one)))));
}

function placeIn(
  service: Declared,
  own: DeclaredTier,
  tiers: readonly DeclaredTier[],
): Parameters<typeof placeAnnotation>[0] {
  return {
    group: groupOfService(service),
    tier: nameOfTier(own),
    order: tiers.map((tier) => ({ name: nameOfTier(tier), tag: tier.tag, priority: tier.priority })),
    upgradeTier: own.upgradeTier,
  };
}

/** Returns the group of the tiers of a ServiceImage. No default group of workloads has this name. */
export function groupOfService({ kind, namespace, name }: Declared): string {
  return `${kind} ${namespace}/${name}`;
}

/** Returns the name of a tier. No label has the name of the tier of all others. */
export function nameOfTier({ upgradeTier }: DeclaredTier): string {
  return upgradeTier === "" ? "(others)" : upgradeTier;
}

/** Returns whether a container has an image of a definition's repository. */
export function isAbout({ imageName }: Pick<Declared, "imageName">, { list, image }: Container): boolean {
  if (list !== "containers") return false;
  const read = parseImageReference(image);
  return read.ok && imageNameOf(read.value) === imageName;
}

function annotationsOf(
  containers: readonly Container[],
  all: readonly Declared[],
  owners: ReadonlyMap<string, Declared>,
): Annotations {
  const closing = all.filter(({ fault, ends }) => fault !== undefined || ends === true);
  const applied = [...new Set(owners.values())];
  if (closing.length + applied.length === 0) return {};
  const intervals = applied.flatMap(({ interval }) => interval ?? []);
  const [shortest] = intervals.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return {
    [enabledKey]: "true",
    ...byAnnotation(applied),
    ...(closing[0] === undefined ? {} : faultAnnotation(closing[0])),
    ...(shortest === undefined ? {} : { [`${annotationPrefix}interval`]: shortest }),
    ...Object.fromEntries(
      containers
        .filter(({ list }) => list === "containers")
        .flatMap(({ name }) => Object.entries(containerSettings(name, owners.get(name)?.settings))),
    ),
  };
}

/** Returns which definitions give the settings of a workload, and in which versions. Empty without one. */
function byAnnotation(applied: readonly Declared[]): Annotations {
  if (applied.length === 0) return {};
  return {
    [`${annotationPrefix}${declaredBySetting}`]: applied.map(nameOf).join(", "),
    [`${annotationPrefix}${declaredVersionsSetting}`]: applied.map(versionOf).join(" "),
  };
}

/** Returns whether the annotations of a record follow the present version of a definition. */
export function follows(annotations: Annotations, definition: Declared): boolean {
  return versionsIn(annotations).includes(versionOf(definition));
}

/** Returns whether the annotations of a record follow any version of a definition. */
export function namesVersionOf(annotations: Annotations, { uid }: Declared): boolean {
  return versionsIn(annotations).some((version) => version.startsWith(`${uid}@`));
}

function versionsIn(annotations: Annotations): readonly string[] {
  return annotations[`${annotationPrefix}${declaredVersionsSetting}`]?.split(" ") ?? [];
}

function versionOf({ uid, generation }: Declared): string {
  return `${uid}@${String(generation)}`;
}

function containerSettings(container: string, settings: Annotations = { enabled: "false" }): Annotations {
  return Object.fromEntries(
    Object.entries(settings).map(([setting, value]) => [settingKey(container, setting), value]),
  );
}

/** Returns a definition as people name it: `ImagePolicy web`. */
export function nameOf({ kind, name }: Pick<Declared, "kind" | "name">): string {
  return `${kind} ${name}`;
}

/** Returns the annotation that closes a workload. Empty if the definition has no fault. */
function faultAnnotation(definition: Declared): Annotations {
  const { fault, ends } = definition;
  const ending =
    ends === true
      ? { place: "metadata", message: "is gone or names another image, and its rollout ends first" }
      : undefined;
  const closing = ending ?? fault;
  if (closing === undefined) return {};
  return {
    [`${annotationPrefix}${declaredFaultSetting}`]: `${nameOf(definition)}: ${closing.place}\n${closing.message}`,
  };
}

/** The annotation of workloads that get the images of a ServiceImage, for messages. */
export const serviceAnnotation = `${annotationPrefix}policy: ${servicePolicy}`;
