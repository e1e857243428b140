import { annotationPrefix } from "../annotations/written-settings.ts";
import { containersSetting, readContainerJson } from "../settings/container-json.ts";
import { imageNameOf, parseImageReference } from "../image/reference.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { LiveContainer, LiveWorkload } from "../workload/workload.ts";
import { declaredBySetting, declaredFaultSetting, declaredVersionsSetting } from "./declared-settings.ts";
import type { Declared, DefinitionFault } from "./definition.ts";

/** Annotations as a person would write them. */
export type Annotations = Readonly<Record<string, string>>;

/** The parts of a container that definitions are about. */
export type Container = Pick<LiveContainer, "list" | "name" | "image">;

/** The parts of a workload that definitions are about. */
export interface DeclaredTarget extends Pick<LiveWorkload, "workload" | "annotations"> {
  /** Absent if only ImagePolicies matter. */
  readonly labels?: LiveWorkload["labels"];
  readonly containers: readonly Container[];
}

/** Returns the annotations of a workload without those that definitions declare, such as `enabled` by an ImagePolicy. */
export function ownAnnotations({ annotations, declared = [] }: LiveWorkload): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !declared.includes(key)));
}

/** Returns definitions, the oldest first: of two about one container, it applies. */
export function oldestFirst<One extends Pick<Declared, "createdAt" | "name">>(
  definitions: readonly One[],
): readonly One[] {
  return definitions.toSorted((one, other) => one.createdAt - other.createdAt || compareTexts(one.name, other.name));
}

/** Returns whether a container has an image of a definition's repository. */
export function isAbout({ imageName }: Pick<Declared, "imageName">, { list, image }: Container): boolean {
  if (list !== "containers") return false;
  const read = parseImageReference(image);
  return read.ok && imageNameOf(read.value) === imageName;
}

/** Returns the annotation of a setting of a container. */
export function settingKey(container: string, setting: string): string {
  return `${annotationPrefix}container.${container}.${setting}`;
}

/** Returns which definitions give the settings of a workload, and in which versions. Empty without one. */
export function byAnnotation(applied: readonly Declared[]): Annotations {
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

/** Returns the annotations of the settings of a container. Without settings, it gets no update. */
export function containerSettings(container: string, settings: Annotations = { enabled: "false" }): Annotations {
  return Object.fromEntries(
    Object.entries(settings).map(([setting, value]) => [settingKey(container, setting), value]),
  );
}

/** Returns a definition as people name it: `ImagePolicy web`. */
export function nameOf({ kind, name }: Pick<Declared, "kind" | "name">): string {
  return `${kind} ${name}`;
}

/** What closes a workload: a definition, and what is wrong with it or with its workload. */
export interface Closing extends Pick<Declared, "kind" | "name" | "ends"> {
  readonly fault?: Pick<DefinitionFault, "place" | "message">;
}

/** Returns the annotation that closes a workload. Empty if the definition has no fault. */
export function faultAnnotation(definition: Closing): Annotations {
  const { fault, ends } = definition;
  const closing = ends === true ? ending : fault;
  if (closing === undefined) return {};
  return { [faultKey]: `${nameOf(definition)}: ${closing.place}\n${closing.message}` };
}

const ending = { place: "metadata", message: "was deleted or changed: Lookout ends its updates first" };
const faultKey = `${annotationPrefix}${declaredFaultSetting}`;

/** Returns what definitions say is wrong, in one line. Undefined if nothing closes the workload. */
export function faultIn(annotations: Annotations): string | undefined {
  return annotations[faultKey]?.replace("\n", " ");
}

/** Returns whether a definition closes a workload. */
export function isClosedBy(annotations: Annotations, definition: Pick<Declared, "kind" | "name">): boolean {
  return annotations[faultKey]?.startsWith(`${nameOf(definition)}: `) === true;
}

/** Returns whether a definition of a kind closes a workload. */
export function isClosedByKind(annotations: Annotations, kind: Declared["kind"]): boolean {
  return annotations[faultKey]?.startsWith(`${kind} `) === true;
}

/** Returns whether definitions of a kind give the settings of a workload. */
export function isDeclaredByKind(annotations: Annotations, kind: Declared["kind"]): boolean {
  return annotations[`${annotationPrefix}${declaredBySetting}`]?.startsWith(`${kind} `) === true;
}

/** The settings by which a person selects tags. */
export const selecting: readonly string[] = [
  ...["policy", "tag-pattern", "order", "include-tags", "exclude-tags", "allow-downgrade", "semver-range"],
];

/** Returns the annotation that gives a container one of some settings of its own. Undefined without one. */
export function ownKey(annotations: Annotations, container: string, settings: readonly string[]): string | undefined {
  const keys = settings.map((setting) => settingKey(container, setting));
  return keys.find((key) => Object.hasOwn(annotations, key)) ?? ownJson(annotations, container, settings);
}

/** Returns the annotation with JSON, if it is unreadable or gives a container one of some settings. */
function ownJson(annotations: Annotations, container: string, settings: readonly string[]): string | undefined {
  const key = `${annotationPrefix}${containersSetting}`;
  const text = annotations[key];
  if (text === undefined) return undefined;
  const { written, complaints } = readContainerJson(text, []);
  const isAboutIt = written.some(
    ({ of, setting }) => of?.list === "containers" && of.name === container && settings.includes(setting),
  );
  return isAboutIt || complaints.length > 0 ? key : undefined;
}
