import { observe } from "#domain/update/decide/observe";
import { neverTracked } from "#domain/update/state/changes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { LiveWorkload } from "#domain/workload/workload";
import { aContainer, anEnded, anObserved, aRecord, decided, digest, image, installation, noon } from "../builders.ts";

export const look = (
  record: WorkloadRecord | undefined,
  live: LiveWorkload,
  running?: Record<string, readonly string[]>,
) => {
  const before = record ?? neverTracked(live.workload);
  return decided(before, observe(before, { live, running, installation }, noon));
};

/** The record of a workload that runs 1.1.0 since update 1 succeeded. */
export const updated = (given: Partial<WorkloadRecord> = {}) =>
  aRecord({
    seq: 1,
    last: anEnded(),
    landed: anEnded(),
    observed: anObserved({
      containers: [aContainer({ image: image("1.1.0", "1"), digest: digest("1"), baseline: digest("1") })],
      updateLabel: "abc123-1",
    }),
    ...given,
  });
