import { annotationPrefix } from "#domain/annotations/written-settings";
import { newestAhead } from "#domain/policy/versions-ahead";
import { annotationsOf } from "#domain/settings/suggested-annotations";
import { parseVersion } from "#domain/version/version";
import type { OutdatedImage, OutdatedImages } from "#runtime/local/outdated";

/** The annotations that let Lookout update a workload. */
export interface AnnotatedWorkload {
  /** `namespace/kind/name`. */
  readonly workload: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** What the annotations do, and further annotations that a user may want. */
  readonly notes: readonly string[];
}

/** The answer of `lookout outdated --annotate`. */
export interface OutdatedAnnotations {
  readonly workloads: readonly AnnotatedWorkload[];
  /** The workloads without annotations to add, each with the reason. */
  readonly left: readonly { readonly workload: string; readonly why: string }[];
}

/**
 * Returns the annotations to add, in the order of the images. A workload with an own
 * `lookout.dev/enabled` gets none. Init containers are not updated without a user's wish.
 */
export function annotationsToAdd({ images, decided }: Pick<OutdatedImages, "images" | "decided">): OutdatedAnnotations {
  const enabled = new Map(decided.map(({ workload, isEnabled }) => [workload, isEnabled]));
  const answers = [...Map.groupBy(images, ({ workload }) => workload)].map(([workload, own]) => {
    const isEnabled = enabled.get(workload);
    if (isEnabled !== undefined)
      return { workload, why: isEnabled ? "Lookout already updates it" : "lookout.dev/enabled is false" };
    return annotated(
      workload,
      own.filter(({ list }) => list === "containers"),
    );
  });
  return {
    workloads: answers.filter((answer) => "annotations" in answer),
    left: answers.filter((answer) => "why" in answer),
  };
}

function annotated(workload: string, containers: readonly OutdatedImage[]): AnnotatedWorkload | Left {
  const faults = containers.map((image) => ({ image, why: whyNotUpdatable(image) }));
  const usable = faults.filter(({ why }) => why === undefined);
  if (usable.length === 0) return { workload, why: [...new Set(faults.map(({ why }) => why))].join(", ") };
  const isAlone = containers.length === 1;
  const settings = faults.flatMap(({ image, why }) => {
    if (why !== undefined) return [annotationsOf({ enabled: "false" }, nameOf(image))];
    if (image.settings === undefined || !needsSettings(image)) return [];
    return [annotationsOf(image.settings, isAlone ? undefined : nameOf(image))];
  });
  return {
    workload,
    annotations: merged([{ [`${annotationPrefix}enabled`]: "true" }, ...settings]),
    notes: faults.flatMap(({ image, why }) =>
      why === undefined ? notesOf(image, isAlone) : [`leaves ${image.container} out: ${why}`],
    ),
  };
}

type Left = OutdatedAnnotations["left"][number];

function nameOf({ list, container }: OutdatedImage) {
  return { list, name: container };
}

/** Returns why Lookout can't update a container, or undefined if it may. */
function whyNotUpdatable({ container, state, reason, settings }: OutdatedImage): string | undefined {
  if (state === "no-version" && settings === undefined) return `no annotation orders the tags of ${container}`;
  if (reason === "only-a-digest") return `the image of ${container} has only a digest: name a tag first`;
  if (reason === "not-an-image-reference") return `the image of ${container} is not an image reference`;
  return reason === undefined ? undefined : `the tags of ${container} are not known`;
}

/** A tag with a version needs no settings. Settings for skipped tags are a user's choice. */
function needsSettings({ state }: OutdatedImage): boolean {
  return state === "moves" || state === "no-version";
}

function notesOf(image: OutdatedImage, isAlone: boolean): readonly string[] {
  const { container, tag = "", state, skipped, settings } = image;
  const of = isAlone ? undefined : nameOf(image);
  const newest = newestAhead(image);
  const followed = settings === undefined || needsSettings(image) ? undefined : typed(annotationsOf(settings, of));
  return [
    ...(newest === undefined ? [] : [`takes ${container} from ${tag} to ${newest}${keptMajorText(image, of)}`]),
    ...(state === "moves" ? [`follows the digest of ${container}`] : []),
    ...(state === "no-version" ? [orderText(image)] : []),
    ...(followed === undefined
      ? []
      : [`skips ${skipped?.tags[0] ?? "newer tags"} of another form; to follow it, add ${followed}`]),
  ];
}

function keptMajorText({ tag = "", major }: OutdatedImage, of: ReturnType<typeof nameOf> | undefined): string {
  const first = major === undefined ? undefined : parseVersion(tag)?.parts[0];
  if (first === undefined) return "";
  return `; to keep its major number, add ${typed(annotationsOf({ "semver-range": `^${first}` }, of))}`;
}

function orderText({ container, settings = {} }: OutdatedImage): string {
  const tags = `tags of ${container} like ${settings["tag-pattern"] ?? "its own"}`;
  return settings["policy"] === "regex" ? `follows the last pushed of the ${tags}` : `compares the ${tags}`;
}

/** Returns annotations as arguments of `kubectl annotate`. */
export function typed(annotations: Readonly<Record<string, string>>): string {
  return Object.entries(annotations)
    .map(([key, value]) => shellWord(`${key}=${value}`))
    .join(" ");
}

/** Returns a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Joins annotations. The JSON of several containers with long names becomes one value. */
function merged(all: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const [key, value] of all.flatMap((one) => Object.entries(one))) {
    const before = joined[key];
    joined[key] =
      before === undefined
        ? value
        : JSON.stringify({ ...(JSON.parse(before) as object), ...(JSON.parse(value) as object) });
  }
  return joined;
}
