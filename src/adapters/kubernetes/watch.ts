import { setTimeout as sleep } from "node:timers/promises";
import type { WorkloadHint } from "#ports/cluster";
import type { WorkloadName } from "#domain/workload/workload";
import { listedParts } from "#domain/update/decide/observe";
import { type Collection, watchCall } from "./collections.ts";
import type { Connection } from "./connection.ts";
import { isPageNotFound } from "./installed.ts";
import type { ReadKind } from "./kinds/index.ts";
import { liveWorkload } from "./live-workload.ts";
import { type ListScope, workloadName } from "./list.ts";
import type { ObjectList, WorkloadObject } from "./objects.ts";
import { isWorkloadObject } from "./outcome.ts";
import { watchEvent } from "./watch-event.ts";

/** The duration of one watch. The next watch continues where the last watch ended. */
const WATCH_SECONDS = 300;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The pause of a custom resource that the cluster lacks, which may be installed later. */
const ABSENT_PAUSE_MS = 4 * 60_000;

/**
 * Watches all kinds of workload, and the objects that some controllers create, until the signal
 * aborts. The watch misses the changes between a lost position and the next list. Pauses between
 * attempts double up to a minute.
 */
export async function watchWorkloads(
  api: Connection,
  scope: ListScope,
  onHint: (hint: WorkloadHint) => void,
  signal: AbortSignal,
): Promise<void> {
  const ofWorkload = (row: ReadKind, object: WorkloadObject, deleted: boolean): void => {
    const workload = isWorkloadObject(object) || deleted ? workloadName(scope, row.kind, object) : undefined;
    if (workload === undefined) return;
    if (deleted) onHint({ workload });
    else
      onHint({
        workload,
        live: listedParts(liveWorkload(row, workload, object)),
        underway: row.isUnderway?.(object) ?? false,
      });
  };
  const ofMade = (row: ReadKind, object: WorkloadObject): void => {
    const workload = makerOf(scope, row, object);
    if (workload !== undefined) onHint({ workload });
  };
  await Promise.all(
    [...scope.kinds.values()].flatMap((row) => {
      const { makes } = row;
      const own = follow(api, row, (object, deleted) => ofWorkload(row, object, deleted), signal);
      return makes === undefined ? [own] : [own, follow(api, makes, (object) => ofMade(row, object), signal)];
    }),
  );
}

function makerOf(scope: ListScope, row: ReadKind, made: WorkloadObject): WorkloadName | undefined {
  const owner = made.metadata.ownerReferences?.find((one) => one.kind === row.ownerKind && one.controller === true);
  if (owner === undefined) return undefined;
  return workloadName(scope, row.kind, { ...made, metadata: { ...made.metadata, name: owner.name } });
}

async function follow(
  api: Connection,
  collection: Collection,
  onObject: (object: WorkloadObject, deleted: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let position: string | undefined;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const began = performance.now();
    const found = position ?? (await currentVersion(api, collection, signal));
    position = found === "absent" ? undefined : found;
    if (position !== undefined) position = await followOnce(api, collection, position, onObject, signal);
    // A watch that ends immediately was rejected or cut off.
    const calm = performance.now() - began > FIRST_PAUSE_MS;
    pause = calm ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pause * 2);
    const wait = found === "absent" ? ABSENT_PAUSE_MS : pause;
    // Without jitter, the watches of many clusters would restart together.
    if (!calm) await sleep(wait * (0.25 + Math.random() / 4), undefined, { signal }).catch(() => undefined);
  }
}

/** Returns the version of a collection, or `absent` if the server has no such collection. */
async function currentVersion(api: Connection, { list }: Collection, signal: AbortSignal): Promise<string | undefined> {
  const answer = await api.send((apis) => list(apis, { limit: 1 }), signal);
  if (isPageNotFound(answer)) return "absent";
  if (answer.kind !== "answered" || answer.status !== 200) return undefined;
  return (answer.body as ObjectList<unknown> | undefined)?.metadata?.resourceVersion;
}

/**
 * Follows one watch to its end. Returns its last position, or undefined when the position expired.
 */
async function followOnce(
  api: Connection,
  collection: Collection,
  from: string,
  onObject: (object: WorkloadObject, deleted: boolean) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stream = await api.lines(watchCall(collection, from, WATCH_SECONDS), WATCH_SECONDS, signal);
  if (stream.kind !== "lines") return stream.kind === "answered" ? undefined : from;
  let position = from;
  try {
    for await (const line of stream.lines) {
      const event = watchEvent(line);
      if (event.kind === "expired" || event.kind === "broken") return undefined;
      position = event.resourceVersion;
      if (event.kind !== "bookmark") onObject(event.object, event.kind === "deleted");
    }
  } catch {
    // The connection is lost. The next watch continues after the last received event.
    return position;
  }
  return position;
}
