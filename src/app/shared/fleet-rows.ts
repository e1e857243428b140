import { problemText } from "#domain/annotations/written-settings";
import { imageNameOf } from "#domain/image/reference";
import type { WorkloadSettings } from "#domain/settings/settings";
import { deepEqual } from "#domain/shared/deep-equal";
import type { EpochMs } from "#domain/shared/time";
import type { WaitReason } from "#domain/shared/wait-reason";
import { withoutUndefined } from "#domain/shared/without-undefined";
import { repositoryOf } from "#domain/update/decide/desired-image";
import { blockDetail, blockReasonOf } from "#domain/workload/block-reason";
import { blockedVersions } from "#domain/update/state/blocked-versions";
import type { BlockedDigest, WorkloadRecord } from "#domain/update/state/workload";
import type { ContainerState } from "#domain/workload/observed";
import type { ImageChange } from "#domain/workload/patch";
import { workloadKey } from "#domain/workload/workload";
import { type FleetRow, type GoneRow, isGone, type RowFailures, type RowImage } from "#ports/fleet";
import { settingsOf } from "./records.ts";
import type { Ports } from "./ports.ts";
import { stateOf, stopsOf, unblockedFailures, wantedChanges } from "./workload-state.ts";

type RowPorts = Pick<Ports, "fleet" | "patterns" | "spending" | "rules">;

/** The largest number of containers of a row. */
const mostImages = 20;

/**
 * Writes the rows of changed records, if what a list shows of them changed. Changes may come twice,
 * late, or not at all.
 */
export async function writeFleetRows(records: readonly WorkloadRecord[], ports: RowPorts): Promise<void> {
  const changed = await changedRows(records, ports);
  if (changed.length > 0) await ports.fleet.write(changed);
}

/** Returns the rows of records that differ from the stored ones. An older record changes none. */
export async function changedRows(
  records: readonly WorkloadRecord[],
  ports: RowPorts,
): Promise<readonly (FleetRow | GoneRow)[]> {
  const newest = new Map<string, WorkloadRecord>();
  for (const record of records) {
    const key = workloadKey(record.workload);
    if (record.version >= (newest.get(key)?.version ?? 0)) newest.set(key, record);
  }
  const stored = new Map((await ports.fleet.readMany([...newest.keys()])).map((row) => [row.workload, row]));
  const differing = await differingRows(newest, stored, ports);
  if (differing.length === 0) return [];
  // A batch may be late, and a version after it may have left the row as it was. Only the record shows what is true.
  const present = await ports.fleet.records(differing.map(({ workload }) => workload));
  const versions = new Map(differing.map(({ workload, version }) => [workload, version]));
  const later = present.filter(({ workload, version }) => version > (versions.get(workloadKey(workload)) ?? 0));
  const latest = new Map(later.map((record) => [workloadKey(record.workload), record]));
  return [
    ...differing.filter(({ workload }) => !latest.has(workload)),
    ...(await differingRows(latest, stored, ports)),
  ];
}

async function differingRows(
  newest: ReadonlyMap<string, WorkloadRecord>,
  stored: ReadonlyMap<string, FleetRow | GoneRow>,
  ports: RowPorts,
): Promise<readonly (FleetRow | GoneRow)[]> {
  const rows = await Promise.all(
    [...newest].map(async ([key, record]) => {
      const before = stored.get(key);
      if (before !== undefined && before.version > record.version) return [];
      if (!record.tracked) return before !== undefined && isGone(before) ? [] : [goneRow(record)];
      const row = rowOf(record, await settingsOf(record, ports), before);
      return before !== undefined && deepEqual({ ...row, version: before.version }, before) ? [] : [row];
    }),
  );
  return rows.flat();
}

function goneRow({ workload, version, changedAt }: WorkloadRecord): GoneRow {
  return { workload: workloadKey(workload), version, goneAt: changedAt };
}

