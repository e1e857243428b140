import type { DigestView, ImagesView } from "#contracts/api/history";
import { versionText, withShortDigests } from "./image.ts";
import { type Style, paintHeading } from "./style.ts";
import { renderTable } from "./table.ts";
import { clock, relative, stamp } from "./time.ts";

type Run = ImagesView["images"][number];

/** Returns a table of running images, sorted by image. */
export function renderImages({ images }: ImagesView, asked: string | undefined, style: Style): string {
  if (images.length === 0)
    return asked === undefined
      ? "No tracked workload runs an image yet. To see what Lookout tracks: lookout status\n"
      : `No tracked workload runs an image with "${asked}" in its name or tag. To see all images: lookout images\n`;
  const rows = images.map((run) => [
    run.imageName,
    versionText(run, style),
    `${run.workload} ${run.container}`,
    sinceOf(run, style),
  ]);
  return renderTable(["IMAGE", "VERSION", "WORKLOAD AND CONTAINER", "SINCE"], rows, style);
}

function sinceOf({ since, update, approvedBy = [] }: Run, style: Style): string {
  const from = update === undefined ? "" : `, update ${update}`;
  const people = approvedBy.length === 0 ? "" : `, approved by ${approvedBy.join(", ")}`;
  return `${relative(since, style)}${from}${people}`;
}

/** Returns who runs a digest, who ran it, and its path, as three tables. */
export function renderDigest(view: DigestView, at: string | undefined, style: Style): string {
  const { digest, images, runs, ran, path } = view;
  const when = at === undefined ? "now" : `at ${clock(view.at, style)}`;
  const head = `${digest}${images.length === 0 ? "" : `\n${images.join(", ")}`}`;
  const running =
    runs.length === 0 ? `No workload ${at === undefined ? "runs" : "ran"} it ${when}.\n` : runTable(runs, style);
  const others = ran.length === 0 ? "" : `\n${paintHeading("OTHER RUNS", style)}\n${runTable(ran, style)}`;
  const steps = path.length === 0 ? "" : `\n${paintHeading("PATH", style)}\n${pathTable(path, style)}`;
  return `${head}\n\n${paintHeading(at === undefined ? "RUNS NOW" : `RAN ${when}`, style)}\n${running}${others}${steps}`;
}

function runTable(runs: readonly Run[], style: Style): string {
  const rows = runs.map((run) => [
    run.workload,
    run.container,
    stamp(run.since, style),
    run.until === undefined ? "–" : stamp(run.until, style),
    run.update === undefined ? "–" : String(run.update),
    run.approvedBy?.join(", ") ?? "–",
  ]);
  return renderTable(["WORKLOAD", "CONTAINER", "FROM", "UNTIL", "UPDATE", "APPROVED BY"], rows, style);
}

function pathTable(path: DigestView["path"], style: Style): string {
  const rows = path.map(({ at, what, workload, update, image, by, why }) => [
    at === undefined ? "–" : stamp(at, style),
    what,
    workload === undefined ? "–" : `${workload}${update === undefined ? "" : `#${update}`}`,
    [image, by && `by ${by}`, why].flatMap((text) => (text ? [withShortDigests(text, style)] : [])).join(" · "),
  ]);
  return renderTable(["WHEN", "WHAT", "UPDATE", "DETAIL"], rows, style);
}
