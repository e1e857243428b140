import { labelsOfTiers } from "#domain/tiers/membership";
import { type TierRules, withoutTiers } from "#domain/tiers/rules";
import type { CheckRule } from "#domain/checks/rules";
import type { Checks } from "#ports/checks";
import { noChecks } from "#runtime/checks";
import { type SettingDefaults, usualDefaults } from "#domain/settings/settings";
import { memoryMetrics } from "#adapters/memory/metrics";
import { re2Patterns } from "#adapters/re2js/patterns";
import { withAliases } from "#app/detect/aliases";
import { withDefinitions } from "#app/shared/declared-clusters";
import { publishPushes } from "#app/detect/publish-pushes";
import { deliveriesOf } from "#app/notify/deliveries";
import type { Ports } from "#app/shared/ports";
import { eventDetail } from "#contracts/messages/events";
import { queueOf } from "#contracts/routes";
import { isRegistryFact, type RegistryFact } from "#domain/registry/outage";
import type { Fact, PushDisputed } from "#domain/update/events";
import type { Measurement } from "#domain/update/effects/metrics";
import { type ApprovalRules, noRules } from "#domain/approval/approvers";
import { noNodeRules, type NodeRules } from "#domain/gates/node-rules";
import { type ObserveRules, observesNowhere } from "#domain/gates/observe";
import type { PlannedFreeze } from "#domain/gates/freezes";
import type { RegistryRules } from "#domain/workload/registry-rules";
import type { RegistryAliases } from "#domain/workload/registry-aliases";
import { durationMs, type DurationMs, epochMs, type EpochMs, seconds } from "#domain/shared/time";
import type { Command } from "#domain/update/commands";
import type { Limits, WorkloadRecord } from "#domain/update/state/workload";
import type { Channels } from "#ports/channels";
import { noChannels } from "#runtime/channels";
import type { Clock } from "#ports/clock";
import type { Cluster } from "#ports/cluster";
import type { PushNotice } from "#ports/push-receiver";
import type { Registry } from "#ports/registry";
import { letterAgain, letterBody, letterIn } from "#runtime/dead-letter";
import { countFailed, type DeadLetter, type Invocation } from "#runtime/handler";
import { freeSpending } from "#test/spending";
import type { StatePorts } from "#runtime/local/state";
import { stateInMemory } from "#test/state";
import { changesFunctions, queueFunctions, type QueueName } from "#runtime/local/functions";
import { wrongOfSending } from "#test/model/judge/route-rights";

/** A clock that someone can turn. */
export interface HandClock extends Clock {
  turn(duration: DurationMs): void;
}

/** Answers a clock that stands at an instant until someone turns it. */
export function handClock(begins: EpochMs): HandClock {
  let now: number = begins;
  return {
    now: () => epochMs(now),
    turn(duration) {
      now += duration;
    },
  };
}

/**
 * Answers a clock that goes with the machine's, and ahead of it by what it was turned: where real
 * parts take their time.
 */
export function runningClock(): HandClock {
  let ahead = 0;
  return {
    now: () => epochMs(Date.now() + ahead),
    turn(duration) {
      ahead += duration;
    },
  };
}

/** What is around one Lookout. */
export interface Surroundings {
  /** The six characters of its table. */
  readonly installation: string;
  readonly clock: HandClock;
  readonly cluster: Cluster;
  /** The name of that one cluster. */
  readonly clusterName: string;
  readonly registry: Registry;
  /** Where its owner's limits differ from those of the tests. */
  readonly limits?: Partial<Limits>;
  readonly aliases?: RegistryAliases;
  readonly plannedFreezes?: readonly PlannedFreeze[];
  /** True if definitions in the cluster count. */
  readonly definitions?: true;
  readonly checkRules?: readonly CheckRule[];
  readonly checks?: Checks;
  readonly approvalRules?: ApprovalRules;
  readonly nodeRules?: NodeRules;
  readonly observeRules?: ObserveRules;
  readonly tiers?: TierRules;
  readonly registryRules?: RegistryRules;
  readonly defaults?: SettingDefaults;
  readonly channels?: Channels;
  /** The ports of its table, if it is not new. */
  readonly state?: StatePorts;
}

