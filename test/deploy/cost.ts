import { functionName, type Route, routes } from "#contracts/routes";
import { memoryMiB } from "#lib/functions/lookout-function";
import type { CallCount } from "./bed/emulator.ts";
import { prices } from "./prices.ts";

/** The line of the bill that depends on the speed of the machine. */
export const gigabyteSeconds = "gigabyte seconds of functions";

/** One line of the bill. */
export interface CostRow {
  readonly what: string;
  /** The number of calls or units. */
  readonly amount: number;
  readonly dollars: number;
}

/**
 * Returns the costs of calls.
 *
 * The sender of a message has its cost. Each run from a queue adds two requests, for the fetch and
 * the deletion by Lambda. A run for a rule of EventBridge adds a third.
 */
export function costOf(calls: readonly CallCount[], divideBy = 1): readonly CostRow[] {
  const rows = calls.flatMap((call) => rowsOf(call));
  const byWhat = Map.groupBy(rows, ({ what }) => what);
  return [...byWhat].map(([what, same]) => ({
    what,
    amount: sum(same.map(({ amount }) => amount)) / divideBy,
    dollars: sum(same.map(({ dollars }) => dollars)) / divideBy,
  }));
}

/** Returns the calls between two counts. */
export function callsSince(before: readonly CallCount[], after: readonly CallCount[]): readonly CallCount[] {
  const keyOf = ({ function: name, operation }: CallCount): string => `${name} ${operation}`;
  const counted = new Map(before.map((call) => [keyOf(call), call]));
  return after.flatMap((call) => {
    const { count = 0, units = 0, logged = 0, milliseconds = 0 } = counted.get(keyOf(call)) ?? {};
    if (call.count === count) return [];
    return [
      {
        ...call,
        ...{ count: call.count - count, units: call.units - units, logged: call.logged - logged },
        milliseconds: call.milliseconds - milliseconds,
      },
    ];
  });
}

/** Returns the sum of a bill, in dollars. */
export function total(rows: readonly CostRow[]): number {
  return sum(rows.map(({ dollars }) => dollars));
}

function rowsOf(call: CallCount): readonly CostRow[] {
  const { operation, count, units } = call;
  const [service = "", asked = ""] = operation.split(":");
  switch (service) {
    case "lambda":
      return runRows(call, routeOf(call.function));
    case "sqs":
      return [row("requests to SQS", count, prices.sqsRequest)];
    case "events":
      return [row("events on the bus", units, prices.customEvent)];
    case "scheduler":
      return [row("timers of EventBridge Scheduler", count, prices.schedule)];
    case "dynamodb":
      return /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(asked)
        ? [row("units written to the table", units, prices.tableWrite)]
        : [row("units read from the table", units, prices.tableRead)];
    default:
      // Requests to STS, SSM's standard parameters and ECR cost nothing.
      return [];
  }
}

/** Returns the route of a function by its name in the account; undefined for a foreign function. */
export function routeOf(nameInAccount: string): Route | undefined {
  return routes.find((route) => nameInAccount.includes(`${functionName(route).replaceAll(/\W/g, "")}Function`));
}

function runRows({ count, logged, milliseconds }: CallCount, route: Route | undefined): readonly CostRow[] {
  if (route === undefined) return [];
  const amount = (memoryMiB(route) / 1_024) * (milliseconds / 1_000);
  return [
    row("runs of functions", count, prices.lambdaRun),
    row(gigabyteSeconds, amount, prices.lambdaGigabyteSecond),
    row("requests to SQS", requestsOf(route) * count, prices.sqsRequest),
    row("gigabytes of logs", logged / 1e9, prices.logGigabyte),
  ];
}

/** A rule of EventBridge sends the messages of channels, as it sends pushes. */
function requestsOf({ trigger, reaches }: Route): number {
  return requestsPerRun[reaches.includes("told") ? "event" : trigger.kind];
}

/** The requests to a function's queue for each run, besides the requests of functions. */
const requestsPerRun = {
  command: 2,
  "dead-letter": 2,
  event: 3,
  schedule: 0,
  changes: 0,
  http: 0,
} as const satisfies Readonly<Record<Route["trigger"]["kind"], number>>;

function row(what: string, amount: number, price: number): CostRow {
  return { what, amount, dollars: amount * price };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
