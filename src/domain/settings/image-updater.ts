import { parseImageReference } from "../image/reference.ts";
import { didYouMean, nearest } from "../shared/nearest.ts";
import type { ContainerState } from "../workload/observed.ts";
import { listed, readBoolean, truthy } from "../annotations/setting-values.ts";
import {
  annotationPrefix,
  type Complaint,
  imageKey,
  placeOf,
  type WrittenSetting,
  type WrittenSettings,
} from "../annotations/written-settings.ts";

/**
 * With an annotation of the Kubernetes Image Updater, Lookout follows the digest of the running
 * tag. When the tag has a new digest, Lookout restarts the pods, and leaves the image field
 * unchanged.
 */

/** The prefix of the annotations of the Kubernetes Image Updater. */
export const imageUpdaterPrefix = "image-updater.eznix86.github.io/";
/** The annotations of the Kubernetes Image Updater that users write, without their prefix. */
export const imageUpdaterKeys = ["enabled", "track-containers", "ignore-containers", "track-init-containers"] as const;
type Key = (typeof imageUpdaterKeys)[number];
/** The annotations that the Kubernetes Image Updater writes itself. Lookout never reads them. */
const ownState = new Set(["last-digest", "finalizer"]);

type Annotations = Readonly<Record<string, string>>;
type Container = Pick<ContainerState, "list" | "name" | "image">;
/** The settings in Lookout's own annotations. */
type Lookouts = Pick<WrittenSettings, "of">;
type Complain = (key: string, message: string, closes: boolean) => void;

/** Returns whether an annotation is a setting of the Kubernetes Image Updater. */
export function isImageUpdaters(key: string): boolean {
  return key.startsWith(imageUpdaterPrefix) && !ownState.has(key.slice(imageUpdaterPrefix.length));
}

/** Returns whether the Kubernetes Image Updater tracks a workload: only for the value `true`. */
export function isImageUpdated(annotations: Annotations): boolean {
  return annotations[keyOf("enabled")] === "true";
}

/**
 * Parses the annotations of the Kubernetes Image Updater as settings of Lookout.
 *
 * If `lookout.dev/enabled` is set, Lookout does not read these annotations. If both updaters are
 * enabled, Lookout holds updates. Lookout's other annotations win, but a contradiction about
 * tracking a container holds updates.
 */
export function readImageUpdater(
  annotations: Annotations,
  containers: readonly Container[],
  { of }: Lookouts,
): { readonly written: readonly WrittenSetting[]; readonly complaints: readonly Complaint[] } {
  const present = Object.keys(annotations).filter(isImageUpdaters);
  const complaints: Complaint[] = [];
  const complain: Complain = (key, message, closes) =>
    void complaints.push({ key, text: annotations[key] ?? "", message, closes });
  if (!isImageUpdated(annotations) || of().has("enabled")) {
    complainOfUnread(annotations, present, of().get("enabled"), complain);
    return { written: [], complaints };
  }
  complainOfUnknown(annotations, present, containers, complain);
  const written: WrittenSetting[] = [...implied({ of })];
  for (const container of containers) {
    const chosen = choiceOf(container, annotations);
    const own = of(container).get("enabled");
    if (chosen !== undefined && own !== undefined) {
      if (!saysTheSame(own.text, chosen.text))
        complain(chosen.key, `contradicts ${placeOf(own)} "${own.text}" about container ${container.name}`, true);
    } else if (isTracked(container, chosen) && own === undefined && isPinned(container, { of })) {
      const about = { key: imageKey(container.name), text: container.image };
      complaints.push({
        ...about,
        message: "the image is pinned by its digest, so Lookout follows no tag",
        closes: false,
      });
      written.push({ key: keyOf("enabled"), text: "false", setting: "enabled", of: container });
    } else if (chosen !== undefined) written.push(chosen);
  }
  return { written, complaints };
}

function complainOfUnread(
  annotations: Annotations,
  present: readonly string[],
  lookouts: WrittenSetting | undefined,
  complain: Complain,
): void {
  const wanted = isImageUpdated(annotations);
  for (const key of present) {
    const isSwitch = key === keyOf("enabled");
    if (isSwitch && wanted && lookouts !== undefined && !isFalse(lookouts.text))
      complain(key, `${placeOf(lookouts)} is set too: keep the annotations of only one updater`, true);
    else if (!isSwitch || !isFalse(annotations[key] ?? ""))
      complain(
        key,
        `is not used: ${wanted ? `${annotationPrefix}enabled decides` : `${keyOf("enabled")} is not exactly true`}`,
        false,
      );
  }
}

