import { beforeEach, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { ClusterState, ClusterStates } from "#ports/cluster-states";

const looked: ClusterState = {
  name: "prod",
  identity: "5c7a",
  position: '{"Deployment":"812"}',
  lastCompleteListAt: epochMs(1_763_700_000_000),
  lastSyncAt: epochMs(1_763_700_060_000),
};

/** What every memory of clusters does, whatever keeps it. */
export function clusterStatesContract(makeStates: () => Promise<ClusterStates>): void {
  let states: ClusterStates;
  beforeEach(async () => {
    states = await makeStates();
  });

  it("a cluster without a sync has no state", async () => {
    await states.write(looked);
    expect(await states.read("stage")).toBeUndefined();
  });

  it("the states of all clusters are listed by name, each once", async () => {
    expect(await states.list()).toEqual([]);
    await states.write({ name: "stage" });
    await states.write({ name: "prod" });
    await states.write(looked);

    expect(await states.list()).toEqual([looked, { name: "stage" }]);
  });

  it("the last written state of a cluster is read whole", async () => {
    const storeProblem: ClusterState = {
      name: "prod",
      problem: {
        reason: "cluster-unreachable",
        detail: "connection refused",
        since: epochMs(1_763_700_120_000),
        at: epochMs(1_763_700_180_000),
      },
    };
    await states.write(looked);
    expect(await states.read("prod")).toEqual(looked);
    await states.write(storeProblem);
    expect(await states.read("prod")).toEqual(storeProblem);
  });
}
