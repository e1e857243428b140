import type { CallCount } from "./bed/emulator.ts";
import { prices } from "./prices.ts";

/** One line of the bill. */
export interface CostRow {
  readonly what: string;
  /** How often, or how much. */
  readonly amount: number;
  readonly dollars: number;
}

const memoryGigabytes = 0.5;
/** A line that a run logs, and the two that Lambda writes about it. */
const logBytesOfRun = 1_500;

/**
 * Answers what calls cost. Where a price is by size, the bytes on the wire are taken, which are more than what is billed.
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
    const { count = 0, sent = 0, received = 0, milliseconds = 0 } = counted.get(keyOf(call)) ?? {};
    if (call.count === count) return [];
    return [
      {
        ...call,
        ...{ count: call.count - count, sent: call.sent - sent, received: call.received - received },
        milliseconds: call.milliseconds - milliseconds,
      },
    ];
  });
}

/** Answers the sum of a bill, in dollars. */
export function total(rows: readonly CostRow[]): number {
  return sum(rows.map(({ dollars }) => dollars));
}

function rowsOf({ operation, count, sent, received, milliseconds }: CallCount): readonly CostRow[] {
  const [service = "", name = ""] = operation.split(":");
  switch (service) {
    case "lambda":
      return runRows(count, milliseconds);
    case "sqs":
      return [row("requests to SQS", count, prices.sqsRequest)];
    case "events":
      return [row("events on the bus", count * blocks(sent, count, 65_536), prices.customEvent)];
    case "scheduler":
      return [row("timers of EventBridge Scheduler", count, prices.schedule)];
    case "dynamodb":
      return [isWrite(name) ? writes(name, count, sent) : reads(name, count, received)];
    default:
      // Requests to STS, SSM's standard parameters and ECR cost nothing.
      return [];
  }
}

function runRows(count: number, milliseconds: number): readonly CostRow[] {
  return [
    row("runs of functions", count, prices.lambdaRun),
    row("gigabyte seconds of functions", (milliseconds / 1_000) * memoryGigabytes, prices.lambdaGigabyteSecond),
    row("fetching and deleting messages", 2 * count, prices.sqsRequest),
    row("gigabytes of logs", (count * logBytesOfRun) / 1e9, prices.logGigabyte),
  ];
}

function isWrite(name: string): boolean {
  return /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(name);
}

/** A write of a record is one to the index of what is due as well; one in a transaction counts twice. */
function writes(name: string, count: number, sent: number): CostRow {
  const units = count * blocks(sent, count, 1_024) + count;
  return row("units written to the table", name.startsWith("Transact") ? 2 * units : units, prices.tableWrite);
}

function reads(name: string, count: number, received: number): CostRow {
  const units = count * blocks(received, count, 4_096);
  return row("units read from the table", name.startsWith("Transact") ? 2 * units : units, prices.tableRead);
}

/** How many blocks a request takes on the average, each begun one counted whole. */
function blocks(bytes: number, count: number, size: number): number {
  return Math.max(1, Math.ceil(bytes / count / size));
}

function row(what: string, amount: number, price: number): CostRow {
  return { what, amount, dollars: amount * price };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
