import pLimit from "p-limit";
import * as z from "zod/mini";
import {
  type DigestRun,
  digestRunsOf,
  mayRunOthers,
  newestPoints,
  presentPoints,
  type RunImage,
  type RunPoint,
  type RunSnapshot,
  snapshotOf,
  withSnapshot,
} from "#domain/history/runs";
import { deepEqual } from "#domain/shared/deep-equal";
import { plus } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Digests } from "#ports/digests";
import { TransientError } from "#ports/errors";
import { keptInHistory } from "#ports/history";
import type { Condition, Item, ItemKey, ItemWrite } from "#ports/items";
import { instantText, isSameKey } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { recordKey, recordKind } from "./records.ts";
import { anyText, digest, instant, keyText, list, maybe, type Members, number, text, texts } from "./shape.ts";
import { putIf } from "./writes.ts";

const runImage = {
  imageName: text,
  tag: maybe(anyText),
  digest: maybe(anyText),
  seq: maybe(number),
  approvedBy: maybe(texts),
} satisfies Members<RunImage>;

/** What a workload runs now, and what it ran before. */
interface WorkloadRuns {
  readonly workload: string;
  readonly points: readonly RunPoint[];
}

/** The kind of the running images of workloads. */
export const workloadRunsKind: Kind<WorkloadRuns> = {
  name: "running images of a workload",
  form: 1,
  shape: z.object({
    workload: keyText(800),
    points: list(
      z.object({
        container: text,
        version: number,
        since: instant,
        image: maybe(z.object(runImage)),
      } satisfies Members<RunPoint>),
    ),
  } satisfies Members<WorkloadRuns>),
  isAt: ({ workload }, key) => isSameKey(runsKey(workload), key),
};

/** The kind of the runs of digests. */
export const digestRunKind: Kind<DigestRun> = {
  name: "run of a digest",
  form: 1,
  shape: z.object({
    ...runImage,
    workload: keyText(800),
    container: text,
    digest,
    since: instant,
    until: maybe(instant),
  } satisfies Members<DigestRun>),
  isAt: (run, key) => isSameKey(digestRunKey(run), key),
};

function runsKey(workload: string): ItemKey {
  const [cluster = "", ...rest] = workload.split("/");
  return { pk: runsPartition(cluster), sk: rest.join("/") };
}

/** Returns the partition of what the workloads of a cluster run. */
export function runsPartition(cluster: string): string {
  return `RUNS#${cluster}`;
}

/** Returns the key of a run. */
export function digestRunKey({ digest, workload, since, container }: DigestRun): ItemKey {
  return { pk: digestPartition(digest), sk: `${workload}#${instantText(since)}#${container}` };
}

/** Returns the partition of the runs of a digest. */
export function digestPartition(digest: string): string {
  return `DIGEST#${digest}`;
}

/** The number of tries while other functions write what the same workload runs. */
const maximumTries = 5;
const writesAtOnce = 8;

