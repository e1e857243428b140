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

const runnables = await Promise.all(
  routes.map(async (route: Route) => {
    const { handler } = (await import(`#functions/${route.stage}/${route.name}`)) as { readonly handler: unknown };
    return { name: functionName(route), route, run: handler };
  }),
);

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
