import { functionName, type Route, routes } from "#contracts/routes";
import { memoryMiB } from "#lib/lookout-function";
import type { CallCount } from "./bed/emulator.ts";
import { prices } from "./prices.ts";

/** One line of the bill. */
export interface CostRow {
  readonly what: string;
  /** How often, or how much. */
  readonly amount: number;
  readonly dollars: number;
}

/** A line that a run logs, and the two that Lambda writes about it. */
const logBytesOfRun = 1_000;

/**
 * Answers what calls cost.
 *
 * Messages cost where they are sent; that Lambda fetches and deletes them, ten at a time at the best, is counted as two requests for
 * each run that a queue starts.
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

/** Answers what was called between two counts. */
export function callsSince(before: readonly CallCount[], after: readonly CallCount[]): readonly CallCount[] {
  const keyOf = ({ function: name, operation }: CallCount): string => `${name} ${operation}`;
  const counted = new Map(before.map((call) => [keyOf(call), call]));
  return after.flatMap((call) => {
    const { count = 0, units = 0, sent = 0, milliseconds = 0 } = counted.get(keyOf(call)) ?? {};
    if (call.count === count) return [];
    return [
      {
        ...call,
        ...{ count: call.count - count, units: call.units - units, sent: call.sent - sent },
        milliseconds: call.milliseconds - milliseconds,
      },
    ];
  });
}

/** Answers the sum of a bill, in dollars. */
export function total(rows: readonly CostRow[]): number {
  return sum(rows.map(({ dollars }) => dollars));
}

function rowsOf({ function: name, operation, count, units, sent, milliseconds }: CallCount): readonly CostRow[] {
  const [service = "", asked = ""] = operation.split(":");
  switch (service) {
    case "lambda":
      return runRows(count, gigabytesOf(name) * (milliseconds / 1_000), startedByQueue.test(name));
    case "sqs":
      return [row("requests to SQS", count, prices.sqsRequest)];
    case "events":
      return [row("events on the bus", Math.max(count, sent / 65_536), prices.customEvent)];
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

/** All but those that a schedule, a request or the stream of the table starts. */
const startedByQueue = /(?<!due|webhook|changed|v1)Function/;

/** Finds the route of a function by its name in the account, which is made of the letters of ours; undefined when it is none of ours. */
export function routeOf(nameInAccount: string): Route | undefined {
  return routes.find((route) => nameInAccount.includes(`${functionName(route).replaceAll(/\W/g, "")}Function`));
}

function gigabytesOf(nameInAccount: string): number {
  const route = routeOf(nameInAccount);
  return route === undefined ? 0 : memoryMiB(route) / 1_024;
}

function runRows(count: number, gigabyteSeconds: number, byQueue: boolean): readonly CostRow[] {
  return [
    row("runs of functions", count, prices.lambdaRun),
    row("gigabyte seconds of functions", gigabyteSeconds, prices.lambdaGigabyteSecond),
    row("requests to SQS", byQueue ? 2 * count : 0, prices.sqsRequest),
    row("gigabytes of logs", (count * logBytesOfRun) / 1e9, prices.logGigabyte),
  ];
}

function row(what: string, amount: number, price: number): CostRow {
  return { what, amount, dollars: amount * price };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