/** Returns the store of what workloads run, and of the runs of digests. */
export function storedDigests(storage: Storage): Digests {
  const { items } = storage;

  /** Returns the points after a version, and after the present version of the record. */
  const pointsAfter = async (record: WorkloadRecord, workload: string, before: readonly RunPoint[]) => {
    const snapshot = snapshotOf(record);
    const after = snapshot === undefined ? before : withSnapshot(before, snapshot);
    if (deepEqual(after, before)) return before;
    // A version that comes late must not hide what the workload runs now.
    const stored = await items.get(recordKey(workload), `reading the record of ${workload}`);
    const [present] = stored === undefined ? [] : valuesOf(recordKind, [stored], storage);
    const newest = present === undefined || present.version <= record.version ? undefined : snapshotOf(present);
    return newest === undefined ? after : withSnapshot(after, newest);
  };

  const write = async (record: WorkloadRecord, how?: "renew"): Promise<void> => {
    const workload = workloadKey(record.workload);
    const doing = `storing what ${workload} runs`;
    const key = runsKey(workload);
    for (let tries = 0; tries < maximumTries; tries += 1) {
      const stored = await items.get(key, doing);
      const [known] = stored === undefined ? [] : valuesOf(workloadRunsKind, [stored], storage);
      const before = known?.points ?? [];
      const snapshot = how === "renew" ? snapshotOf(record) : undefined;
      const after = snapshot === undefined ? await pointsAfter(record, workload, before) : renewed(before, snapshot);
      if (deepEqual(after, before)) return;
      // The runs come first, so that a repeat after an interruption finds the same differences.
      const writes = runWrites(digestRunsOf(workload, before), digestRunsOf(workload, after), tries > 0);
      await pLimit(writesAtOnce).map(writes, (write) => items.write([write], doing));
      const revision = revisionOf(stored) + 1;
      const item = itemOf(workloadRunsKind, key, { workload, points: newestPoints(after) }, { marks: { revision } });
      if (await putIf(items, item, stillStored(stored), doing)) return;
    }
    throw new TransientError(`other functions changed what ${workload} runs ${maximumTries} times`);
  };

  return {
    note: async (record) => (mayRunOthers(record) ? write(record) : undefined),
    renew: (record) => write(record, "renew"),
    async differing(records) {
      const keys = records.map((record) => runsKey(workloadKey(record.workload)));
      const found = valuesOf(workloadRunsKind, await items.getMany(keys, "reading running images"), storage);
      const stored = new Map(found.map(({ workload, points }) => [workload, points]));
      return records.flatMap((record) => {
        const workload = workloadKey(record.workload);
        const snapshot = snapshotOf(record);
        const before = stored.get(workload) ?? [];
        const isEqual = snapshot === undefined || deepEqual(renewed(before, snapshot), before);
        return isEqual ? [] : [workload];
      });
    },
    async runsOf(digest) {
      const found = await items.query({ pk: digestPartition(digest) }, `listing the runs of ${digest}`);
      return valuesOf(digestRunKind, found, storage);
    },
    async present(cluster) {
      const found = await items.query({ pk: runsPartition(cluster) }, `listing the running images of ${cluster}`);
      return valuesOf(workloadRunsKind, found, storage).flatMap(({ workload, points }) =>
        presentPoints(points).map(({ container, since, image }) => ({ workload, container, ...image, since })),
      );
    },
  };
}

/** Returns points that end with what a record shows. Points of later versions follow from no record. */
function renewed(points: readonly RunPoint[], snapshot: RunSnapshot): readonly RunPoint[] {
  return withSnapshot(
    points.filter(({ version }) => version <= snapshot.version),
    snapshot,
  );
}

function revisionOf(stored: Item | undefined): number {
  const revision = stored?.marks?.["revision"];
  return typeof revision === "number" ? revision : 0;
}

function stillStored(stored: Item | undefined): Condition {
  if (stored === undefined) return { kind: "absent" };
  const revision = revisionOf(stored);
  // An item of another program has no mark.
  const none: Condition = { kind: "any", of: [{ kind: "absent" }, { kind: "equals", mark: "revision", value: 0 }] };
  return revision === 0 ? none : { kind: "equals", mark: "revision", value: revision };
}

/** Returns the writes from runs to other runs. A repeated try writes all of them. */
function runWrites(before: readonly DigestRun[], after: readonly DigestRun[], all: boolean): readonly ItemWrite[] {
  const gone = before.filter((run) => !after.some((other) => isSameKey(digestRunKey(run), digestRunKey(other))));
  const changed = after.filter((run) => all || !before.some((other) => deepEqual(run, other)));
  return [
    ...gone.map((run): ItemWrite => ({ kind: "remove", key: digestRunKey(run) })),
    ...changed.map((run): ItemWrite => ({ kind: "put", item: runItem(run) })),
  ];
}

function runItem(run: DigestRun): Item {
  const { until } = run;
  const expiry = until === undefined ? {} : { expiresAt: plus(until, keptInHistory) };
  return itemOf(digestRunKind, digestRunKey(run), run, expiry);
}
