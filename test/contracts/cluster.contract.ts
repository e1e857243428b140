import { beforeAll } from "vitest";
import type { ClusterBed } from "./cluster-bed.ts";
import { clusterHealthContract } from "./cluster-health.contract.ts";
import { clusterListContract } from "./cluster-list.contract.ts";
import { clusterWritesContract } from "./cluster-writes.contract.ts";

/**
 * What every cluster promises, whatever it is made of. One bed serves all tests: each makes
 * workloads of its own.
 */
export function clusterContract(makeBed: () => Promise<ClusterBed>): void {
  let bed: ClusterBed | undefined;
  beforeAll(async () => {
    bed = await makeBed();
  });
  const present = (): ClusterBed => {
    if (bed === undefined) throw new Error("the bed is not made");
    return bed;
  };
  clusterWritesContract(present);
  clusterHealthContract(present);
  clusterListContract(present);
}
