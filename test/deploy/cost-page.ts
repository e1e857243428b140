import { functionName } from "#contracts/routes";
import { metrics } from "#domain/update/metrics";
import type { CallCount } from "./bed/emulator.ts";
import { costOf, type CostRow, gigabyteSeconds, routeOf, total } from "./cost.ts";
import { costOfLook, leastOfUpdate, looksBefore, usualStart } from "./least-cost.ts";
import { prices } from "./prices.ts";
import { standingMetrics } from "./standing-metrics.ts";

/** What was counted while updates were made, and while nothing was to be done. */
export interface Counted {
  /** During pushes to a repository that as many workloads use as in the fleet below, one push after the other. */
  readonly shared: CountedUpdates;
  /** During pushes to a repository that one workload uses. */
  readonly alone: CountedUpdates;
  /** What was called by sweeps that found nothing. */
  readonly sweeps: readonly CallCount[];
  /** What was called in the whole run. */
  readonly everything: readonly CallCount[];
}

/** What was called, and how many workloads were updated. */
export interface CountedUpdates {
  readonly calls: readonly CallCount[];
  readonly updates: number;
}

/** What the stack has, whatever it does. */
export interface Standing {
  /** Metrics that alarms look at. */
  readonly alarmMetrics: number;
  /** Queues that Lambda asks for messages. */
  readonly polledQueues: number;
  /** Those of them of which so many messages at most are worked on at once. */
  readonly limitedQueues: number;
}

/** Dollars. */
export interface Sums {
  /** An update of a workload, of a push that others use as well. */
  readonly shared: number;
  /** An update of a workload, of a push that no other uses. */
  readonly alone: number;
  /** A month with 500 workloads of 100 repositories, and no push. */
  readonly fixed: number;
}

/** What Lookout costs, as the documentation tells it. */
export interface Cost {
  readonly sums: Sums;
  /** The same without what depends on how fast the machine is. */
  readonly untimed: Sums;
  readonly page: string;
}

const monthHours = 30 * 24;
const monthMinutes = monthHours * 60;
const fleet = { workloads: 500, repositories: 100 } as const;
/** How many workloads of the fleet use a repository. */
export const workloadsOfPush = fleet.workloads / fleet.repositories;
/**
 * Lambda asks a queue with little traffic by two pollers, for twenty seconds each; where a maximum concurrency is set, by five.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const pollsPerMinute = { idle: 6, limited: 15 } as const;

/** What a schedule starts, and how often in a month; it is there without a push too. */
const standing = {
  "detect/sync-due": monthMinutes,
  "detect/sync-cluster": monthMinutes,
  "detect/sweep-due": monthMinutes,
  "detect/sweep-repository": (monthMinutes / 5) * fleet.repositories,
  "gate/reap": monthMinutes,
} as const;
type StandingFunction = keyof typeof standing;
const standingFunctions = Object.keys(standing) as readonly StandingFunction[];

/** Computes what an update costs, and what a month costs in which nothing happens. */
export function computeCost(counted: Counted, stack: Standing): Cost {
  const billOf = (isCounted: (row: CostRow) => boolean): Bill => ({
    shared: updateRows(counted.shared).filter(isCounted),
    alone: updateRows(counted.alone).filter(isCounted),
    fixed: [...standingFunctions.map((name) => monthOf(name, counted, isCounted)), ...standingRows(stack)],
  });
  const bill = billOf(() => true);
  const untimed = sumsOf(billOf(({ what }) => what !== gigabyteSeconds));
  return { sums: sumsOf(bill), untimed, page: pageOf(bill, counted) };
}

type Bill = Readonly<Record<keyof Sums, readonly CostRow[]>>;

function sumsOf({ shared, alone, fixed }: Bill): Sums {
  return { shared: total(shared), alone: total(alone), fixed: total(fixed) };
}

function updateRows({ calls, updates }: CountedUpdates): readonly CostRow[] {
  return costOf(
    calls.filter((call) => call.function !== "" && standingFunctionOf(call) === undefined),
    updates,
  );
}

