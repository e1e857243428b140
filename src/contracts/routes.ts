import type { ImagePushed } from "#domain/image/push";
import type { Command, CommandName } from "#domain/update/commands";

/** An event that a function handles. All other events are facts. */
export type HandledEvent = ImagePushed;

/** A message with a queue: a command, or a handled event. */
export type Message = Command | HandledEvent;

/**
 * The stages of an update in the order of the flow, then the stages outside the flow.
 *
 * `gate` contains the functions for held updates. The evaluation and the rollout of an update also
 * ask the gates.
 */
export const stages = ["detect", "evaluate", "gate", "rollout", "verify", "notify", "api"] as const;
/** One of {@link stages}. */
export type Stage = (typeof stages)[number];

/** The trigger of a function. */
export type Trigger =
  /**
   * A command from the function's own queue, which has the name of the command.
   *
   * `also`: other commands on the same queue. A separate queue and function would cost money every
   * month.
   */
  | { readonly kind: "command"; readonly command: CommandName; readonly also?: readonly CommandName[] }
  /** An event on Lookout's bus, through the function's own queue. */
  | { readonly kind: "event"; readonly event: HandledEvent["name"] }
  /** A message that failed {@link delivery}.maximumReceives times on its queue. */
  | { readonly kind: "dead-letter" }
  | { readonly kind: "schedule"; readonly everyMs: number }
  /** The stream of record writes. */
  | { readonly kind: "changes" }
  | { readonly kind: "http"; readonly methods: readonly ("POST" | "OPTIONS" | "ANY")[]; readonly path: string };

/**
 * A part that a function uses besides its `emits`. A function gets the rights, variables and code
 * of its parts only.
 */
export type Reach =
  | "table"
  /** Reads of the table. */
  | "table-read"
  /** Reads of the members of tiers. */
  | "tiers"
  /** Appends to the ledger, and reads and replaces derived rows by their keys. */
  | "ledger"
  | "clusters"
  | "registries"
  /** The secrets of receivers. */
  | "receivers"
  /**
   * What channels were told, and the ledger that their messages show. A stack without channels has no
   * function that reaches it.
   */
  | "told"
  /** The channels with their secrets. */
  | "channels"
  /** The checks with their secrets. A stack without checks has no function that reaches them. */
  | "checks";

/**
 * The description of one function. It lists the trigger, the sent messages and the usable parts.
 */
export interface Route {
  readonly stage: Stage;
  /** The file `functions/<stage>/<name>.ts`. */
  readonly name: string;
  readonly trigger: Trigger;
  /**
   * The commands that the function sends and the events that it publishes, in the order of the
   * flow.
   */
  readonly emits: readonly (Message["name"] | "facts")[];
  readonly reaches: readonly Reach[];
  /** The time limit of one run. */
  readonly timeoutMs: number;
  /**
   * The maximum number of concurrent runs in the stack, at least 2. Only functions with a queue have
   * it.
   */
  readonly stackConcurrency?: number;
  /** The maximum number of messages of one run in the stack. The default is 10. */
  readonly stackBatchSize?: number;
  /** The time in which the stack collects messages for one run. Absent if a message starts a run. */
  readonly stackBatchingMs?: number;
  /**
   * The maximum number of concurrent messages of one cluster or registry in the local process. The
   * default is 10.
   */
  readonly localConcurrency?: number;
  /**
   * The maximum number of concurrent messages of one namespace. The limit exists because the users
   * of a namespace can make messages slow. Absent if there is no maximum.
   */
  readonly localPerNamespace?: number;
  /** The budget of a namespace that also limits its concurrent messages in the local process. */
  readonly localBudget?: "evaluations";
  /**
   * A command that goes first in the local process. While its messages wait for a cluster, the
   * function handles one message of this cluster at a time.
   */
  readonly localYieldsTo?: CommandName;
  /**
   * True if the local process stores the waiting messages. All other messages follow from what is
   * stored anyway.
   */
  readonly localKept?: true;
}

const minute = 60_000;

/** The commands that the state of a record can require. The reaper sends these commands again. */
const whatStatesCallFor = [
  "EvaluateWorkload",
  "Wake",
  "AskChecks",
  "RollOut",
  "CheckRollout",
] as const satisfies readonly CommandName[];

/**
 * The commands that a new version of a record can require. Functions that write records send these
 * commands.
 */
const whatVersionsCallFor = [...whatStatesCallFor, "ShowAvailable"] as const satisfies readonly CommandName[];

/**
 * All functions of Lookout, in the order of the flow. The local process and the stack run them, and
 * docs/how-it-works.md shows them.
 */
