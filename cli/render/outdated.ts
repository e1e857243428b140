import { reasons } from "#domain/shared/reasons";
import { shortened } from "#domain/shared/shown-text";
import type { OutdatedImage, OutdatedImages } from "#runtime/local/outdated";
import { type OutdatedAnnotations, shellWord, typed } from "../answers/outdated.ts";
import { digestText } from "./image.ts";
import { skippedText } from "./skipped.ts";
import { entryToAllow } from "./private-address.ts";
import { hang, type Style, paintMark } from "./style.ts";
import { renderTable } from "./table.ts";
import { elapsed } from "./time.ts";

/** The words of the command that repeat its choice of cluster and images. */
export interface OutdatedCommand {
  /** `lookout outdated -n shop`. */
  readonly command: string;
  /** The flags of kubectl for the same cluster. */
  readonly kubectlFlags: readonly string[];
  readonly withAges: boolean;
}

/** Returns the table of images, a summary, and the problems of lists and registries. */
export function renderOutdated(
  answer: Pick<OutdatedImages, "images" | "refused">,
  { command, withAges }: OutdatedCommand,
  style: Style,
): string {
  const { images } = answer;
  const problems = [...refusedLines(answer), ...registryLines(images)].map((text) => problemLine(text, style));
  if (images.length === 0) return `No images found.\n${problems.join("")}`;
  const headings = ["WORKLOAD", "IMAGE", "RUNS", "PATCH", "MINOR", "MAJOR", ...(withAges ? ages : []), "NOTE"];
  const rows = images.map((image, index) => rowOf(image, images[index - 1], withAges, style));
  return `${renderTable(headings, rows, style)}${summary(images, command)}\n${problems.join("")}`;
}

const ages = ["AGE", "AGE OF NEWEST"];

function rowOf(
  image: OutdatedImage,
  before: OutdatedImage | undefined,
  withAges: boolean,
  style: Style,
): readonly string[] {
  return [
    image.workload === before?.workload ? "" : image.workload,
    image.reason === "not-an-image-reference" ? shortened(image.image, longestTag * 2) : image.image,
    runsText(image, style),
    ...versionTexts(image, style),
    ...(withAges ? [ageText(image.createdAt, style), ageText(image.newestCreatedAt, style)] : []),
    noteOf(image),
  ];
}

/** The number of characters of a tag in a table on a terminal. */
const longestTag = 30;

function tagText(tag: string, { width, wide }: Style): string {
  return width === undefined || wide ? tag : shortened(tag, longestTag);
}

function runsText({ tag, digest, reason }: OutdatedImage, style: Style): string {
  if (tag !== undefined) return tagText(tag, style);
  if (digest !== undefined) return `@ ${digestText(digest, style)}`;
  return reason === "not-an-image-reference" ? "?" : "latest";
}

function versionTexts({ state, patch, minor, major }: OutdatedImage, style: Style): readonly string[] {
  const none = state === "no-version" || state === "unknown" ? "?" : "–";
  return [patch, minor, major].map((tag) => (tag === undefined ? none : tagText(tag, style)));
}

/** Returns the time since an instant in whole days, or in smaller units during the first day. */
function ageText(instant: string | undefined, style: Style): string {
  return instant === undefined ? "–" : elapsed(instant, style).replace(/ d \d+ h$/, " d");
}

function noteOf(image: OutdatedImage): string {
  const { list, state, skipped, tagIsGone, settings } = image;
  const notes = [
    ...(list === "initContainers" ? ["init container"] : list === "volumes" ? ["image volume"] : []),
    ...(tagIsGone === true ? ["the registry no longer has the running tag"] : []),
    ...(state === "moves" ? ["moves: follow its digest"] : []),
    ...(state === "no-version" ? [noVersionText(image, settings !== undefined)] : []),
    ...(skipped === undefined ? [] : [skippedText(skipped)]),
    ...(state === "unknown" ? [unknownText(image)] : []),
  ];
  return notes.join("; ");
}

