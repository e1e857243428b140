import { annotationPrefix } from "../annotations/written-settings.ts";
import type { LiveWorkload } from "../workload/workload.ts";
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

/** Returns the policies of a workload, the oldest first. */
function mineOf(workload: LiveWorkload["workload"], definitions: readonly Declared[]): readonly Declared[] {
  return oldestFirst(
    definitions.filter(({ target }) => target?.kind === workload.kind && target.name === workload.name),
  );
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
