import { setTimeout as sleep } from "node:timers/promises";
import type { WorkloadHint } from "#ports/cluster";
import { type WorkloadName, workloadKinds } from "#domain/workload/workload";
import type { Connection } from "./connection.ts";
import { isUnderway } from "./deployment-health.ts";
import { liveWorkload } from "./live-workload.ts";
import { type ListScope, workloadName } from "./list.ts";
import type { Deployment, ObjectList, WorkloadObject } from "./objects.ts";
import { collections, type ListedKind, watchCall } from "./resources.ts";
import { watchEvent } from "./watch-event.ts";

/** How long one watch stays open, in seconds; the next goes on where it ended. */
const WATCH_SECONDS = 300;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Follows the four kinds, and Jobs for their CronJobs, until the signal aborts.
 *
 * A rollout's progress shows in the status of its workload, so that pods need not be followed. What happens between a lost position and the
 * next one is not told. Pauses between attempts double up to a minute, also where a right is missing.
 */
export async function watchWorkloads(
  api: Connection,
  scope: ListScope,
  onHint: (hint: WorkloadHint) => void,
  signal: AbortSignal,
): Promise<void> {
  const ofWorkload = (kind: WorkloadName["kind"], object: WorkloadObject, deleted: boolean): void => {
    const workload = workloadName(scope, kind, object);
    if (workload === undefined) return;
    if (deleted) onHint({ workload });
    else
      onHint({
        workload,
        live: liveWorkload(workload, object),
        underway: kind === "Deployment" && isUnderway(object as Deployment),
      });
  };
  const ofJob = (job: WorkloadObject): void => {
    const workload = cronJobOf(scope, job);
    if (workload !== undefined) onHint({ workload });
  };
  await Promise.all([
    ...workloadKinds.map((kind) => follow(api, kind, (object, deleted) => ofWorkload(kind, object, deleted), signal)),
    follow(api, "Job", ofJob, signal),
  ]);
}

function cronJobOf(scope: ListScope, job: WorkloadObject): WorkloadName | undefined {
  const owner = job.metadata.ownerReferences?.find(({ kind, controller }) => kind === "CronJob" && controller === true);
  if (owner === undefined) return undefined;
  return workloadName(scope, "CronJob", { ...job, metadata: { ...job.metadata, name: owner.name } });
}

async function follow(
  api: Connection,
  kind: ListedKind,
  onObject: (object: WorkloadObject, deleted: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let position: string | undefined;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const began = performance.now();
    position ??= await currentVersion(api, kind, signal);
    if (position !== undefined) position = await followOnce(api, kind, position, onObject, signal);
    // A watch that ends at once was refused, lost or cut by something in between.
    const calm = performance.now() - began > FIRST_PAUSE_MS;
    pause = calm ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pause * 2);
    // Jitter keeps the watches of many clusters from coming back together.
    if (!calm) await sleep(pause * (0.25 + Math.random() / 4), undefined, { signal }).catch(() => undefined);
  }
}

async function currentVersion(api: Connection, kind: ListedKind, signal: AbortSignal): Promise<string | undefined> {
  const answer = await api.send((apis) => collections[kind].list(apis, { limit: 1 }), signal);
  if (answer.kind !== "answered" || answer.status !== 200) return undefined;
  return (answer.body as ObjectList<unknown> | undefined)?.metadata?.resourceVersion;
}

/** Follows one watch to its end, and answers where to go on; undefined when the position is of no use any more. */
async function followOnce(
  api: Connection,
  kind: ListedKind,
  from: string,
  onObject: (object: WorkloadObject, deleted: boolean) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stream = await api.lines(watchCall(kind, from, WATCH_SECONDS), WATCH_SECONDS, signal);
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
    // The connection is lost; what was heard up to here still holds.
    return position;
  }
  return position;
}
