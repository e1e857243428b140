import type { EpochMs } from "#domain/shared/time";
import type { Cluster } from "./cluster.ts";

/** A cluster of EKS, and the role that accesses it. */
export interface EksCluster {
  /** The cluster's name in EKS. */
  readonly name: string;
  /** Absent: the region of this installation. */
  readonly region?: string;
  /** ARN of a role with access. Absent: the role of this installation. */
  readonly roleArn?: string;
}

/** A cluster that a user registered at runtime. Clusters of `lookout.yaml` are not registrations. */
export interface Registration {
  /** The user's name for the cluster. */
  readonly name: string;
  readonly eks: EksCluster;
  readonly namespaces?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly by: string;
  readonly at: EpochMs;
}

/** The registered clusters. Reads are strongly consistent. */
export interface Registrations {
  /** Lists all of them, sorted by name. */
  list(): Promise<readonly Registration[]>;
  /** Stores a registration; false when another one has its name. Storing the same one again is true. */
  put(registration: Registration): Promise<boolean>;
  /** Deletes a registration; false when there is none. */
  remove(name: string): Promise<boolean>;
}

/** The configured clusters, and the way to new ones. */
export interface Registering {
  /** The names of `lookout.yaml`, which registrations can't use. */
  readonly configured: readonly string[];
  /** Returns the cluster of a registration, stored or not. It sends no request yet. */
  reach(registration: Registration): Cluster;
}
