import { memoryMetrics } from "#adapters/memory/metrics";
import { memoryUnusedNotifications } from "#adapters/memory/unused-notifications";
import { re2Patterns } from "#adapters/re2js/patterns";
import { type Access, fullAccess } from "#domain/access/access";
import { deliveriesOf } from "#app/notify/deliveries";
import { clustersFor } from "#app/shared/declared-clusters";
import type { Ports } from "#app/shared/ports";
import { handledEvents, isHandledEvent, queueOf } from "#contracts/routes";
import { withinDelay } from "#domain/notify/told";
import type { RegistryFact } from "#domain/registry/outage";
import { durationMs } from "#domain/shared/time";
import { groupOf } from "#domain/update/commands";
import type { Fact, PushDisputed } from "#domain/update/events";
import { type BudgetEntry, budgetOf } from "#domain/shares/budget";
import type { Channels } from "#ports/channels";
import type { Checks } from "#ports/checks";
import type { KeptMessages } from "#ports/kept-messages";
import type { Metrics } from "#ports/metrics";
import type { PushReceivers } from "#ports/push-receiver";
import type { Spending } from "#ports/spending";
import { failedMessageIn, keptError, letterAgain, letterBody, letterIn } from "../dead-letter.ts";
import { type Invocation, countFailed, keepMessage, type Log, type RequestFunction } from "../handler.ts";
import { noChannels } from "../channels.ts";
import { noChecks } from "../checks.ts";
import { sharesOfProcess } from "../shares.ts";
import { backgroundOf } from "./background.ts";
import { queueFunctions, type QueueName } from "./functions.ts";
import { openIntake } from "./intake.ts";
import { keptCopies } from "./kept-copies.ts";
import { isKept, localBus, localQueues } from "./messaging.ts";
import { localQueue, type LocalQueue } from "./queue.ts";
import { type InTime, withTimeLimit } from "./time-limit.ts";

/** The parts of a process that follow from its configuration. */
export interface Configured extends Pick<Ports, "clusters" | "registry" | "rules"> {
  readonly receivers: PushReceivers;
  /** The budgets of namespaces. Absent if there are none. */
  readonly budgets?: readonly BudgetEntry[];
  /** Absent if there are none. */
  readonly channels?: Channels;
  /** Absent if there are none. */
  readonly checks?: Checks;
}

interface ShellOptions extends Pick<Configured, "receivers" | "budgets" | "channels" | "checks"> {
  readonly ports: Omit<
    Ports,
    "channels" | "checks" | "queues" | "bus" | "metrics" | "patterns" | "spending" | "unusedNotifications"
  >;
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
  /** The ports with the configuration in force. */
  readonly ports: Ports;
  /** The log of the process. It reports no failures after a stop. */
  readonly log: Log;
  /** Returns whether a new notification has to come again, and counts the refusal. */
  refusesNotification(): boolean;
  /** Runs a function for an HTTP request. `access`: the rights of the caller, by default all. */
  serve(run: RequestFunction, request: Request, access?: Access): Promise<Response>;
  /**
   * Replaces the configuration at once. Runs in progress keep theirs. `evaluates`: the configuration may
   * decide otherwise, so workloads are evaluated.
   */
  replace(configured: Configured, evaluates: boolean): Replaced;
  /** Resumes the open work of an earlier process, syncs all clusters, and starts the background. */
  start(): Promise<void>;
  /** Stops all work within the given time. The next start resumes the open work. */
  stop(withinMs: number): Promise<void>;
}

/** The end of a configuration. */
export interface Replaced {
  /** Resolves when no run uses the former configuration. */
  readonly unused: Promise<void>;
  /** Resolves when the work that the new configuration calls for is queued. */
  readonly resumed: Promise<void>;
}

/** A configuration in force, with the runs that use it. */
interface InForce extends Pick<Configured, "receivers" | "budgets"> {
  readonly ports: Ports;
  readonly runs: Set<Promise<unknown>>;
}

const queueNames = Object.keys(queueFunctions) as readonly QueueName[];

