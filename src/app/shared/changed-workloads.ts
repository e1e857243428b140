import type { LiveWorkload } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";

/** How the workloads of a cluster are changed before anything reads them. */
export interface WorkloadChange {
  readonly one: (live: LiveWorkload) => LiveWorkload | Promise<LiveWorkload>;
  /** Changes the workloads of one list. */
  readonly all: (live: readonly LiveWorkload[]) => readonly LiveWorkload[] | Promise<readonly LiveWorkload[]>;
}

/** Returns a cluster whose answers have changed workloads. Its hints are as before. */
export function withChangedWorkloads(cluster: Cluster, { one, all }: WorkloadChange): Cluster {
  const withLive = async <Answer extends { readonly kind: string }>(answer: Answer): Promise<Answer> =>
    "live" in answer ? { ...answer, live: await one(answer.live as LiveWorkload) } : answer;
  return {
    ...cluster,
    list: async (since, signal) => {
      const list = await cluster.list(since, signal);
      return list.kind === "workloads" ? { ...list, live: await all(list.live) } : list;
    },
    read: async (workload, signal) => withLive(await cluster.read(workload, signal)),
    patch: async (patch, signal) => withLive(await cluster.patch(patch, signal)),
    health: async (workload, since, signal) => withLive(await cluster.health(workload, since, signal)),
  };
}
