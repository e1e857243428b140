import { memoryMetrics } from "#adapters/memory/metrics";
import { memoryUnusedNotifications } from "#adapters/memory/unused-notifications";
import { re2Patterns } from "#adapters/re2js/patterns";
import type { Ports } from "#app/shared/ports";
import { handledEvents, queueOf } from "#contracts/routes";
import type { RegistryFact } from "#domain/registry/outage";
import type { Fact, PushDisputed } from "#domain/update/events";
import { type BudgetEntry, budgetOf } from "#domain/shares/budget";
import type { Metrics } from "#ports/metrics";
import type { PushReceivers } from "#ports/push-receiver";
import type { Spending } from "#ports/spending";
import type { Invocation, Log, RequestFunction } from "../handler.ts";
import { sharesOfProcess } from "../shares.ts";
import { backgroundOf } from "./background.ts";
import { queueFunctions, type QueueName } from "./functions.ts";
import { openIntake } from "./intake.ts";
import { localBus, localQueues } from "./messaging.ts";
import { localQueue, type LocalQueue } from "./queue.ts";
import { type InTime, withTimeLimit } from "./time-limit.ts";

interface ShellOptions {
  readonly ports: Omit<Ports, "queues" | "bus" | "metrics" | "patterns" | "spending" | "unusedNotifications">;
  /** The budgets of namespaces. Absent if there are none. */
  readonly budgets?: readonly BudgetEntry[];
  readonly receivers: PushReceivers;
  /** The metrics. Absent if measurements are dropped. */
  readonly metrics?: Metrics;
  readonly log: Log;
  /** Gets every published fact about a workload. */
  readonly onFact: (fact: Fact) => void;
  readonly onDispute?: (dispute: PushDisputed) => void;
  readonly onRegistryFact?: (fact: RegistryFact) => void;
  /** The time since the last pause of the event loop. The default measures the event loop. */
  readonly busyMs?: () => number;
}

/**
 * The running process: every function of the route table, with its queue, schedules, timers and
 * changes.
 */
export interface Shell {
  readonly ports: Ports;
  /** The log of the process. It reports no failures after a stop. */
  readonly log: Log;
  /** Returns whether a new notification has to come again, and counts the refusal. */
  refusesNotification(): boolean;
  /** Runs a function for an HTTP request. */
  serve(run: RequestFunction, request: Request): Promise<Response>;
  /** Resumes the open work of an earlier process, syncs all clusters, and starts the background. */
  start(): Promise<void>;
  /** Stops all work within the given time. The next start resumes the open work. */
  stop(withinMs: number): Promise<void>;
}

const queueNames = Object.keys(queueFunctions) as readonly QueueName[];

/** Returns the process. Nothing runs before {@link Shell.start}. */
export function openShell(options: ShellOptions): Shell {
  const stopping = new AbortController();
  const lastFailures = new Map<string, string>();
  const quiet = quietAfter(stopping.signal, options.log);
  const log = recordingFailures(quiet, lastFailures);
  const queues = new Map<QueueName, LocalQueue>();
  const budgets = options.budgets ?? [];
  const shares = sharesOfProcess(budgets);
  const { registries } = options.ports.rules.registries;
  const ports: Ports = {
    ...options.ports,
    queues: localQueues(queues, registries),
    bus: localBus(queues, registries, options.onFact, options.onDispute, options.onRegistryFact),
    metrics: options.metrics ?? memoryMetrics(),
    unusedNotifications: memoryUnusedNotifications(),
    patterns: re2Patterns(),
    spending: shares.begin(stopping.signal).spending,
  };
  const waitingEvents = () => handledEvents.reduce((sum, name) => sum + (queues.get(name)?.size().waiting ?? 0), 0);
  const intake = openIntake(waitingEvents, options.busyMs);
  const invocation = (signal: AbortSignal, spending: Spending, prefix = ""): Invocation => ({
    ports: { ...ports, spending },
    receivers: options.receivers,
    intake,
    log: prefix === "" ? log : named(log, prefix),
    signal,
    setAside: {
      deadLetter: ({ body, why }) =>
        Promise.resolve(queues.get("dead-letter")?.send(JSON.stringify({ body, why }), everyone, 0)),
      // The log has the message. A local process stores no dead letters.
      keep: () => Promise.resolve(),
    },
  });
  const inTime: InTime = ({ timeoutMs }, run, prefix) =>
    withTimeLimit(timeoutMs - 1_000, stopping.signal, async (signal) => {
      const { spending, end } = shares.begin(signal);
      try {
        return await run(invocation(signal, spending, prefix));
      } finally {
        end();
      }
    });
  for (const name of queueNames) queues.set(name, openQueue(name, queues, inTime, lastFailures, budgets));
  const background = backgroundOf({ ports, log: quiet, inTime, stopped: stopping.signal });

  return {
    ports,
    log: quiet,
    refusesNotification() {
      if (intake.admit()) return false;
      ports.metrics.add("WebhooksRejected", 1, { reason: "busy" });
      return true;
    },
    serve: (run, request) => inTime({ timeoutMs: 30_000 }, (invocation) => run(request, invocation)),
    start: () => background.start(),
    async stop(withinMs) {
      stopping.abort();
      const stops = [...queues.values(), background].map((part) => part.stop());
      const ended = Promise.allSettled(stops);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, withinMs).unref())]);
    },
  };
}