/** Returns the process. Nothing runs before {@link Shell.start}. */
export function openShell(options: ShellOptions): Shell {
  const stopping = new AbortController();
  const lastFailures = new Map<string, string>();
  const quiet = quietAfter(stopping.signal, options.log);
  const log = recordingFailures(quiet, lastFailures);
  const queues = new Map<QueueName, LocalQueue>();
  const shares = sharesOfProcess(options.budgets ?? []);
  const registries = () => inForce.ports.rules.registries.registries;
  const { clock } = options.ports;
  const messages = options.ports.messages && keptCopies(options.ports.messages);
  const ports: Ports = {
    ...options.ports,
    ...(messages && { messages }),
    clusters: clustersFor(options.ports),
    channels: options.channels ?? noChannels,
    checks: options.checks ?? noChecks,
    queues: localQueues(queues, registries, messages && { messages, clock }),
    bus: localBus(queues, registries, options.onFact, options.onDispute, options.onRegistryFact, (facts) =>
      ports.queues.send(deliveriesOf(facts, inForce.ports.channels)),
    ),
    metrics: options.metrics ?? memoryMetrics(),
    unusedNotifications: memoryUnusedNotifications(),
    patterns: re2Patterns(),
    spending: shares.begin(stopping.signal).spending,
  };
  let inForce: InForce = { ...options, ports, runs: new Set() };
  const waitingEvents = () => handledEvents.reduce((sum, name) => sum + (queues.get(name)?.size().waiting ?? 0), 0);
  const intake = openIntake(waitingEvents, options.busyMs);
  const invocation = (of: InForce, signal: AbortSignal, spending: Spending, prefix = ""): Invocation => ({
    ports: { ...of.ports, spending },
    receivers: of.receivers,
    intake,
    log: prefix === "" ? quiet : named(log, prefix),
    signal,
    setAside: {
      deadLetter: (letter) => Promise.resolve(queues.get("dead-letter")?.send(letterBody(letter), everyone, 0)),
      // A local process stores no dead letters. Its log names the message.
      keep: (letter) => {
        named(quiet, prefix).failure({ id: letter.id, error: keptError(letter) });
        return Promise.resolve();
      },
    },
  });
  const inTime: InTime = ({ timeoutMs }, run, prefix) => {
    // A run uses one configuration from its begin to its end.
    const own = inForce;
    const answer = withTimeLimit(timeoutMs - 1_000, stopping.signal, async (signal) => {
      const { spending, end } = shares.begin(signal);
      try {
        return await run(invocation(own, signal, spending, prefix));
      } finally {
        end();
      }
    });
    const ended: Promise<unknown> = answer.catch(() => undefined).then(() => own.runs.delete(ended));
    own.runs.add(ended);
    return answer;
  };
  const budgets = () => inForce.budgets ?? [];
  for (const name of queueNames) queues.set(name, openQueue(name, queues, inTime, lastFailures, budgets, messages));
  const background = backgroundOf({ ports: () => inForce.ports, log: quiet, inTime, stopped: stopping.signal });

  return {
    get ports() {
      return inForce.ports;
    },
    log: quiet,
    refusesNotification() {
      if (intake.admit()) return false;
      ports.metrics.add("WebhooksRejected", 1, { reason: "busy" });
      return true;
    },
    serve: (run, request, access = fullAccess) =>
      inTime({ timeoutMs: 30_000 }, (invocation) => run(request, { ...invocation, access })),
    replace(
      { clusters, registry, rules, receivers, budgets: replaced = [], channels = noChannels, checks = noChecks },
      evaluates,
    ) {
      const former = inForce;
      inForce = {
        ports: { ...ports, clusters: clustersFor({ ...ports, clusters, rules }), registry, rules, channels, checks },
        receivers,
        budgets: replaced,
        runs: new Set(),
      };
      shares.setBudgets(replaced);
      return {
        unused: Promise.all(former.runs).then(() => undefined),
        resumed: background.configurationChanged(evaluates),
      };
    },
    async start() {
      await resumeKept(queues, ports);
      await background.start();
    },
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

/** Returns a log that also records the last failure of each message of a queue. */
function recordingFailures(log: Log, lastFailures: Map<string, string>): Log {
  return {
    outcome: (entry) => {
      log.outcome(entry);
    },
    failure: (entry) => {
      lastFailures.set(entry.id, entry.error instanceof Error ? entry.error.message : "unknown error");
      log.failure(entry);
    },
  };
}

/** The group of messages without a cluster or registry. */
const everyone = "";

const usualConcurrency = 10;

function openQueue(
  name: QueueName,
  queues: ReadonlyMap<QueueName, LocalQueue>,
  inTime: InTime,
  lastFailures: Map<string, string>,
  budgets: () => readonly BudgetEntry[],
  messages: KeptMessages | undefined,
): LocalQueue {
  const { run, route, name: runs } = queueFunctions[name];
  const { localBudget, localYieldsTo, localConcurrency = usualConcurrency, localPerNamespace } = route;
  const yields = (group: string): boolean =>
    localYieldsTo !== undefined && queues.get(queueOf(localYieldsTo))?.isWaiting(group) === true;
  const ownMost = (group: string, tenant: string): number | undefined =>
    localBudget && budgets().length > 0 ? budgetOf(`${group}/${tenant}`, budgets())[localBudget] : undefined;
  const idOf = (id: string): string => `${runs} ${id}`;
  const forget = async (body: string): Promise<void> => {
    if (isKept(name)) await messages?.forget(body);
  };
  return localQueue({
    concurrency: (group) => (yields(group) ? 1 : localConcurrency),
    concurrencyOfTenant: localPerNamespace,
    mostOfTenant: ownMost,
    run: async (event) => {
      const outcome = await inTime(
        route,
        async (invocation) => {
          const ended = await run(event, invocation);
          if (ended === "again") countFailed(1, runs, invocation.ports);
          return ended;
        },
        runs,
      );
      if (outcome === "done") {
        lastFailures.delete(idOf(event.id));
        await forget(event.body);
      }
      return outcome;
    },
    deadLetter: async ({ id, body }) => {
      const why = lastFailures.get(idOf(id)) ?? "every delivery failed without a message";
      lastFailures.delete(idOf(id));
      if (name !== "dead-letter") {
        await inTime(route, ({ setAside }) => setAside.deadLetter({ id, body, why }));
        return forget(body);
      }
      // The state may be unavailable for a while, so a failed dead letter is tried again.
      const letter = letterIn(body);
      const again = letterAgain(letter);
      if (again === undefined) return inTime(route, (invocation) => keepMessage({ ...letter, id }, invocation), runs);
      queues.get("dead-letter")?.send(again.body, everyone, again.pause);
    },
  });
}

/** Queues the messages of an earlier process again. */
async function resumeKept(
  queues: ReadonlyMap<QueueName, LocalQueue>,
  { messages, clock }: Pick<Ports, "messages" | "clock">,
): Promise<void> {
  for (const { body, dueAt } of (await messages?.list()) ?? []) {
    const message = failedMessageIn(body);
    const command = message === undefined || isHandledEvent(message) ? undefined : message;
    // A message that can't be read is reported by the first such queue.
    const queue = command === undefined ? queueNames.find(isKept) : queueOf(command.name);
    const group = command === undefined ? everyone : groupOf(command);
    if (queue !== undefined) queues.get(queue)?.send(body, group, withinDelay(durationMs(dueAt - clock.now())));
  }
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
