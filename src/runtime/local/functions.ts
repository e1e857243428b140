import {
  functionName,
  type FunctionName,
  type HandledEvent,
  messageOf,
  type QueueCommand,
  type Route,
  routes,
  type Trigger,
} from "#contracts/routes";
import { handler as checkRollout } from "#functions/verify/check-rollout";
import { handler as deliver } from "#functions/notify/deliver";
import { handler as deadLetter } from "#functions/gate/dead-letter";
import { handler as evaluateWorkload } from "#functions/evaluate/evaluate-workload";
import { handler as imagePushed } from "#functions/evaluate/image-pushed";
import { handler as askChecks } from "#functions/gate/ask-checks";
import { handler as reap } from "#functions/gate/reap";
import { handler as registryWebhook } from "#functions/detect/registry-webhook";
import { handler as rollOut } from "#functions/rollout/roll-out";
import { handler as stateChanged } from "#functions/notify/state-changed";
import { handler as sweepDue } from "#functions/detect/sweep-due";
import { handler as sweepRepository } from "#functions/detect/sweep-repository";
import { handler as syncCluster } from "#functions/detect/sync-cluster";
import { handler as syncDue } from "#functions/detect/sync-due";
import { handler as v1 } from "#functions/api/v1";
import { handler as wake } from "#functions/gate/wake";
import type { ChangesFunction, QueueFunction, RequestFunction, ScheduleFunction } from "../handler.ts";

type Kind = Trigger["kind"];
type KnownRoute = (typeof routes)[number];
type NameOf<One> = One extends Pick<Route, "stage" | "name"> ? `${One["stage"]}/${One["name"]}` : never;
type RequestName = NameOf<Extract<KnownRoute, { trigger: { kind: "http" } }>>;

/** A function of the route table, with its handler. */
interface Runnable<Run, Of extends Kind> {
  readonly name: FunctionName;
  readonly route: Route & { readonly trigger: Extract<Trigger, { kind: Of }> };
  readonly run: Run;
}

/**
 * The name of a local queue: the command or event that the queue holds, or `dead-letter` for dead
 * letters.
 */
export type QueueName = QueueCommand | HandledEvent["name"] | "dead-letter";

/** The handlers of all functions. They are named here, because a bundler can't follow computed imports. */
const handlers: Readonly<Record<NameOf<KnownRoute>, unknown>> = {
  "detect/registry-webhook": registryWebhook,
  "detect/sync-due": syncDue,
  "detect/sync-cluster": syncCluster,
  "detect/sweep-due": sweepDue,
  "detect/sweep-repository": sweepRepository,
  "evaluate/image-pushed": imagePushed,
  "evaluate/evaluate-workload": evaluateWorkload,
  "gate/wake": wake,
  "gate/ask-checks": askChecks,
  "gate/reap": reap,
  "gate/dead-letter": deadLetter,
  "rollout/roll-out": rollOut,
  "verify/check-rollout": checkRollout,
  "notify/state-changed": stateChanged,
  "notify/deliver": deliver,
  "api/v1": v1,
};

const runnables = routes.map((route: Route & KnownRoute) => {
  const name = functionName(route);
  return { name, route, run: handlers[name as NameOf<KnownRoute>] };
});

/**
 * Returns the functions with the given triggers. Functions of src/runtime make all handlers, so
 * each handler takes the input of its trigger.
 */
function triggeredBy<Run, Of extends Kind>(...kinds: readonly Of[]): readonly Runnable<Run, Of>[] {
  const isOne = ({ route }: (typeof runnables)[number]): boolean => kinds.some((kind) => kind === route.trigger.kind);
  return runnables.filter(isOne) as unknown as readonly Runnable<Run, Of>[];
}

const ofQueues = triggeredBy<QueueFunction, "command" | "event" | "dead-letter">("command", "event", "dead-letter");
const ofRequests = triggeredBy<RequestFunction, "http">("http");

/** The functions that queues trigger. */
export const queueFunctions = Object.fromEntries(
  ofQueues.map((runnable) => [messageOf(runnable.route) ?? "dead-letter", runnable]),
) as Readonly<Record<QueueName, (typeof ofQueues)[number]>>;

/** The functions that HTTP requests trigger. */
export const requestFunctions = Object.fromEntries(ofRequests.map((runnable) => [runnable.name, runnable])) as Readonly<
  Record<RequestName, (typeof ofRequests)[number]>
>;

/** The functions that schedules trigger. */
export const scheduleFunctions = triggeredBy<ScheduleFunction, "schedule">("schedule");

/** The functions that the writes of records trigger. */
export const changesFunctions = triggeredBy<ChangesFunction, "changes">("changes");