function noVersionText({ workload }: OutdatedImage, hasSettings: boolean): string {
  return hasSettings
    ? `not a version tag; its order: lookout outdated ${workload} --annotate`
    : "not a version tag, and nothing shows its order";
}

function unknownText({ reason }: OutdatedImage): string {
  if (reason === "not-an-image-reference") return "not an image reference";
  if (reason === "only-a-digest") return "only a digest: name a tag to compare";
  return reason === undefined ? "not known" : reasons[reason].short;
}

function summary(images: readonly OutdatedImage[], command: string): string {
  const counts = countedStates.flatMap(([words, ...states]) => {
    const count = images.filter(({ state }) => states.includes(state)).length;
    return count === 0 && words !== "behind" ? [] : [`${count} ${words}`];
  });
  const all = images.length === 1 ? "1 image" : `${images.length} images`;
  return `${[all, ...counts].join(", ")}. Nothing was changed. To let Lookout update them: ${command} --annotate`;
}

const countedStates: readonly (readonly [string, ...OutdatedImage["state"][]])[] = [
  ["behind", "behind"],
  ["not compared", "unknown", "no-version"],
];

function problemLine(text: string, style: Style): string {
  const [first = "", ...more] = text.split("\n");
  const lines = [hang(`${paintMark("!", style)} `, first, style), ...more.map((line) => `    ${line}`)];
  return `${lines.join("\n")}\n`;
}

function refusedLines({ refused }: Pick<OutdatedImages, "refused">): readonly string[] {
  const isDenied = refused.some(({ refusal, namespace }) => refusal === "denied" && namespace === undefined);
  return [
    ...refused.map(
      ({ plural, namespace, detail }) =>
        `no ${plural} of ${namespace === undefined ? "all namespaces" : `the namespace ${namespace}`}: ${detail}`,
    ),
    ...(isDenied ? ["to list one namespace that you may read: lookout outdated -n NAMESPACE"] : []),
  ];
}

/** The maximum number of lines about registries. */
const mostProblems = 20;

/** Returns a line for each different problem of a registry, with its remedy. */
function registryLines(images: readonly OutdatedImage[]): readonly string[] {
  const texts = images.flatMap(({ reason, detail, image }) => {
    if (reason === undefined || detail === undefined) return [];
    return [`${detail}${remedyOf(reason, detail, image)}`];
  });
  const lines = [...new Set(texts)];
  const more = lines.length - mostProblems;
  return more <= 0 ? lines : [...lines.slice(0, mostProblems), `${more} more problems: lookout outdated -o json`];
}

/** Returns what to change. The text goes on in further lines with what to paste into `lookout.yaml`. */
function remedyOf(reason: NonNullable<OutdatedImage["reason"]>, detail: string, image: string): string {
  if (reason === "registry-denied") return `. ${reasons[reason].remedy}`;
  if (!detail.includes("set allowPrivateNetwork in an entry")) return "";
  const [host = ""] = image.split("/", 1);
  return [":", ...entryToAllow(host)].join("\n");
}

/** Returns the commands that add annotations, each below a comment with its effect. */
export function renderAnnotations(
  { workloads, left }: OutdatedAnnotations,
  { kubectlFlags }: Pick<OutdatedCommand, "kubectlFlags">,
): string {
  const commands = workloads.flatMap(({ workload, annotations, notes }) => {
    const [namespace = "", kind = "", name = ""] = workload.split("/");
    const words = ["kubectl", "annotate", ...kubectlFlags, "-n", namespace, `${kind}/${name}`].map(shellWord);
    return [`# ${[workload, ...notes].join("\n#   ")}`, `${words.join(" ")} ${typed(annotations)}`];
  });
  const others = left.map(({ workload, why }) => `# ${workload}: ${why}`);
  const lines = [...commands, ...others];
  return lines.length === 0 ? "# No workloads found.\n" : `${lines.join("\n")}\n`;
}
