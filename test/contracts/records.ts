import { epochMs } from "#domain/shared/time";
import type { Transition, WorkloadRecord } from "#domain/update/state/workload";
import type { WorkloadName } from "#domain/workload/workload";

/** 2026-03-01T00:00:00Z. */
export const start = epochMs(1_772_323_200_000);

/** A Deployment of the cluster prod. */
export const deployment = (name: string, cluster = "prod"): WorkloadName => ({
  cluster,
  namespace: "shop",
  kind: "Deployment",
  name,
});

const tracked: Transition = { seq: 0, what: "tracked", reasons: [], changes: [] };

/** The first version of a record, with nothing open. */
export function firstRecord(workload: WorkloadName, given: Partial<WorkloadRecord> = {}): WorkloadRecord {
  return {
    workload,
    uid: `uid-of-${workload.name}`,
    version: 1,
    seq: 0,
    cause: "EvaluateWorkload:1",
    changedAt: start,
    observed: {
      updateLabel: "abc123-1",
      containers: [{ list: "containers", name: "app", image: "registry.test/shop/app:1.0.0" }],
      annotations: { "lookout.dev/policy": "semver >=1 <2", empty: "" },
      sourceMarks: {},
    },
    blocked: [],
    selectionFailures: [],
    transitions: [tracked],
    effects: {},
    tracked: true,
    ...given,
  };
}

/** The next version of a record, written for another cause. */
export function nextRecord(record: WorkloadRecord, given: Partial<WorkloadRecord> = {}): WorkloadRecord {
  const version = record.version + 1;
  return { ...record, version, cause: `EvaluateWorkload:${String(version)}`, effects: {}, ...given };
}
