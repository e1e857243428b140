import type { WorkloadName } from "#domain/workload/workload";
import type { MemoryCluster } from "./cluster-hands.ts";

/** What a call of a cluster is about: a workload, or something with its workload. */
interface About {
  readonly cluster?: string;
  readonly workload?: Partial<WorkloadName>;
}

/**
 * Returns clusters as one: each call goes to the cluster of the workload that its first argument names.
 * All else comes from the main cluster.
 */
export function asOneCluster(clusters: ReadonlyMap<string, MemoryCluster>, main: MemoryCluster): MemoryCluster {
  const of = (asked: unknown): MemoryCluster => {
    const { cluster, workload } = (asked ?? {}) as About;
    return clusters.get(cluster ?? workload?.cluster ?? "") ?? main;
  };
  return new Proxy(main, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const cluster = of(args[0]);
        return (Reflect.get(cluster, key) as (...all: readonly unknown[]) => unknown).apply(cluster, [...args]);
      };
    },
  });
}
