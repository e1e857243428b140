import { annotationPrefix } from "../annotations/written-settings.ts";
import { imageUpdaterPrefix, isImageUpdated } from "../settings/image-updater.ts";
import type { LiveWorkload } from "../workload/workload.ts";
import {
  type Annotations,
  byAnnotation,
  type Closing,
  type Container,
  containerSettings,
  type DeclaredTarget,
  faultAnnotation,
  isAbout,
  oldestFirst,
  ownKey,
  selecting,
} from "./annotation-parts.ts";
import type { Declared } from "./definition.ts";
import { asksService, declaredByService } from "./service-annotations.ts";

/** Why a definition does not apply to its workload. */
export type Unapplied =
  /** `key`: the annotation of the workload. */
  | { readonly reason: "TargetHasAnnotations"; readonly key: string }
  | { readonly reason: "NoContainer" }
  /** `by`: the name of the older definition. */
  | { readonly reason: "OlderPolicyApplies"; readonly by: string; readonly container: string };

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
 * A workload or a container for which a person selects tags by annotations is no target of a policy. It stays tracked
 * and gets no update, so that a rollout by the policy ends well. A workload that a person enables or disables is left
 * alone.
 */
export function declaredAbout(target: DeclaredTarget, definitions: readonly Declared[]): DeclaredWorkload {
  const { workload, annotations: own, containers } = target;
  const mine = mineOf(workload, definitions);
  const enabling = enablingKey(own);
  if (enabling !== undefined) {
    const unapplied = new Map(
      mine.map(({ name }) => [name, { reason: "TargetHasAnnotations", key: enabling } as const]),
    );
    return { annotations: asksService(own) ? declaredByService(target, definitions) : {}, unapplied };
  }
  const unapplied = new Map<string, Unapplied>();
  const owners = new Map<string, Declared>();
  const held: Closing[] = [];
  for (const one of mine) {
    const matching = containers.filter((container) => isAbout(one, container));
    const why = whyUnapplied(matching, own, owners);
    if (why === undefined) for (const { name } of matching) owners.set(name, one);
    else if (one.fault === undefined) {
      unapplied.set(one.name, why);
      if (why.reason === "TargetHasAnnotations") held.push(heldBy(one, why.key));
    }
  }
  const faulty = mine.filter(({ fault, ends }) => fault !== undefined || ends === true);
  return { annotations: annotationsOf(containers, [...faulty, ...(owners.size === 0 ? held : [])], owners), unapplied };
}

/** Returns the annotation by which a person enables or disables a workload. Undefined without one. */
function enablingKey(own: Annotations): string | undefined {
  if (Object.hasOwn(own, enabledKey)) return enabledKey;
  return isImageUpdated(own) ? `${imageUpdaterPrefix}enabled` : undefined;
}

function heldBy(policy: Declared, key: string): Closing {
  return { ...policy, fault: { place: "spec.updateTarget", message: ownAnnotationText(policy, key) } };
}

/** Returns the sentence about a policy whose target has an annotation of its own. */
export function ownAnnotationText({ target }: Declared, key: string): string {
  return `${targetText(target)} has ${key} itself: remove the annotation, or this policy`;
}

/** Returns a target as people name it: `Deployment web`. */
export function targetText(target: Declared["target"]): string {
  return target === undefined ? "target" : `${target.kind} ${target.name}`;
}

/** Returns why a policy does not apply to the containers of its repository. Undefined if it applies. */
function whyUnapplied(
  matching: readonly Container[],
  own: Annotations,
  owners: ReadonlyMap<string, Declared>,
): Unapplied | undefined {
  if (matching.length === 0) return { reason: "NoContainer" };
  const ofWorkload = selecting.map((setting) => annotationPrefix + setting).find((key) => Object.hasOwn(own, key));
  for (const { name } of matching) {
    const key = ofWorkload ?? ownKey(own, name, ["enabled", ...selecting]);
    if (key !== undefined) return { reason: "TargetHasAnnotations", key };
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

function annotationsOf(
  containers: readonly Container[],
  closing: readonly Closing[],
  owners: ReadonlyMap<string, Declared>,
): Annotations {
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