function standingFunctionOf(call: CallCount): StandingFunction | undefined {
  const route = routeOf(call.function);
  return standingFunctions.find((name) => route !== undefined && functionName(route) === name);
}

/**
 * What a complete list of 500 workloads, once an hour (`completeListEvery` in src/app/detect/sync-cluster.ts), takes beside a look at what changed: their
 * rows of the workload index, of 100 bytes, their records, of 4 KiB at the most, and two seconds of half a gigabyte. Looks at what changed read
 * records of what did change.
 */
const completeList = {
  units: Math.ceil((fleet.workloads * 100) / 4_096) + fleet.workloads,
  gigabyteSeconds: 1,
} as const;
const completeListsMonth =
  monthHours * (completeList.units * prices.tableRead + completeList.gigabyteSeconds * prices.lambdaGigabyteSecond);

/** Most repositories of the test have one workload. A record of up to 4 KiB takes half a unit, because a sweep reads it weakly. */
const recordsMonth = ((monthMinutes * fleet.repositories) / 5) * (workloadsOfPush - 1) * (prices.tableRead / 2);

/** Each tick of the schedule reads the list of repositories, of about 300 bytes each. */
const listingsMonth = monthMinutes * Math.ceil((fleet.repositories * 300) / 4_096) * prices.tableRead;

/** What the fleet of the page takes beyond that of the test, in dollars a month. */
const moreOfFleet: Partial<Record<StandingFunction, number>> = {
  "detect/sync-cluster": completeListsMonth,
  "detect/sweep-due": listingsMonth,
  "detect/sweep-repository": recordsMonth,
};

/** A month of one function: what a run of it took on the average, and what complete lists of many more workloads take. */
function monthOf(
  name: StandingFunction,
  { sweeps, everything }: Counted,
  isCounted: (row: CostRow) => boolean,
): CostRow {
  const isSweep = name === "detect/sweep-repository";
  const calls = isSweep ? sweeps : everything.filter((call) => standingFunctionOf(call) === name);
  // Each sweep reads the records of a page of subscribers, and several share a run.
  const counted = isSweep ? "dynamodb:BatchGetItem" : "lambda:Run";
  const runs = calls.find(({ operation }) => operation === counted)?.count ?? 0;
  const row = costOf(calls, Math.max(1, runs)).filter(isCounted);
  return {
    what: `\`${name}\``,
    amount: standing[name],
    dollars: total(row) * standing[name] + (moreOfFleet[name] ?? 0),
  };
}

function standingRows({ alarmMetrics, polledQueues, limitedQueues }: Standing): readonly CostRow[] {
  const pollers = (polledQueues - limitedQueues) * pollsPerMinute.idle + limitedQueues * pollsPerMinute.limited;
  const polls = pollers * monthMinutes;
  return [
    { what: "requests to empty queues", amount: polls, dollars: polls * prices.sqsPoll },
    {
      what: "metrics of schedules",
      amount: standingMetrics.length,
      dollars: standingMetrics.length * prices.metricMonth,
    },
    { what: "metrics of alarms", amount: alarmMetrics, dollars: alarmMetrics * prices.alarmMetricMonth },
    { what: "the dashboard", amount: 1, dollars: prices.dashboardMonth },
  ];
}

