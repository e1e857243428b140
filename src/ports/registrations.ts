import type { EpochMs } from "#domain/shared/time";
import type { Cluster } from "./cluster.ts";

/** A cluster of EKS, and the role that accesses it. */
export interface EksCluster {
  /** The cluster's name in EKS. */
  readonly name: string;
  /** The region of the cluster. The default is the region of this installation. */
  readonly region?: string;
  /** The ARN of a role with access. The default is the role of this installation. */
  readonly roleArn?: string;
}

/**
 * A cluster that a user registered at runtime. Clusters of `lookout.yaml` are not registrations.
 */
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
  /** Lists all registrations, sorted by name. */
  list(): Promise<readonly Registration[]>;
  /**
   * Stores a registration. Returns false if another registration has its name. Storing an equal
   * registration again returns true.
   */
  put(registration: Registration): Promise<boolean>;
  /** Deletes a registration. Returns false if no registration has this name. */
  remove(name: string): Promise<boolean>;
}

/** The clusters of `lookout.yaml`, and access to clusters that are being registered. */
export interface Registering {
  /** The names of `lookout.yaml`, which registrations can't use. */
  readonly configured: readonly string[];
  /** Returns the cluster of a registration, which need not be stored. Sends no request. */
  reach(registration: Registration): Cluster;
}