function complainOfUnknown(
  annotations: Annotations,
  present: readonly string[],
  containers: readonly Container[],
  complain: Complain,
): void {
  for (const key of present) {
    const short = key.slice(imageUpdaterPrefix.length);
    if (!(imageUpdaterKeys as readonly string[]).includes(short))
      complain(
        key,
        `is not an annotation of the Kubernetes Image Updater${didYouMean(nearest(short, imageUpdaterKeys))}`,
        true,
      );
  }
  const init = textOf(annotations, "track-init-containers");
  if (init !== "true" && truthy(init))
    complain(
      keyOf("track-init-containers"),
      "expected true: with any other value, init containers are not tracked",
      false,
    );
  const { key, names } = listOf(annotations);
  if (key === "track-containers" && textOf(annotations, "ignore-containers") !== "")
    complain(keyOf("ignore-containers"), `is not used beside ${keyOf("track-containers")}`, false);
  const wrong = textOf(annotations, key) === "" ? undefined : wrongNames(names, containers);
  if (wrong !== undefined) complain(keyOf(key), wrong, true);
}

function wrongNames(names: readonly string[], containers: readonly Container[]): string | undefined {
  if (names.length === 0) return "expected names of containers, separated by commas";
  const known = (list: Container["list"]): readonly string[] =>
    containers.filter((container) => container.list === list).map(({ name }) => name);
  const unknown = names.filter((name) => !known("containers").includes(name));
  const [first] = unknown;
  if (first === undefined) return undefined;
  return unknown.every((name) => known("initContainers").includes(name))
    ? `names init containers, which only ${keyOf("track-init-containers")} tracks: ${unknown.join(", ")}`
    : `names no container of this workload: ${unknown.join(", ")}${didYouMean(nearest(first, known("containers")))}`;
}

/**
 * Returns the setting that tracks or ignores a container; undefined if no annotation decides about
 * the container.
 */
function choiceOf(container: Container, annotations: Annotations): WrittenSetting | undefined {
  const says = (key: Key, enabled: boolean): WrittenSetting => ({
    key: keyOf(key),
    text: String(enabled),
    setting: "enabled",
    of: container,
  });
  if (container.list === "initContainers")
    return textOf(annotations, "track-init-containers") === "true" ? says("track-init-containers", true) : undefined;
  if (container.list === "volumes") return undefined;
  const { key, names } = listOf(annotations);
  const isNamed = names.includes(container.name);
  if (key === "track-containers") return says(key, isNamed);
  return isNamed ? says(key, false) : undefined;
}

function isTracked({ list }: Container, chosen: WrittenSetting | undefined): boolean {
  return chosen === undefined ? list === "containers" : chosen.text === "true";
}

/** Returns the names to track; without names to track, returns the names to ignore. */
function listOf(annotations: Annotations): {
  readonly key: "track-containers" | "ignore-containers";
  readonly names: readonly string[];
} {
  const key = textOf(annotations, "track-containers") === "" ? "ignore-containers" : "track-containers";
  return { key, names: listed(textOf(annotations, key)) };
}

/**
 * Returns the implied settings: follow digests and restart, unless Lookout's annotations say
 * otherwise.
 */
function implied({ of }: Lookouts): readonly WrittenSetting[] {
  const key = keyOf("enabled");
  const settings = [
    { key, text: "digest", setting: "policy" },
    { key, text: "restart", setting: "apply" },
  ];
  return settings.filter(({ setting }) => !of().has(setting));
}

/**
 * Returns whether a user pinned the image. The Image Updater never writes a digest, but Lookout's
 * own annotations may.
 */
function isPinned(container: Container, { of }: Lookouts): boolean {
  const isLookouts = ["policy", "apply"].some((setting) => of().has(setting) || of(container).has(setting));
  const image = parseImageReference(container.image);
  return !isLookouts && image.ok && image.value.digest !== undefined;
}

function saysTheSame(one: string, other: string): boolean {
  const left = readBoolean(one);
  const right = readBoolean(other);
  return left.ok && right.ok && left.value === right.value;
}

function isFalse(text: string): boolean {
  return readBoolean(text).ok && !truthy(text);
}

function textOf(annotations: Annotations, key: Key): string {
  return annotations[keyOf(key)] ?? "";
}

function keyOf(key: Key): string {
  return imageUpdaterPrefix + key;
}
