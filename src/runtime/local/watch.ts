import pLimit from "p-limit";
import type { Ports } from "#app/shared/ports";
import { extraCheck } from "#domain/update/effects/commands";
import { differsFromRecord } from "#domain/update/decide/observe";
import { showsDesiredImages } from "#domain/update/decide/observed-changes";
import { deepEqual } from "#domain/shared/deep-equal";
import type { ActiveUpdate } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Cluster, WorkloadHint } from "#ports/cluster";
import type { Log } from "../handler.ts";

/** The time during which hints of one workload are merged. A rollout changes its object often. */
const gatherMs = 50;

/**
 * The maximum number of concurrent hints per cluster. A later hint of a waiting workload replaces
 * the earlier hint.
 */
const hintsAtOnce = 4;

/** The watches of the clusters. */
export interface ClusterWatches {
  /**
   * Watches all clusters, and sends commands for changes. A watched cluster that is no longer among
   * them, or was opened again, is watched no longer.
   */
  follow(ports: Ports): void;
  /** Resolves when all watches have ended. */
  ended(): Promise<void>;
}

interface Watch {
  readonly cluster: Cluster;
  ports: Ports;
  readonly stop: AbortController;
}

/**
 * Returns watches that end when the signal aborts. Without hints, a schedule or a timer would send the
 * same commands later.
 */
export function clusterWatches(stopped: AbortSignal, log: Log): ClusterWatches {
  const watches = new Map<string, Watch>();
  const running = new Set<Promise<void>>();
  const begin = (name: string, watch: Watch): void => {
    const signal = AbortSignal.any([stopped, watch.stop.signal]);
    const ended: Promise<void> = followCluster(watch, signal, log)
      .catch((error: unknown) => {
        log.failure({ id: `watch ${name}`, error });
      })
      .finally(() => running.delete(ended));
    running.add(ended);
  };
  return {
    follow(ports) {
      for (const [name, watch] of watches) {
        if (ports.clusters.cluster(name) === watch.cluster) continue;
        watch.stop.abort();
        watches.delete(name);
      }
      for (const name of ports.clusters.names()) {
        const cluster = ports.clusters.cluster(name);
        const known = watches.get(name);
        if (known !== undefined) known.ports = ports;
        if (known !== undefined || cluster === undefined) continue;
        const watch = { cluster, ports, stop: new AbortController() };
        watches.set(name, watch);
        begin(name, watch);
      }
    },
    async ended() {
      await Promise.all(running);
    },
  };
}

async function followCluster(watch: Watch, signal: AbortSignal, log: Log): Promise<void> {
  const gathered = new Map<string, WorkloadHint>();
  const followed = new Map<string, NonNullable<WorkloadHint["live"]>>();
  const limit = pLimit(hintsAtOnce);
  const flush = async (key: string): Promise<void> => {
    const hint = gathered.get(key);
    gathered.delete(key);
    if (hint === undefined || signal.aborted) return;
    // Only the status of the object changed, and the status shows progress. So no command is
    // needed.
    if (hint.underway === true && deepEqual(followed.get(key), hint.live)) return;
    try {
      await lookAt(hint, watch.ports);
      if (hint.live === undefined) followed.delete(key);
      else followed.set(key, hint.live);
    } catch (error) {
      log.failure({ id: `watch ${key}`, error });
    }
  };
  const onHint = (hint: WorkloadHint): void => {
    const key = workloadKey(hint.workload);
    if (!gathered.has(key))
      setTimeout(() => {
        void limit(flush, key);
      }, gatherMs).unref();
    gathered.set(key, hint);
  };
  await watch.cluster.watch(onHint, signal);
}

async function lookAt(hint: WorkloadHint, { store, queues, clock }: Ports): Promise<void> {
  const { workload, live } = hint;
  const record = await store.read(workloadKey(workload));
  const { active } = record ?? {};
  if (record !== undefined && (active?.status === "rolling-out" || active?.status === "rolling-back")) {
    if (rollsOn(hint, active)) return;
    await queues.send([{ command: extraCheck(record, `watch:${clock.now()}`) }]);
    return;
  }
  const worthALook = live === undefined ? record?.tracked === true : differsFromRecord(record, live);
  if (!worthALook) return;
  const id = `watch:${clock.now()}:${workloadKey(workload)}`;
  await queues.send([{ command: { name: "EvaluateWorkload", id, workload, source: "watch" } }]);
}

/** Returns true while a patched workload makes progress. Scheduled checks find a failure. */
function rollsOn({ live, underway }: WorkloadHint, active: ActiveUpdate): boolean {
  return underway === true && live !== undefined && active.status === "rolling-out" && showsDesiredImages(active, live);
}