export const routes = [
  {
    stage: "detect",
    name: "registry-webhook",
    // With OPTIONS, Azure Event Grid asks for permission to send.
    trigger: { kind: "http", methods: ["POST", "OPTIONS"], path: "/webhooks/:receiver" },
    emits: ["ImagePushed"],
    reaches: ["receivers"],
    timeoutMs: 10_000,
  },
  {
    stage: "detect",
    name: "sync-due",
    trigger: { kind: "schedule", everyMs: minute },
    emits: ["SyncCluster"],
    reaches: ["table-read"],
    timeoutMs: 10_000,
  },
  {
    stage: "detect",
    name: "sync-cluster",
    trigger: { kind: "command", command: "SyncCluster" },
    emits: ["EvaluateWorkload", "Wake", "CheckRollout"],
    reaches: ["table", "clusters"],
    timeoutMs: 60_000,
    // A sync holds all objects of its cluster in memory.
    stackConcurrency: 10,
    stackBatchSize: 1,
  },
  {
    stage: "detect",
    name: "sweep-due",
    trigger: { kind: "schedule", everyMs: minute },
    emits: ["SweepRepository"],
    reaches: ["table"],
    timeoutMs: 60_000,
  },
  {
    stage: "detect",
    name: "sweep-repository",
    trigger: { kind: "command", command: "SweepRepository" },
    emits: ["ImagePushed", "EvaluateWorkload", "facts"],
    reaches: ["table", "registries"],
    timeoutMs: 60_000,
    // One registry may have many repositories, and must not get too many concurrent requests.
    stackConcurrency: 2,
    stackBatchSize: 5,
    localConcurrency: 5,
  },
  {
    stage: "evaluate",
    name: "image-pushed",
    trigger: { kind: "event", event: "ImagePushed" },
    emits: ["ImagePushed", ...whatVersionsCallFor, "facts"],
    reaches: ["table", "registries"],
    timeoutMs: 60_000,
    stackConcurrency: 10,
  },
  {
    stage: "evaluate",
    name: "evaluate-workload",
    trigger: { kind: "command", command: "EvaluateWorkload" },
    emits: [...whatVersionsCallFor, "facts"],
    reaches: ["table", "clusters", "registries"],
    timeoutMs: 60_000,
    stackConcurrency: 5,
    localConcurrency: 30,
    localPerNamespace: 25,
    localBudget: "evaluations",
  },
  {
    stage: "gate",
    name: "wake",
    trigger: { kind: "command", command: "Wake" },
    emits: whatVersionsCallFor,
    reaches: ["table"],
    timeoutMs: 30_000,
    stackConcurrency: 5,
    localConcurrency: 25,
  },
  {
    stage: "gate",
    name: "ask-checks",
    trigger: { kind: "command", command: "AskChecks" },
    emits: whatVersionsCallFor,
    reaches: ["table", "checks"],
    timeoutMs: 60_000,
    stackConcurrency: 5,
    // A check may take 25 s, so one run asks about few updates.
    stackBatchSize: 1,
    localConcurrency: 10,
    localPerNamespace: 5,
  },
  {
    stage: "gate",
    name: "reap",
    trigger: { kind: "schedule", everyMs: minute },
    emits: whatStatesCallFor,
    reaches: ["table-read"],
    timeoutMs: 60_000,
  },
  {
    stage: "gate",
    name: "dead-letter",
    trigger: { kind: "dead-letter" },
    emits: whatVersionsCallFor,
    reaches: ["table"],
    timeoutMs: 30_000,
    stackConcurrency: 2,
  },
  {
    stage: "rollout",
    name: "roll-out",
    trigger: { kind: "command", command: "RollOut", also: ["ShowAvailable"] },
    emits: whatVersionsCallFor,
    reaches: ["table", "clusters"],
    timeoutMs: 60_000,
    // An API server is fastest with ten concurrent writes.
    stackConcurrency: 5,
    stackBatchSize: 2,
    localConcurrency: 10,
  },
  {
    stage: "verify",
    name: "check-rollout",
    trigger: { kind: "command", command: "CheckRollout" },
    emits: whatVersionsCallFor,
    reaches: ["table", "clusters"],
    timeoutMs: 60_000,
    // Pods take longer to start, and fewer runs cost less.
    stackConcurrency: 5,
    stackBatchingMs: 1_000,
    // A check takes three requests, so more checks would slow rollouts down.
    localConcurrency: 6,
    localPerNamespace: 5,
    // A check costs the API server as much as a patch.
    localYieldsTo: "RollOut",
  },
  {
    stage: "notify",
    name: "state-changed",
    trigger: { kind: "changes" },
    emits: ["EvaluateWorkload", "facts"],
    reaches: ["ledger", "tiers"],
    timeoutMs: 30_000,
  },
  {
    stage: "notify",
    name: "deliver",
    trigger: { kind: "command", command: "Deliver" },
    emits: ["Deliver"],
    reaches: ["told", "channels"],
    timeoutMs: 60_000,
    stackConcurrency: 5,
    // One channel may be slow, and a chat takes one message a second.
    localConcurrency: 2,
    localKept: true,
  },
  {
    stage: "api",
    name: "v1",
    trigger: { kind: "http", methods: ["ANY"], path: "/v1/*" },
    emits: ["SyncCluster", "SweepRepository", "ImagePushed", ...whatVersionsCallFor, "facts"],
    reaches: ["table", "clusters", "registries", "channels"],
    timeoutMs: 30_000,
  },
] as const satisfies readonly Route[];

