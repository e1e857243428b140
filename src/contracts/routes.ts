import type { CommandName } from "#domain/update/commands";

/** The stages of an update in the order of the flow, and what stands beside the way. */
export const stages = ["detect", "evaluate", "gate", "rollout", "verify", "notify", "api"] as const;
/** One of {@link stages}. */
export type Stage = (typeof stages)[number];

/** What starts a function. */
export type Trigger =
  /** A command from the function's own queue. */
  | { readonly kind: "command"; readonly command: CommandName }
  /** An event on Lookout's bus, through the function's own queue. */
  | { readonly kind: "event"; readonly event: "ImagePushed" }
  /** A message that failed {@link delivery}.maximumReceives times on its queue. */
  | { readonly kind: "dead-letter" }
  | { readonly kind: "schedule"; readonly everyMs: number }
  /** The writes of records. */
  | { readonly kind: "changes" }
  | { readonly kind: "http"; readonly method: "GET" | "POST" | "ANY"; readonly path: string };

/**
 * What a function may reach beside what it emits: it is given the rights, the settings and the code for these and no others. Whoever
 * reaches clusters or registries keeps in the table what it knows of them. `table-read`: the table, of which nothing is written; `ledger`:
 * rows that are added there; `receivers`: the secrets that notifications are signed with.
 */
export type Reach = "table" | "table-read" | "ledger" | "clusters" | "registries" | "receivers";

/** One function: what triggers it, what it causes, and what it may reach. */
export interface Route {
  readonly stage: Stage;
  /** The file `functions/<stage>/<name>.ts`. */
  readonly name: string;
  readonly trigger: Trigger;
  /** Commands that it sends and events that it publishes, in the order of the flow. */
  readonly emits: readonly (CommandName | "ImagePushed" | "facts")[];
  readonly reaches: readonly Reach[];
  /** After how long one run is aborted. */
  readonly timeoutMs: number;
  /** How many messages of one cluster or registry the local process runs at once; 10 unless given. */
  readonly localConcurrency?: number;
}

const minute = 60_000;

/** What the state of a record can call for: whoever writes records sends it. */
const whatStatesCallFor = [
  "EvaluateWorkload",
  "Wake",
  "RollOut",
  "CheckRollout",
] as const satisfies readonly CommandName[];

/**
 * The data flow: every function of Lookout, in the order of the flow. The local process runs these,
 * the stack deploys them, the diagram of docs/how-it-works.md is drawn from them, and a test holds
 * the tree to them.
 */
export const routes = [
  {
    stage: "detect",
    name: "registry-webhook",
    trigger: { kind: "http", method: "ANY", path: "/webhooks/:receiver" },
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
  },
  {
    stage: "detect",
    name: "sweep-due",
    trigger: { kind: "schedule", everyMs: 5 * minute },
    emits: ["SweepRepository"],
    reaches: ["table-read"],
    timeoutMs: 60_000,
  },
  {
    stage: "detect",
    name: "sweep-repository",
    trigger: { kind: "command", command: "SweepRepository" },
    emits: ["ImagePushed", "EvaluateWorkload"],
    reaches: ["table", "registries"],
    timeoutMs: 60_000,
    // Many repositories may be of one registry.
    localConcurrency: 5,
  },
  {
    stage: "evaluate",
    name: "image-pushed",
    trigger: { kind: "event", event: "ImagePushed" },
    emits: ["ImagePushed", ...whatStatesCallFor],
    reaches: ["table", "registries"],
    timeoutMs: 60_000,
  },
  {
    stage: "evaluate",
    name: "evaluate-workload",
    trigger: { kind: "command", command: "EvaluateWorkload" },
    emits: whatStatesCallFor,
    reaches: ["table", "clusters", "registries"],
    timeoutMs: 60_000,
    localConcurrency: 25,
  },
  {
    stage: "gate",
    name: "wake",
    trigger: { kind: "command", command: "Wake" },
    emits: whatStatesCallFor,
    reaches: ["table"],
    timeoutMs: 30_000,
    localConcurrency: 25,
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
    emits: whatStatesCallFor,
    reaches: ["table"],
    timeoutMs: 30_000,
  },
  {
    stage: "rollout",
    name: "roll-out",
    trigger: { kind: "command", command: "RollOut" },
    emits: whatStatesCallFor,
    reaches: ["table", "clusters"],
    timeoutMs: 60_000,
    // One API server serves ten writes at once fastest.
    localConcurrency: 10,
  },
  {
    stage: "verify",
    name: "check-rollout",
    trigger: { kind: "command", command: "CheckRollout" },
    emits: whatStatesCallFor,
    reaches: ["table", "clusters"],
    timeoutMs: 60_000,
    // A check is three requests; more of them would slow the rollouts down.
    localConcurrency: 5,
  },
  {
    stage: "notify",
    name: "state-changed",
    trigger: { kind: "changes" },
    emits: ["facts"],
    reaches: ["ledger"],
    timeoutMs: 30_000,
  },
  {
    stage: "api",
    name: "v1",
    trigger: { kind: "http", method: "ANY", path: "/v1/*" },
    emits: ["SyncCluster", "ImagePushed", ...whatStatesCallFor],
    reaches: ["table", "clusters", "registries"],
    timeoutMs: 30_000,
  },
] as const satisfies readonly Route[];

/** A function's name as people and alarms know it: `rollout/roll-out`. */
export type FunctionName = `${Stage}/${string}`;

/** Writes a route's {@link FunctionName}. */
export function functionName({ stage, name }: Pick<Route, "stage" | "name">): FunctionName {
  return `${stage}/${name}`;
}

/** Whether a function sends commands hours ahead: whoever stores a state sends all that it calls for, and some of that is a timer. */
export function sendsAhead({ emits, reaches }: Route): boolean {
  return reaches.includes("table") && whatStatesCallFor.every((command) => emits.includes(command));
}

/** How every queue delivers. */
export const delivery = {
  /** Deliveries of one message before it becomes a dead letter. */
  maximumReceives: 5,
} as const;
