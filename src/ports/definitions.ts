import type { Declared } from "#domain/definitions/definition";
import type { WorkloadName } from "#domain/workload/workload";

/** The stored definitions of clusters. The syncs write them, and each read of a workload reads them again. */
export interface Definitions {
  /** Lists the definitions of a cluster, sorted by namespace and target. */
  list(cluster: string): Promise<readonly Declared[]>;
  /** Lists the definitions that name a workload, and those of its namespace that name none. */
  about(workload: WorkloadName): Promise<readonly Declared[]>;
  /** Lists the definitions of a namespace that name no workload. */
  inNamespace(place: Pick<WorkloadName, "cluster" | "namespace">): Promise<readonly Declared[]>;
  /** Stores definitions, in place of earlier ones. */
  put(definitions: readonly Declared[]): Promise<void>;
  /** Removes definitions. One whose target changed is another one. */
  remove(definitions: readonly Declared[]): Promise<void>;
}