/**
 * Returns a log without the failures after a stop: the stop cancels work, and the next start resumes
 * this work.
 */
function quietAfter(stopped: AbortSignal, log: Log): Log {
  return {
    outcome: (entry) => {
      log.outcome(entry);
    },
    failure: (entry) => {
      if (!stopped.aborted) log.failure(entry);
    },
  };
}

/** Returns a log that also records the last failure of each message, until it succeeds. */
function recordingFailures(log: Log, lastFailures: Map<string, string>): Log {
  return {
    outcome: (entry) => {
      // After a success, the recorded failures are not needed.
      lastFailures.delete(entry.id);
      log.outcome(entry);
    },
    failure: (entry) => {
      lastFailures.set(entry.id, entry.error instanceof Error ? entry.error.message : "unknown error");
      log.failure(entry);
    },
  };
}

/** The retry delay of a dead letter whose handling failed. */
const deadLetterRetryMs = 60_000;

/** The group of messages without a cluster or registry. */
const everyone = "";

const usualConcurrency = 10;

function openQueue(
  name: QueueName,
  queues: ReadonlyMap<QueueName, LocalQueue>,
  inTime: InTime,
  lastFailures: Map<string, string>,
  budgets: readonly BudgetEntry[],
): LocalQueue {
  const { run, route, name: runs } = queueFunctions[name];
  const { localBudget, localYieldsTo, localConcurrency = usualConcurrency, localPerNamespace } = route;
  const yields = (group: string): boolean =>
    localYieldsTo !== undefined && queues.get(queueOf(localYieldsTo))?.isWaiting(group) === true;
  const ownMost = (group: string, tenant: string): number | undefined =>
    localBudget && budgetOf(`${group}/${tenant}`, budgets)[localBudget];
  const idOf = (id: string): string => `${runs} ${id}`;
  return localQueue({
    concurrency: (group) => (yields(group) ? 1 : localConcurrency),
    concurrencyOfTenant: localPerNamespace,
    mostOfTenant: budgets.length === 0 ? undefined : ownMost,
    run: (event) => inTime(route, (invocation) => run(event, invocation), runs),
    deadLetter: async ({ id, body }) => {
      const why = lastFailures.get(idOf(id)) ?? "every delivery failed without a message";
      lastFailures.delete(idOf(id));
      if (name !== "dead-letter") await inTime(route, ({ setAside }) => setAside.deadLetter({ id, body, why }));
      // A failed dead letter is retried without end, because the state may be unavailable.
      else queues.get("dead-letter")?.send(body, everyone, deadLetterRetryMs);
    },
  });
}

function named(log: Log, prefix: string): Log {
  return {
    outcome: (entry) => {
      log.outcome({ ...entry, id: `${prefix} ${entry.id}` });
    },
    failure: (entry) => {
      log.failure({ ...entry, id: `${prefix} ${entry.id}` });
    },
  };
}
