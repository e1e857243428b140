import { annotationPrefix } from "../annotations/written-settings.ts";
import { isEnabled } from "../settings/settings.ts";
import { declaredTagIn, placeAnnotation } from "../tiers/declared-tiers.ts";
import {
  type Annotations,
  byAnnotation,
  type Container,
  containerSettings,
  type DeclaredTarget,
  faultAnnotation,
  faultIn,
  isAbout,
  isClosedByKind,
  isDeclaredByKind,
  oldestFirst,
  ownKey,
  selecting,
  settingKey,
} from "./annotation-parts.ts";
import { isServicePolicy, servicePolicy } from "./declared-settings.ts";
import type { Declared, DeclaredTier, DefinitionFault } from "./definition.ts";

/** The label that says to which tier of a ServiceImage a workload belongs. */
const upgradeTierLabel = "upgrade-tier";

/** Returns whether a workload gets the images of a ServiceImage. One that an ImagePolicy tracks asks for none. */
export function asksService(annotations: Annotations): boolean {
  const isAsking = isEnabled(annotations) && isServicePolicy(annotations[`${annotationPrefix}policy`]);
  return isAsking && !isClosedByKind(annotations, "ImagePolicy");
}

/** Returns the oldest ServiceImage with the repository of a workload that asks for one. Undefined without one. */
export function serviceOf(
  { annotations, containers }: Pick<DeclaredTarget, "annotations" | "containers">,
  definitions: readonly Declared[],
): Declared | undefined {
  if (!asksService(annotations)) return undefined;
  // A record has the settings of the ServiceImage beside the written ones.
  const isGiven = isDeclaredByKind(annotations, "ServiceImage") || isClosedByKind(annotations, "ServiceImage");
  const asking = isGiven ? containers : askingOf({ annotations, containers });
  return servicesOf(definitions).find((one) => asking.some((container) => isAbout(one, container)));
}

function servicesOf(definitions: readonly Declared[]): readonly Declared[] {
  return oldestFirst(definitions.filter(({ kind }) => kind === "ServiceImage"));
}

/**
 * Returns what the ServiceImage of a workload declares: the exact tag of its tier, and the order of the tiers. Its other
 * containers get no update.
 */
export function declaredByService(target: DeclaredTarget, definitions: readonly Declared[]): Annotations {
  const service = serviceOf(target, definitions);
  if (service?.tiers === undefined) {
    // One without an image may be the one of this workload.
    const [faulty] = servicesOf(definitions).filter(({ imageName }) => imageName === undefined);
    return faulty === undefined ? {} : { ...faultAnnotation(faulty), ...serviceSettings(target, () => closedSettings) };
  }
  const label = target.labels?.[upgradeTierLabel] ?? "";
  const own = tierOf(service.tiers, label) ?? tierOf(service.tiers, "");
  const key = limitOf(target, service);
  const limited = key === undefined ? undefined : { place: key, message: limitText };
  const fault = service.fault ?? (own === undefined ? noTier : limited);
  return {
    ...byAnnotation([service]),
    ...(fault === undefined ? {} : faultAnnotation({ ...service, fault })),
    ...(own === undefined ? {} : placeAnnotation(placeIn(service, own, service.tiers))),
    ...serviceSettings(target, (container) =>
      isAbout(service, container) ? settingsOfTier(key === undefined ? own : undefined) : undefined,
    ),
  };
}

/** The default of `lookout.dev/strategy`. */
const both = "tag+digest";

const limitText = "would change the image of the ServiceImage: remove the annotation";

/** Returns the annotation that would select other tags for a container of a ServiceImage. Undefined without one. */
function limitOf(target: DeclaredTarget, service: Declared): string | undefined {
  const { annotations } = target;
  const settings = [...selecting.filter((setting) => setting !== "policy"), "strategy"];
  const own = askingOf(target).filter((container) => isAbout(service, container));
  const [key] = own.flatMap(({ name }) => ownKey(annotations, name, settings) ?? []);
  // The whole image of the tag is wanted, so that all tiers run the same.
  const strategy = `${annotationPrefix}strategy`;
  return key ?? ((annotations[strategy] ?? both) === both ? undefined : strategy);
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
  target: DeclaredTarget,
  settingsOf: (container: Container) => Annotations | undefined,
): Annotations {
  return Object.fromEntries(
    askingOf(target).flatMap((one) => Object.entries(containerSettings(one.name, settingsOf(one)))),
  );
}

/** Returns the containers that have no policy of their own. */
function askingOf({
  annotations,
  containers,
}: Pick<DeclaredTarget, "annotations" | "containers">): readonly Container[] {
  return containers.filter(
    ({ list, name }) => list === "containers" && !Object.hasOwn(annotations, settingKey(name, "policy")),
  );
}

/** Returns whether a container of a workload with a place has a policy of its own, and not that of a ServiceImage. */
export function followsItself(container: string, annotations: Annotations): boolean {
  const tag = declaredTagIn(annotations);
  const isGiven = annotations[settingKey(container, "include-tags")] === tag;
  return faultIn(annotations) === undefined && !isGiven && Object.hasOwn(annotations, settingKey(container, "policy"));
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
    imageName: service.imageName ?? "",
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

/** The annotation of workloads that get the images of a ServiceImage, for messages. */
export const serviceAnnotation = `${annotationPrefix}policy: ${servicePolicy}`;