/**
 * All functions of one Lookout over a table and queues in memory; its queues move only when a test
 * says so.
 */
export interface ByHand {
  readonly ports: Ports;
  readonly facts: readonly Fact[];
  readonly disputes: readonly PushDisputed[];
  readonly registryFacts: readonly RegistryFact[];
  readonly failures: readonly string[];
  /**
   * What the functions logged of what went well: the queue, and what the line has in common with
   * others.
   */
  readonly logged: readonly (readonly [queue: string, correlationId: string | undefined])[];
  readonly measurements: readonly Measurement[];
  /** The messages that are kept for a user. */
  readonly kept: readonly DeadLetter[];
  /** The deliveries of each queue. */
  readonly deliveries: ReadonlyMap<QueueName, number>;
  /** Tells it of a push as a webhook does. */
  tell(push: PushNotice): Promise<void>;
  /** Puts work on its queue. */
  send(command: Command): void;
  /**
   * Delivers everything that is ready, in the order in which it was sent, until nothing is.
   *
   * @param before - a queue whose first ready message is left where it is.
   * @returns whether such a message is what comes next.
   */
  settle(before?: QueueName): Promise<boolean>;
  /** Lets time pass in steps of half a second, delivering what becomes ready. */
  pass(duration: DurationMs): Promise<void>;
  /** Forgets all messages, as when the process dies. */
  loseMessages(): void;
  /** From now on, publishes the changes of all ready messages as one batch, as after the window of a stream. */
  gatherChanges(): void;
  record(key: string): Promise<WorkloadRecord>;
}

interface Waiting {
  readonly queue: QueueName;
  readonly body: string;
  readonly at: number;
  readonly receives: number;
}