function pageOf({ shared, alone, fixed }: Bill, counted: Counted): string {
  return [
    "# What it costs",
    "",
    "Prices are in dollars of us-east-1, without free tiers (`test/deploy/prices.ts`).",
    "`LOOKOUT_WRITE_PAGE=1 npm run test:deploy` counts requests on [the emulator](aws-emulator.md) and",
    "writes this page.",
    "",
    "| goal | at most | cost | |",
    "| --- | ---: | ---: | --- |",
    verdict(
      `${slowUpdate}, ${workloadsOfPush} by a push, in millionths of a dollar`,
      (total(shared) + checksOfUpdate) * 1e6,
      40,
    ),
    verdict(`${slowUpdate}, one by a push, in millionths of a dollar`, (total(alone) + checksOfUpdate) * 1e6, 40),
    verdict("a month without pushes, in $", total(fixed), 10),
    "",
    `${money(total(leastOfUpdate))} millionths of an update are the least that its rules cost (\`test/deploy/least-cost.ts\`), and`,
    `${money(checksOfUpdate)} are checks of pods that are not ready yet. A check costs about ${(costOfLook * 1e6).toFixed(1)}; pods that take`,
    `${usualStart / 1_000} seconds need ${looksBefore(usualStart)} checks.`,
    "",
    "## An update of one workload",
    "",
    `Measured with ${counted.alone.updates} pushes to a repository of ${workloadsOfPush} workloads, and to a repository of one. The pods are ready at`,
    "the first check.",
    "",
    ...updateTable(shared, alone),
    "",
    "The emulator hands out up to ten messages at once. Where AWS starts each rollout alone, an update of",
    `a push that ${workloadsOfPush} workloads use costs ${rollOutsApart} more.`,
    "",
    "## A month without pushes",
    "",
    `One cluster with ${fleet.workloads} workloads of ${fleet.repositories} repositories:`,
    "",
    ...monthTable(fixed),
    "",
    `An hour with updates adds at most ${hourOfUpdates} dollars for metrics. Storage costs less than a dollar a month.`,
    "",
  ].join("\n");
}

/** Each of them is fetched, worked off and deleted alone, and not once for all. */
const rollOutsApart = ((1 - 1 / workloadsOfPush) * (2 * prices.sqsRequest + prices.lambdaRun) * 1e6).toFixed(2);

const hourOfUpdates = (
  ((Object.keys(metrics).length - standingMetrics.length) * prices.metricMonth) /
  monthHours
).toFixed(3);

const slowUpdate = `an update whose pods take ${usualStart / 1_000} s`;
const checksOfUpdate = looksBefore(usualStart) * costOfLook;

function verdict(what: string, is: number, atMost: number): string {
  return `| ${what} | ${atMost} | ${is.toFixed(2)} | ${is <= atMost ? "held" : "missed"} |`;
}

/** Reads the costs of updates from a page, in dollars, without those that depend on the speed of the machine. */
export function untimedOfPage(page: string): Pick<Sums, "shared" | "alone"> {
  const cellsOf = (what: string): readonly string[] =>
    new RegExp(String.raw`^\| ${what} +\|(.*)\|$`, "m").exec(page)?.[1]?.split("|") ?? [];
  const [together, timed] = [cellsOf("an update together"), cellsOf(gigabyteSeconds)];
  const dollars = (column: number): number => (Number(together[column]) - Number(timed[column])) / 1e6;
  return { shared: dollars(1), alone: dollars(3) };
}

/** Returns a table with the amounts and costs of both kinds of updates. */
function updateTable(shared: readonly CostRow[], alone: readonly CostRow[]): readonly string[] {
  return [
    line("of an update", `${workloadsOfPush} by a push`, "millionths of a dollar", "one by a push", "millionths"),
    line("---", "---:", "---:", "---:", "---:"),
    ...shared.map(({ what, amount, dollars }) => {
      const other = alone.find((row) => row.what === what);
      return line(what, amountText(amount), money(dollars), amountText(other?.amount ?? 0), money(other?.dollars ?? 0));
    }),
    line("an update together", "", money(total(shared)), "", money(total(alone))),
  ];
}

function monthTable(rows: readonly CostRow[]): readonly string[] {
  return [
    line("of a month", "how much", "$"),
    line("---", "---:", "---:"),
    ...rows.map((row) => line(row.what, amountText(row.amount), row.dollars.toFixed(2))),
    line("together", "", total(rows).toFixed(2)),
  ];
}

function line(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function amountText(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(2);
}

/** In millionths of a dollar. */
function money(dollars: number): string {
  return (dollars * 1e6).toFixed(2);
}
