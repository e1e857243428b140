import { describe, expect, it } from "vitest";
import { syncCluster } from "#app/detect/sync-cluster";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { OutgoingCommand } from "#ports/messaging";
import { trackApi, world } from "../world.ts";

describe("a sync after an outage", () => {
  it("evaluates a workload once that changed and waits for an evaluation", async () => {
    const lookout = world();
    const key = await trackApi(lookout);
    const record = await lookout.record(key);
    const stored: WorkloadRecord = {
      ...record,
      observed: { ...record.observed, annotations: {} },
      needsEvaluation: true,
      retry: { failedEvaluations: 3 },
    };
    const state = await lookout.ports.clusterStates.read("prod");
    await lookout.ports.clusterStates.write({ name: "prod", ...state, toWake: true });
    const sent: OutgoingCommand[] = [];

    await syncCluster(
      { name: "SyncCluster", id: "1", cluster: "prod" },
      {
        ...lookout.ports,
        store: { ...lookout.ports.store, readMany: () => Promise.resolve([stored]) },
        queues: {
          send: (all) => {
            sent.push(...all);
            return Promise.resolve();
          },
        },
      },
      AbortSignal.timeout(1_000),
    );

    expect(sent.map(({ command }) => command)).toEqual([
      { name: "EvaluateWorkload", id: `1:${key}`, workload: record.workload, source: "sync" },
    ]);
  });
});
