import { durationMs, type EpochMs, seconds } from "#domain/shared/time";
import type { Ports } from "../shared/ports.ts";
import { removedClusters } from "../shared/unknown-cluster.ts";

/** A removed cluster with tracked workloads. */
export interface EndingCluster {
  readonly cluster: string;
  readonly workloads: number;
  /** The instant at which the workloads end, unless the cluster is configured again. */
  readonly endsAt: EpochMs;
}

/** Queues the end of all tracked workloads of removed clusters. */
export async function endRemovedClusters(ports: Ports): Promise<readonly EndingCluster[]> {
  const { store, queues, clock } = ports;
  const ending: EndingCluster[] = [];
  for (const { name, endsAt } of await removedClusters(ports)) {
    const records = (await store.readMany(await store.workloadIndex(name))).filter(({ tracked }) => tracked);
    if (records.length === 0) continue;
    const delay = durationMs(Math.max(0, endsAt - clock.now()) + seconds(1));
    const id = `removed:${endsAt}`;
    await queues.send(
      records.map(({ workload }) => ({
        command: { name: "EvaluateWorkload", id, workload, source: "start" } as const,
        delay,
      })),
    );
    ending.push({ cluster: name, workloads: records.length, endsAt });
  }
  return ending;
}
