import { handler as v1 } from "#functions/api/v1";
import { handler as registryWebhook } from "#functions/detect/registry-webhook";
import { handler as sweepDue } from "#functions/detect/sweep-due";
import { handler as sweepRepository } from "#functions/detect/sweep-repository";
import { handler as syncCluster } from "#functions/detect/sync-cluster";
import { handler as syncDue } from "#functions/detect/sync-due";
import { handler as evaluateWorkload } from "#functions/evaluate/evaluate-workload";
import { handler as imagePushed } from "#functions/evaluate/image-pushed";
import { handler as reap } from "#functions/gate/reap";
import { handler as wake } from "#functions/gate/wake";
import { handler as deadLetter } from "#functions/gate/dead-letter";
import { handler as stateChanged } from "#functions/notify/state-changed";
import { handler as rollOut } from "#functions/rollout/roll-out";
import { handler as checkRollout } from "#functions/verify/check-rollout";
import type { ChangesFunction, QueueFunction, RequestFunction, ScheduleFunction } from "../handler.ts";

/**
 * The functions that queues trigger, by the command or event; `dead-letter` takes the messages that failed on the others. `concurrency` is how many
 * messages may be in work at once that wait for the same cluster, or the same registry.
 */
export const queueFunctions = {
  SyncCluster: { name: "detect/sync-cluster", run: syncCluster, concurrency: 10 },
  // A sweep is in no hurry, and many repositories may be of one registry.
  SweepRepository: { name: "detect/sweep-repository", run: sweepRepository, concurrency: 5 },
  ImagePushed: { name: "evaluate/image-pushed", run: imagePushed, concurrency: 10 },
  EvaluateWorkload: { name: "evaluate/evaluate-workload", run: evaluateWorkload, concurrency: 25 },
  Wake: { name: "gate/wake", run: wake, concurrency: 25 },
  // Ten writes in flight are what one API server serves fastest; more only lengthens each.
  RollOut: { name: "rollout/roll-out", run: rollOut, concurrency: 10 },
  // A look is three requests. With more at once, the API server has less time for the rollouts that are looked at.
  CheckRollout: { name: "verify/check-rollout", run: checkRollout, concurrency: 5 },
  "dead-letter": { name: "gate/dead-letter", run: deadLetter, concurrency: 10 },
} as const satisfies Readonly<
  Record<string, { readonly name: string; readonly run: QueueFunction; readonly concurrency: number }>
>;

/** The functions that schedules trigger, by their names. */
export const scheduleFunctions: ReadonlyMap<string, ScheduleFunction> = new Map([
  ["detect/sync-due", syncDue],
  ["detect/sweep-due", sweepDue],
  ["gate/reap", reap],
]);

/** The function that the writes of records trigger. */
export const changesFunction: ChangesFunction = stateChanged;

/** The functions that HTTP requests trigger. */
export const requestFunctions = {
  "detect/registry-webhook": registryWebhook,
  "api/v1": v1,
} as const satisfies Readonly<Record<string, RequestFunction>>;
