import { annotationPrefix } from "../annotations/written-settings.ts";
import { isEnabled } from "../settings/settings.ts";
import { placeAnnotation } from "../tiers/declared-tiers.ts";
import {
  type Annotations,
  byAnnotation,
  type Container,
  containerSettings,
  type DeclaredTarget,
  faultAnnotation,
  isAbout,
  oldestFirst,
  settingKey,
} from "./annotation-parts.ts";
import { isServicePolicy, servicePolicy } from "./declared-settings.ts";
import type { Declared, DeclaredTier, DefinitionFault } from "./definition.ts";

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
export function declaredByService(target: DeclaredTarget, definitions: readonly Declared[]): Annotations {
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
