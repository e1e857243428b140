import { annotationPrefix } from "../annotations/written-settings.ts";
import { declaredTiersSetting } from "../definitions/declared-settings.ts";
import type { ImageName } from "../image/reference.ts";
import { isObject, parseJson } from "../shared/json.ts";
import { seconds } from "../shared/time.ts";
import type { TierPlace } from "./member.ts";
import type { TierRules } from "./rules.ts";

/** The place of a workload among tiers that a definition declares, in place of those of `lookout.yaml`. */
export interface DeclaredPlace extends TierPlace {
  /** The tiers, the highest priority first. Those of one priority are updated together. */
  readonly order: readonly { readonly name: string; readonly tag: string; readonly priority: number }[];
  /** The repository that the definition is about. */
  readonly imageName: ImageName;
  /** The tier as the definition calls it. */
  readonly upgradeTier: string;
}

const key = `${annotationPrefix}${declaredTiersSetting}`;

/** Returns the annotation of a place. Nobody can write its key. */
export function placeAnnotation(place: DeclaredPlace): Readonly<Record<string, string>> {
  return { [key]: JSON.stringify(place) };
}

/** Returns the place that a definition declares. Undefined without one. */
export function declaredPlaceIn(annotations: Readonly<Record<string, string>>): DeclaredPlace | undefined {
  const text = annotations[key];
  const place = text === undefined ? undefined : parseJson(text);
  return isObject(place) ? (place as unknown as DeclaredPlace) : undefined;
}

/** Returns the tag that a definition declares for a workload. Undefined without one. */
export function declaredTagIn(annotations: Readonly<Record<string, string>>): string | undefined {
  const place = declaredPlaceIn(annotations);
  return place?.order.find(({ name }) => name === place.tier)?.tag;
}

/** Returns the rules of tiers for a workload: those of its definition, else those of `lookout.yaml`. */
export function rulesFor(annotations: Readonly<Record<string, string>>, rules: TierRules): TierRules {
  const place = declaredPlaceIn(annotations);
  if (place === undefined) return rules;
  const tiers = place.order.map(({ name, tag }) => ({
    ...{ name, image: { imageName: place.imageName, tag }, soak: seconds(0), haltOnFailure: true, namespaces: [] },
  }));
  return { tiers, clusters: [] };
}

/** Returns the number of tiers that a place waits for: those of a higher priority. */
export function earlierTiers({ tier, order }: DeclaredPlace): number {
  const own = order.find(({ name }) => name === tier);
  return order.filter(({ priority }) => own !== undefined && priority > own.priority).length;
}