/** Sets a Lookout up that knows nothing yet. */
export function lookoutByHand({ installation, clock, cluster, clusterName, registry, ...own }: Surroundings): ByHand {
  const facts: Fact[] = [];
  const disputes: PushDisputed[] = [];
  const registryFacts: RegistryFact[] = [];
  const failures: string[] = [];
  const logged: (readonly [string, string | undefined])[] = [];
  const measurements: Measurement[] = [];
  const kept: DeadLetter[] = [];
  const deliveries = new Map<QueueName, number>();
  let waiting: Waiting[] = [];
  const send = (queue: QueueName, body: string, delay = 0, receives = 0): void => {
    waiting.push({ queue, body, at: clock.now() + delay, receives });
  };
  const state = own.state ?? stateInMemory(installation);
  const clusters = withAliases(
    { names: () => [clusterName], cluster: (name) => (name === clusterName ? cluster : undefined) },
    own.aliases ?? new Map(),
    labelsOfTiers(own.tiers ?? withoutTiers),
  );
  const ports: Ports = {
    clock,
    spending: freeSpending(),
    ...state,
    clusters: own.definitions === true ? withDefinitions(clusters, state.definitions) : clusters,
    registry,
    channels: own.channels ?? noChannels,
    checks: own.checks ?? noChecks,
    queues: {
      send: async (sendings) =>
        sendings.forEach(({ command, delay }) => send(queueOf(command.name), JSON.stringify(command), delay)),
    },
    patterns: re2Patterns(),
    metrics: memoryMetrics(measurements),
    bus: {
      publish: async (events) => {
        const told = events.filter((event) => event.name !== "ImagePushed");
        const deliveries = deliveriesOf(told, ports.channels);
        if (deliveries.length > 0) await ports.queues.send(deliveries);
        for (const event of events) {
          if (event.name === "ImagePushed") send("ImagePushed", JSON.stringify(eventDetail(event)));
          else if (event.name === "PushDisputed") disputes.push(event);
          else if (isRegistryFact(event)) registryFacts.push(event);
          else facts.push(event);
        }
      },
    },
    rules: {
      defaults: own.defaults ?? usualDefaults,
      registries: own.registryRules ?? { registryPolicy: "any", registries: [] },
      limits: { settle: seconds(10), windowSpread: seconds(0), maxConcurrentRollouts: 25, ...own.limits },
      plannedFreezes: own.plannedFreezes ?? [],
      checks: own.checkRules ?? [],
      approvals: own.approvalRules ?? noRules,
      nodes: own.nodeRules ?? noNodeRules,
      observe: own.observeRules ?? observesNowhere,
      tiers: own.tiers ?? withoutTiers,
      definitions: own.definitions === true,
    },
  };
  const invocation: Invocation = {
    ports,
    receivers: { receiver: async () => undefined },
    setAside: {
      deadLetter: async (letter) => send("dead-letter", letterBody(letter)),
      keep: async (message) => void kept.push(message),
    },
    log: { outcome: () => undefined, failure: ({ error }) => failures.push(String(error)) },
    signal: new AbortController().signal,
  };
  let gathers = false;
  const tellOfChanges = async (): Promise<boolean> => {
    let told = false;
    for (let changes = await ports.changes.take(10); changes.length > 0; changes = await ports.changes.take(10)) {
      for (const { run } of changesFunctions) await run(changes, invocation);
      await ports.changes.done(changes);
      told = true;
    }
    return told;
  };
  /** A function may send what its route says, and nothing else: it would have no right to. */
  const portsOf = (queue: QueueName): Ports => ({
    ...ports,
    queues: {
      send: async (sendings) => {
        const wrong = sendings.flatMap((sending) => wrongOfSending(queueFunctions[queue].name, sending));
        if (wrong.length > 0) throw new Error(wrong.join("; "));
        await ports.queues.send(sendings);
      },
    },
  });
  const failedFiveTimes = async ({ queue, body }: Waiting): Promise<void> => {
    if (queue !== "dead-letter") return invocation.setAside.deadLetter({ id: "m", body, why: failures.at(-1) ?? "" });
    const letter = letterIn(body);
    const again = letterAgain(letter);
    if (again === undefined) kept.push({ id: "m", ...letter });
    else send(queue, again.body, again.pause);
  };
  const deliver = async (message: Waiting): Promise<void> => {
    deliveries.set(message.queue, (deliveries.get(message.queue) ?? 0) + 1);
    const outcome = await queueFunctions[message.queue].run(
      { id: "m", body: message.body },
      {
        ...invocation,
        ports: portsOf(message.queue),
        log: { ...invocation.log, outcome: ({ correlationId }) => logged.push([message.queue, correlationId]) },
      },
    );
    if (outcome === "again") {
      countFailed(1, queueFunctions[message.queue].name, ports);
      if (message.receives < 4) send(message.queue, message.body, 1_000, message.receives + 1);
      else await failedFiveTimes(message);
    }
    if (!gathers) await tellOfChanges();
  };
  const settle = async (before?: QueueName): Promise<boolean> => {
    for (let rounds = 0; rounds < 10_000; rounds += 1) {
      const index = waiting.findIndex(({ at }) => at <= clock.now());
      const message = waiting[index];
      if (message === undefined) {
        if (gathers && (await tellOfChanges())) continue;
        return false;
      }
      if (message.queue === before) return true;
      waiting.splice(index, 1);
      await deliver(message);
    }
    throw new Error("the world does not come to rest");
  };
  return {
    ports,
    facts,
    disputes,
    registryFacts,
    failures,
    logged,
    measurements,
    kept,
    deliveries,
    settle,
    async tell(push) {
      await publishPushes([push], "webhook distribution", ports);
    },
    send: (command) => send(queueOf(command.name), JSON.stringify(command)),
    async pass(duration) {
      const end = clock.now() + duration;
      await settle();
      while (clock.now() < end) {
        clock.turn(durationMs(Math.min(500, end - clock.now())));
        await settle();
      }
    },
    loseMessages: () => {
      waiting = [];
    },
    gatherChanges: () => {
      gathers = true;
    },
    async record(key) {
      const record = await ports.store.read(key);
      if (record === undefined) throw new Error(`${key} is not tracked`);
      return record;
    },
  };
}
