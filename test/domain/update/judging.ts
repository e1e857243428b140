import { noCheckFacts } from "#domain/checks/facts";
import type { Health, RolloutWait } from "#domain/workload/health";
import { type Judged, judged } from "./decisions.ts";
import { type EpochMs } from "#domain/shared/time";
import type { ActiveUpdate, RollingOutUpdate, WorkloadRecord } from "#domain/update/state/workload";
import { judgeRollback, judgeRollout } from "#domain/update/decide/verify";
import { aPatched, aRecord, aRolledBack, at, image, installation, limits, settingsOf } from "../builders.ts";

export const live = aPatched();
export const healthy = (given: Partial<Extract<Health, { kind: "healthy" }>> = {}): Health => ({
  kind: "healthy",
  live,
  pods: 3,
  restarts: 0,
  ...given,
});
export const progressing: Health = { kind: "progressing", live, ready: 1, wanted: 3, detail: "1 of 3 pods are ready" };
export const failed: Health = { kind: "failed", live, detail: "app: ErrImagePull" };
export const still = (why: RolloutWait): Health => ({ kind: "waiting", live, why });
export const oneMinutePast = at("2026-03-02T12:01:00Z");

export const withActive = (active: ActiveUpdate, given: Partial<WorkloadRecord> = {}) =>
  aRecord({ seq: active.seq, active, effects: { dueAt: at("2026-03-02T12:11:00Z") }, ...given });
export const judge = (
  active: RollingOutUpdate,
  health: Health,
  now: EpochMs = oneMinutePast,
  given: Partial<WorkloadRecord> = {},
) => {
  const record = withActive(active, given);
  const verdict = judgeRollout(
    record,
    active,
    { health, installation, settings: settingsOf(record), limits, checks: noCheckFacts },
    now,
  );
  return judged(record, verdict, now);
};
export const judgeBack = (
  health: Health,
  now: EpochMs = oneMinutePast,
  given: Partial<WorkloadRecord> = {},
  active = back,
) => {
  const record = withActive(active, given);
  const verdict = judgeRollback(
    record,
    active,
    { health, installation, settings: settingsOf(record), limits, checks: noCheckFacts },
    now,
  );
  return judged(record, verdict, now);
};
export const recordOf = (verdict: Judged) => (verdict.kind === "store" ? verdict.record : undefined);

export const back = aRolledBack();
export const putBack = aPatched(image("1.0.0"), { labels: { "lookout.dev/update": "abc123-1-back" } });
