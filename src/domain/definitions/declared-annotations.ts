import { annotationPrefix } from "../annotations/written-settings.ts";
import { imageNameOf, parseImageReference } from "../image/reference.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { LiveContainer, LiveWorkload } from "../workload/workload.ts";

/** The parts of a container that definitions are about. */
type Container = Pick<LiveContainer, "list" | "name" | "image">;
import { declaredBySetting, declaredFaultSetting } from "./declared-settings.ts";
import type { Declared } from "./definition.ts";

/** Why a definition does not apply to its workload. */
export type Unapplied =
  | { readonly reason: "TargetHasAnnotations" }
  | { readonly reason: "NoContainer" }
  /** `by`: the name of the older definition. */
  | { readonly reason: "OlderPolicyApplies"; readonly by: string; readonly container: string };

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
  {
    workload,
    annotations: own,
    containers,
  }: Pick<LiveWorkload, "workload" | "annotations"> & { readonly containers: readonly Container[] },
  definitions: readonly Declared[],
): DeclaredWorkload {
  const mine = definitions
    .filter(({ target }) => target?.kind === workload.kind && target.name === workload.name)
    .toSorted((one, other) => one.createdAt - other.createdAt || compareTexts(one.name, other.name));
  const unapplied = new Map<string, Unapplied>();
  if (mine.length === 0) return { annotations: {}, unapplied };
  if (Object.hasOwn(own, enabledKey)) {
    for (const { name } of mine) unapplied.set(name, { reason: "TargetHasAnnotations" });
    return { annotations: {}, unapplied };
  }
  const owners = new Map<string, Declared>();
  for (const one of mine) {
    const matching = containers.filter((container) => isAbout(one, container));
    const taken = matching.find(({ name }) => owners.has(name));
    if (one.fault === undefined && matching.length === 0) unapplied.set(one.name, { reason: "NoContainer" });
    if (taken !== undefined)
      unapplied.set(one.name, {
        ...{ reason: "OlderPolicyApplies", container: taken.name },
        by: owners.get(taken.name)?.name ?? "",
      });
    else for (const { name } of matching) owners.set(name, one);
  }
  return { annotations: annotationsOf(containers, mine, owners), unapplied };
}

const enabledKey = `${annotationPrefix}enabled`;

function isAbout({ imageName, fault }: Declared, { list, image }: Container): boolean {
  if (list !== "containers" || fault !== undefined) return false;
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
  return `${nameOf(definition)}: ${place} ${message}`;
}