/** Returns the functions of a stack: none tells anything without a channel, asks without a check, or follows tiers without tiers. */
export function deployedRoutes({
  channels,
  checks,
  tiers,
  definitions,
}: {
  readonly channels: readonly unknown[];
  readonly checks: readonly unknown[];
  readonly tiers: readonly unknown[];
  /** True if objects in the clusters may declare tiers too. */
  readonly definitions?: boolean;
}): readonly Route[] {
  return routes.flatMap((route: Route): readonly Route[] => {
    if (channels.length === 0 && route.reaches.includes("told")) return [];
    if (checks.length === 0 && route.reaches.includes("checks")) return [];
    const followed =
      definitions === true || tiers.length > 0 || !route.reaches.includes("tiers") ? route : withoutTiers(route);
    if (checks.length > 0) return [followed];
    return [{ ...followed, emits: followed.emits.filter((message) => message !== "AskChecks") }];
  });
}

/** Returns a function that follows no tiers: it sends no commands for them. */
function withoutTiers(route: Route): Route {
  return {
    ...route,
    emits: route.emits.filter((emitted) => emitted !== "EvaluateWorkload"),
    reaches: route.reaches.filter((reach) => reach !== "tiers"),
  };
}

/** The name of a function for people and alarms: `rollout/roll-out`. */
export type FunctionName = `${Stage}/${string}`;

/** Returns the {@link FunctionName} of a route. */
export function functionName({ stage, name }: Pick<Route, "stage" | "name">): FunctionName {
  return `${stage}/${name}`;
}

/** Returns what starts a function; undefined for an unknown name. */
export function triggerOf(name: FunctionName): Trigger | undefined {
  return routes.find((route) => functionName(route) === name)?.trigger;
}

/** Returns the message that names a function's own queue; undefined for another trigger. */
export function messageOf({ trigger }: Pick<Route, "trigger">): Message["name"] | undefined {
  if (trigger.kind === "command") return trigger.command;
  return trigger.kind === "event" ? trigger.event : undefined;
}

/** Returns whether a function handles a message of its own queue. */
export function handles({ trigger }: Pick<Route, "trigger">, message: Message["name"] | "facts"): boolean {
  if (trigger.kind === "command")
    return trigger.command === message || trigger.also?.some((name) => name === message) === true;
  return trigger.kind === "event" && trigger.event === message;
}

/** A command that has a queue of its name. */
export type QueueCommand = Extract<(typeof routes)[number]["trigger"], { readonly kind: "command" }>["command"];

/** Returns the name of the queue that carries a command. */
export function queueOf(command: CommandName): QueueCommand {
  for (const { trigger } of routes)
    if (trigger.kind === "command" && handles({ trigger }, command)) return trigger.command;
  throw new Error(`no function handles ${command}`);
}

const triggers: readonly Trigger[] = routes.map(({ trigger }) => trigger);

/** The names of the handled events. */
export const handledEvents = triggers.flatMap((trigger) => (trigger.kind === "event" ? [trigger.event] : []));

/** Returns whether a function handles an event. */
export function isHandledEvent<Event extends { readonly name: string }>(
  event: Event,
): event is Extract<Event, HandledEvent> {
  return handledEvents.some((name) => name === event.name);
}

/** Returns the commands that a function sends. */
export function sentCommands({ emits }: Pick<Route, "emits">): readonly CommandName[] {
  return emits.filter(isCommand);
}

/** Returns whether a function publishes events. */
export function publishes({ emits }: Pick<Route, "emits">): boolean {
  return !emits.every(isCommand);
}

function isCommand(emitted: Route["emits"][number]): emitted is CommandName {
  return triggers.some((trigger) => trigger.kind === "command" && handles({ trigger }, emitted));
}

/**
 * Returns whether a function sends delayed commands. Functions that write records send delayed
 * commands, because they send the next command. Deliveries to channels come again later.
 */
export function sendsAhead({ emits, reaches }: Route): boolean {
  return (
    reaches.includes("channels") ||
    (reaches.includes("table") &&
      whatStatesCallFor.every((command) => command === "AskChecks" || emits.includes(command)))
  );
}

/** The delivery settings of every queue. */
export const delivery = {
  /** Deliveries of one message before it becomes a dead letter. */
  maximumReceives: 5,
  /**
   * Deliveries of a dead letter in the stack before SQS keeps it for a user. From the fifth on, the
   * function sends a failed letter to its queue again itself. The others are for runs that end before
   * that.
   */
  maximumReceivesOfLetters: 10,
  /**
   * Returns the pause before the next delivery in the local process: half a second, doubled with each
   * delivery, at most 30 s.
   *
   * @param receives - the number of deliveries, at least 1
   */
  retryDelayMs: (receives: number): number => Math.min(30_000, 500 * 2 ** (receives - 1)),
  /**
   * The pauses between the deliveries in the stack. The first are short, for a moment's fault. The
   * others outlast a disturbance of some minutes: afterwards, SQS moves the message.
   */
  stackRetrySeconds: [1, 5, 60, 120],
} as const;
