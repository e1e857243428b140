import type { EpochMs } from "#domain/shared/time";
import type { Cluster } from "./cluster.ts";

/** A cluster of EKS, and as whom Lookout comes to it. */
export interface EksCluster {
  /** What EKS calls it. */
  readonly name: string;
  /** Absent: the region of this installation. */
  readonly region?: string;
  /** ARN of the role whose token it lets in. Absent: that of this installation. */
  readonly roleArn?: string;
  /** Address of its API server, and its certificate authority in base64: both, or EKS is asked. */
  readonly endpoint?: string;
  readonly certificateAuthority?: string;
}

/** A cluster that somebody registered while Lookout runs. Those of `lookout.yaml` are none of these. */
export interface Registration {
  /** The owner's word for it. */
  readonly name: string;
  readonly eks: EksCluster;
  readonly namespaces?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly by: string;
  readonly at: EpochMs;
}

/** The clusters that were registered. Reads are strongly consistent. */
export interface Registrations {
  /** Lists all of them, sorted by name. */
  list(): Promise<readonly Registration[]>;
  /** Registers a cluster; false when its name is taken, and then nothing is changed. The same registration put again is true. */
  put(registration: Registration): Promise<boolean>;
  /** Takes a cluster off the list; false when it was not on it. */
  remove(name: string): Promise<boolean>;
}

/** Clusters can be registered here. */
export interface Registering {
  /** The names of `lookout.yaml`, which can be neither taken nor removed. */
  readonly configured: readonly string[];
  /** Reaches a cluster whether or not it is registered. Nothing is asked yet. */
  reach(registration: Registration): Cluster;
}
