import type { ImagesQuery, ImagesView } from "#contracts/api/history";
import type { DigestRun } from "#domain/history/runs";
import { toIso } from "#domain/shared/time";
import type { PresentRun } from "#ports/digests";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";

/** The view of one run. */
export type RunView = ImagesView["images"][number];

/** Returns a page of the running images, sorted by image. */
export async function listImages(query: ImagesQuery, ports: Ports): Promise<ImagesView> {
  const { q = "", cluster, namespace } = query;
  const runs = (await presentRuns(ports)).filter(
    (run) =>
      imageText(run).includes(q) &&
      (cluster === undefined || run.workload.startsWith(`${cluster}/`)) &&
      (namespace === undefined || run.workload.split("/")[1] === namespace),
  );
  const { rows, end } = pageOf(runs, (run) => `${imageText(run)} ${run.workload} ${run.container}`, query);
  return { at: toIso(ports.clock.now()), images: rows.map(runView), ...end };
}

/** Returns what all workloads run now. */
export async function presentRuns({ clusters, digests }: Ports): Promise<readonly PresentRun[]> {
  return (await Promise.all(clusters.names().map((name) => digests.present(name)))).flat();
}

/** Returns an image with its tag, as people write it. */
export function imageText({ imageName, tag }: Pick<PresentRun, "imageName" | "tag">): string {
  return tag === undefined ? imageName : `${imageName}:${tag}`;
}

/** Returns the view of a run. */
export function runView({ seq, since, ...run }: PresentRun & Pick<Partial<DigestRun>, "until">): RunView {
  const { workload, container, imageName, tag, digest, approvedBy, until } = run;
  return {
    ...{ workload, container, imageName },
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
    since: toIso(since),
    ...(until === undefined ? {} : { until: toIso(until) }),
    ...(seq === undefined ? {} : { update: seq }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
  };
}