/** Returns the row of a tracked record. The row before keeps the start of a state that the record lacks. */
export function rowOf(record: WorkloadRecord, settings: WorkloadSettings, before?: FleetRow | GoneRow): FleetRow {
  const blocked = blockedVersions(record, settings);
  const broken = settings.problems.find(({ closes }) => closes);
  const state = stateOf(
    { ...record, selectionFailures: [] },
    { isBroken: broken !== undefined, isBlocked: blocked.length > 0, isUnchecked: false },
  );
  const containers = record.observed.containers.toSorted(
    (one, other) => Number(other.name in settings.containers) - Number(one.name in settings.containers),
  );
  const known = before !== undefined && !isGone(before) && before.state === state ? before.since : undefined;
  const latestBlock = blocked[0]?.blocked;
  const waits = [...waitsOf(record), ...whyResting(state, broken, latestBlock)];
  return withoutUndefined<FleetRow>({
    workload: workloadKey(record.workload),
    version: record.version,
    state,
    since: (state === "problem" ? undefined : startOf(record, latestBlock?.at)) ?? known ?? record.changedAt,
    runs: containers.slice(0, mostImages).map((container) => runningImage(container, settings)),
    containers: containers.length > mostImages ? containers.length : undefined,
    wants: wantedChanges(record).slice(0, mostImages).map(wantedImage),
    waits: waits.map((wait, index) => shortWait(wait, index)),
    failures: failuresOf(record),
    labels: record.observed.labels,
  });
}

/** Returns the reason of a state without an update. */
function whyResting(
  state: string,
  broken: WorkloadSettings["problems"][number] | undefined,
  block: BlockedDigest | undefined,
): readonly WaitReason[] {
  if (state === "problem" && broken !== undefined)
    return [{ reason: "problem-in-settings", detail: problemText(broken) }];
  return state === "blocked" && block !== undefined
    ? [{ reason: blockReasonOf(block), detail: blockDetail(block) }]
    : [];
}

/** Returns the start of a state; undefined if the record does not tell it. */
function startOf({ active, pending, hold, last }: WorkloadRecord, blockedAt?: EpochMs): EpochMs | undefined {
  switch (active?.status) {
    case "released":
    case "patching":
      return active.releasedAt;
    case "rolling-out":
      return active.patchedAt;
    case "rolling-back":
      return active.failure.at;
    case undefined:
      return pending?.selectedAt ?? hold?.at ?? blockedAt ?? last?.endedAt;
  }
}

function waitsOf(record: WorkloadRecord): readonly WaitReason[] {
  const waits = ownWaitsOf(record);
  return [...waits, ...stopsOf(record, waits)];
}

function ownWaitsOf({ active, pending, hold, retry }: WorkloadRecord): readonly WaitReason[] {
  if (active?.status === "rolling-back") return [{ reason: active.failure.reason, detail: active.failure.detail }];
  if (active !== undefined) return retry?.pause === undefined ? [] : [retry.pause];
  if (pending !== undefined) return pending.waits;
  return hold === undefined ? [] : [{ reason: hold.reason, detail: hold.detail }];
}

/** The maximum length of a detail. The workload itself has the whole detail. */
const longestDetail = 160;

function shortWait({ reason, until, detail, member }: WaitReason, index: number): WaitReason {
  if (index > 0) return { reason };
  const short = detail?.slice(0, longestDetail).toWellFormed();
  return withoutUndefined<WaitReason>({ reason, until, detail: short, member });
}

function failuresOf(record: WorkloadRecord): RowFailures | undefined {
  const failures = unblockedFailures(record);
  if (failures.length === 0) return undefined;
  return {
    at: record.changedAt,
    of: failures.slice(0, mostImages).map(({ container, reason, detail }) => {
      return {
        container,
        reason,
        ...(detail !== undefined && { detail: detail.slice(0, longestDetail).toWellFormed() }),
      };
    }),
  };
}

function runningImage(container: ContainerState, settings: WorkloadSettings): RowImage {
  const own = settings.containers[container.name];
  const reference = repositoryOf(container);
  const { available, advice } = container;
  return rowImage({
    name: container.name,
    imageName: reference === undefined ? container.image : imageNameOf(reference),
    tag: reference?.tag,
    digest: container.digest,
    image: container.image,
    policy: own?.policyText,
    available,
    skipped: own === undefined ? undefined : advice?.skipped,
  });
}

function wantedImage({ name, imageName, tag, digest, to }: ImageChange): RowImage {
  return rowImage({ name, imageName, tag, digest, image: to });
}

type AllOf = { readonly [Name in keyof RowImage]?: RowImage[Name] | undefined };

/** Returns an image without the text of the manifest if {@link imageText} makes it. */
function rowImage({ image, ...rest }: AllOf & Pick<RowImage, "name" | "imageName">): RowImage {
  const plain = withoutUndefined<RowImage>(rest);
  return image === undefined || image === imageText(plain) ? plain : { ...plain, image };
}

/** Returns the text of an image in the manifest. */
export function imageText({ imageName, tag, digest, image }: RowImage): string {
  if (image !== undefined) return image;
  return `${imageName}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}
