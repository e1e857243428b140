import type { Ports } from "#app/ports";
import { isNews } from "#domain/observation";
import { workloadKey } from "#domain/workload";
import type { WorkloadHint } from "#ports/cluster";
import type { Log } from "../handler.ts";

/** How long the hints of one workload are gathered: a rollout writes its object many times a second. */
const gatherMs = 50;

/**
 * Follows all clusters until the signal aborts, and turns what moves into a look at it.
 *
 * A hint decides nothing: it sends the same work that a schedule or a timer would send later.
 */
export async function followClusters(ports: Ports, signal: AbortSignal, log: Log): Promise<void> {
  const follow = async (name: string): Promise<void> => {
    const gathered = new Map<string, WorkloadHint>();
    const flush = (key: string): void => {
      const hint = gathered.get(key);
      gathered.delete(key);
      if (hint !== undefined && !signal.aborted)
        void lookAt(hint, ports).catch((error: unknown) => {
          log.failure({ id: `watch ${key}`, error });
        });
    };
    const onHint = (hint: WorkloadHint): void => {
      const key = workloadKey(hint.workload);
      if (!gathered.has(key))
        setTimeout(() => {
          flush(key);
        }, gatherMs).unref();
      gathered.set(key, hint);
    };
    await ports.clusters.cluster(name)?.watch(onHint, signal);
  };
  await Promise.all(
    ports.clusters.names().map((name) =>
      follow(name).catch((error: unknown) => {
        log.failure({ id: `watch ${name}`, error });
      }),
    ),
  );
}

async function lookAt({ workload, live }: WorkloadHint, { store, queues, clock }: Ports): Promise<void> {
  const record = await store.read(workloadKey(workload));
  const { active } = record ?? {};
  if (
    record !== undefined &&
    active !== undefined &&
    (active.patchedAt !== undefined || active.status === "rolling-back")
  ) {
    const { uid, seq, version } = record;
    await queues.send([{ work: { command: "CheckRollout", workload, uid, seq, version, hint: true } }]);
    return;
  }
  const worthALook = live === undefined ? record?.tracked === true : isNews(record, live);
  if (!worthALook) return;
  const id = `watch:${clock.now()}:${workloadKey(workload)}`;
  await queues.send([{ work: { command: "EvaluateWorkload", id, workload, because: "watch" } }]);
}
