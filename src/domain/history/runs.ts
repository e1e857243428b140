import { imageNameOf } from "../image/reference.ts";
import type { EpochMs } from "../shared/time.ts";
import { repositoryOf } from "../update/decide/desired-image.ts";
import { runningOf, type Transition, type WorkloadRecord } from "../update/state/workload.ts";
import type { ContainerState } from "../workload/observed.ts";

/** An image that a container runs, or has run. */
export interface RunImage {
  readonly imageName: string;
  /** Absent if the image names no tag. */
  readonly tag?: string;
  /** Absent while the digest is unknown. */
  readonly digest?: string;
  /** The number of the update that brought the image. Absent if Lookout did not bring it. */
  readonly seq?: number;
  /** The people who approved the update. Absent if it needed no approval. */
  readonly approvedBy?: readonly string[];
}

/** What a container of a workload began to run. Without an image, the container ended. */
export interface RunPoint {
  readonly container: string;
  /** The version of the record that showed the image first. */
  readonly version: number;
  readonly since: EpochMs;
  readonly image?: RunImage;
}

/** What a workload ran at one version of its record. */
export interface RunSnapshot {
  readonly version: number;
  readonly at: EpochMs;
  readonly points: readonly RunPoint[];
}

/** An image that a container of a workload ran, from an instant to an instant. */
export interface DigestRun extends RunImage {
  readonly workload: string;
  readonly container: string;
  readonly digest: string;
  readonly since: EpochMs;
  /** Absent while the container runs the image. */
  readonly until?: EpochMs;
}

/** The transitions after which a workload may run other images. */
const changing: ReadonlySet<Transition["what"]> = new Set([
  ...(["tracked", "observed", "untracked", "running", "succeeded"] as const),
  ...(["rolled-back", "rollback-failed", "failed", "reverted", "superseded"] as const),
]);

/** Returns whether a version may show other running images than the version before it. */
export function mayRunOthers({ transitions }: Pick<WorkloadRecord, "transitions">): boolean {
  return transitions.some(({ what }) => changing.has(what));
}

/** Returns what a workload runs. Undefined while its pods are being replaced. */
export function snapshotOf(record: WorkloadRecord): RunSnapshot | undefined {
  const { version, changedAt: at, active } = record;
  if (!record.tracked) return { version, at, points: [] };
  if (active !== undefined && (active.status !== "rolling-out" || runningOf(active.progress) === undefined))
    return undefined;
  return { version, at, points: record.observed.containers.map((container) => pointOf(record, container)) };
}

function pointOf(record: WorkloadRecord, container: ContainerState): RunPoint {
  const { version, changedAt } = record;
  const own = landedOn(record, container);
  if (own !== undefined) return { container: container.name, version, ...own };
  const reference = repositoryOf(container);
  const { tag } = reference ?? {};
  const image = {
    imageName: reference === undefined ? container.image : imageNameOf(reference),
    ...(tag === undefined ? {} : { tag }),
    ...(container.digest === undefined ? {} : { digest: container.digest }),
  };
  return { container: container.name, version, since: changedAt, image };
}

/** Returns the image of the update whose text the container has. */
function landedOn(
  { active, last, landed }: WorkloadRecord,
  { name, image: text }: ContainerState,
): Pick<RunPoint, "since" | "image"> | undefined {
  for (const update of [active, last, landed]) {
    if (update === undefined || (update.status !== "rolling-out" && update.status !== "succeeded")) continue;
    const change = update.changes.find((one) => one.name === name && one.to === text);
    if (change === undefined) continue;
    const running = update.status === "rolling-out" ? runningOf(update.progress)?.since : update.runningSince;
    const { imageName, tag, digest } = change;
    const approvedBy = update.approval?.approvedBy ?? [];
    const approved = approvedBy.length === 0 ? {} : { approvedBy };
    return {
      since: running ?? update.patchedAt,
      image: { imageName, tag, digest, seq: update.seq, ...approved },
    };
  }
  return undefined;
}

/**
 * The most points of a container that a workload keeps. A version that is older than all of them was
 * told before, or comes too late.
 */
const mostPoints = 4;

/** Adds what a workload ran at a version to what it ran before and after. A repeat changes nothing. */
export function withSnapshot(
  points: readonly RunPoint[],
  { version, at, points: seen }: RunSnapshot,
): readonly RunPoint[] {
  const names = [...new Set([...points, ...seen].map(({ container }) => container))].sort();
  return names.flatMap((container) => {
    const before = points.filter((point) => point.container === container);
    if (before.some((point) => point.version === version)) return before;
    const [oldest] = before;
    if (oldest !== undefined && before.length >= mostPoints && version < oldest.version) return before;
    const point = seen.find((one) => one.container === container) ?? { container, version, since: at };
    const last = before.findLast((one) => one.version < version);
    // A user went back to the image of an earlier update, which did not run all the time.
    const isAgain = last !== undefined && point.since <= last.since;
    const begun = isAgain ? { ...point, since: at } : point;
    return collapsed([...before, begun].sort((one, other) => one.version - other.version));
  });
}

/** Drops points that show no change. The first of equal points stays, with a digest that came later. */
function collapsed(points: readonly RunPoint[]): readonly RunPoint[] {
  const kept: RunPoint[] = [];
  for (const point of points) {
    const last = kept.at(-1);
    if (last === undefined ? point.image === undefined : isSame(last.image, point.image)) {
      if (last?.image !== undefined && last.image.digest === undefined && point.image?.digest !== undefined)
        kept.splice(-1, 1, { ...last, image: { ...last.image, digest: point.image.digest } });
    } else kept.push(point);
  }
  return kept;
}

function isSame(one: RunImage | undefined, other: RunImage | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.imageName !== other.imageName || one.tag !== other.tag) return false;
  return one.digest === other.digest || one.digest === undefined || other.digest === undefined;
}

/** Returns the newest points of each container. */
export function newestPoints(points: readonly RunPoint[]): readonly RunPoint[] {
  return points.filter(
    (point) =>
      points.filter((one) => one.container === point.container && one.version > point.version).length < mostPoints,
  );
}

/** Returns the runs of digests that points of a workload show. */
export function digestRunsOf(workload: string, points: readonly RunPoint[]): readonly DigestRun[] {
  return points.flatMap(({ container, version, since, image }) => {
    const { digest } = image ?? {};
    if (image === undefined || digest === undefined) return [];
    const next = points.find((one) => one.container === container && one.version > version);
    const until = next === undefined ? {} : { until: next.since > since ? next.since : since };
    return [{ workload, container, ...image, digest, since, ...until }];
  });
}

/** Returns the present images of a workload's containers. */
export function presentPoints(points: readonly RunPoint[]): readonly (RunPoint & Required<Pick<RunPoint, "image">>)[] {
  return points.flatMap((point) => {
    const isPast = points.some((one) => one.container === point.container && one.version > point.version);
    return isPast || point.image === undefined ? [] : [{ ...point, image: point.image }];
  });
}
