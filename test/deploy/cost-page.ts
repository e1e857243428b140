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
  /** What was called in the whole run, with so many repositories. */
  readonly everything: readonly CallCount[];
  readonly repositories: number;
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
  "detect/sweep-due": monthMinutes / 5,
  "detect/sweep-repository": (monthMinutes / 5) * fleet.repositories,
  "gate/reaper-due": monthMinutes,
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

/** A month of one function: what a run of it took on the average, and what complete lists of many more workloads take. */
function monthOf(
  name: StandingFunction,
  { everything, repositories }: Counted,
  isCounted: (row: CostRow) => boolean,
): CostRow {
  const calls = everything.filter((call) => standingFunctionOf(call) === name);
  const sweeps = everything.find(
    (call) => standingFunctionOf(call) === "detect/sweep-due" && call.operation === "lambda:Run",
  );
  const runs =
    name === "detect/sweep-repository"
      ? (sweeps?.count ?? 0) * repositories
      : (calls.find(({ operation }) => operation === "lambda:Run")?.count ?? 0);
  const row = costOf(calls, Math.max(1, runs)).filter(isCounted);
  const lists = name === "detect/sync-cluster" ? completeListsMonth : 0;
  return { what: `\`${name}\``, amount: standing[name], dollars: total(row) * standing[name] + lists };
}

function standingRows({ alarmMetrics, polledQueues, limitedQueues }: Standing): readonly CostRow[] {
  const pollers = (polledQueues - limitedQueues) * pollsPerMinute.idle + limitedQueues * pollsPerMinute.limited;
  const polls = pollers * monthMinutes;
  return [
    { what: "asking queues that are empty", amount: polls, dollars: polls * prices.sqsPoll },
    {
      what: "metrics that are written all month",
      amount: standingMetrics.length,
      dollars: standingMetrics.length * prices.metricMonth,
    },
    { what: "metrics that alarms look at", amount: alarmMetrics, dollars: alarmMetrics * prices.alarmMetricMonth },
    { what: "the dashboard", amount: 1, dollars: prices.dashboardMonth },
  ];
}

function pageOf({ shared, alone, fixed }: Bill, counted: Counted): string {
  const pushes = counted.alone.updates;
  return [
    "# What it costs",
    "",
    "Computed by `npm run test:deploy`: what the functions ask of AWS is counted on [the emulator](aws-emulator.md), and multiplied by the",
    "prices of `test/deploy/prices.ts` (us-east-1, without free tiers and discounts). Times are those of a shared machine.",
    "",
    ...verdict(
      `${slowUpdate}, of a push that ${workloadsOfPush} use,`,
      (total(shared) + looksOfUpdate) * 1e6,
      ofUpdate,
    ),
    ...verdict(`${slowUpdate}, of a push that no other uses,`, (total(alone) + looksOfUpdate) * 1e6, ofUpdate),
    ...verdict("a month without pushes", total(fixed), {
      atMost: 10,
      unit: "dollars",
      why: "alarms look at every function and every queue, there is a dashboard, and Lambda asks queues that are empty",
    }),
    "",
    `\`LOOKOUT_WRITE_COST=1 npm run test:deploy\` writes this page anew.`,
    "",
    "## An update of one workload",
    "",
    `Of ${pushes} pushes to a repository that ${workloadsOfPush} workloads use, as in the fleet below, and of ${pushes} to one that a single workload uses.`,
    "One look at the registry is for all of them.",
    "",
    ...tableOf(`of an update, with ${workloadsOfPush} by a push`, shared, 1e6, "millionths of a dollar"),
    "",
    ...tableOf("of an update, with one by a push", alone, 1e6, "millionths of a dollar"),
    "",
    "Messages come to a function as many at once as the emulator hands out, ten at the most. On AWS looks at roll-outs gather for a second;",
    `roll-outs begin at once, and where each begins alone, an update of a push that ${workloadsOfPush} use costs ${rollOutsApart} millionths more.`,
    "",
    "Its pods are ready at the first look. One that finds them not ready yet costs about " +
      `${(costOfLook * 1e6).toFixed(1)} millionths more, and there are ${looksBefore(usualStart)} such`,
    `where they take ${usualStart / 1_000} seconds.`,
    "",
    "The least that one by a push could cost under the rules that an update is made by (docs/decisions), with a record of four kilobytes,",
    "all other items in one, and nothing for functions, reads, logs and the marker that makes one look of a burst of pushes:",
    "",
    ...tableOf("of an update", leastOfUpdate, 1e6, "millionths of a dollar"),
    "",
    `## A month in which nothing is pushed, with ${fleet.workloads} workloads of ${fleet.repositories} repositories in one cluster`,
    "",
    ...tableOf("of a month", fixed, 1, "dollars"),
    "",
    `CloudWatch charges for a metric by the hour in which it is written: an hour with updates costs up to ${hourOfUpdates} dollars more for`,
    "the metrics of updates, however many updates there are.",
    "",
    "Beside that AWS charges for what is kept: about 1 GB of table, backups, archived events and logs, less than a dollar a month.",
    "With the free tiers that every account has for good (10 metrics, 10 alarms, 3 dashboards, a million requests to SQS, a million runs)",
    "it is less than the table says.",
    "",
  ].join("\n");
}

/** Each of them is fetched, worked off and deleted alone, and not once for all. */
const rollOutsApart = ((1 - 1 / workloadsOfPush) * (2 * prices.sqsRequest + prices.lambdaRun) * 1e6).toFixed(2);

const hourOfUpdates = (
  ((Object.keys(metrics).length - standingMetrics.length) * prices.metricMonth) /
  monthHours
).toFixed(3);

function millionths(rows: readonly CostRow[]): string {
  return (total(rows) * 1e6).toFixed(2);
}

const slowUpdate = `an update of a workload whose pods take ${usualStart / 1_000} seconds`;
const looksOfUpdate = looksBefore(usualStart) * costOfLook;

const ofUpdate: Goal = {
  atMost: 40,
  unit: "millionths of a dollar",
  why:
    `${millionths(leastOfUpdate)} are what the rules of an update ask for, so that nothing is lost when a function dies, and ` +
    `${(looksOfUpdate * 1e6).toFixed(2)} are looks at pods that are not ready yet`,
};

interface Goal {
  readonly atMost: number;
  readonly unit: string;
  /** What it is spent on. */
  readonly why: string;
}

function verdict(what: string, is: number, { atMost, unit, why }: Goal): readonly string[] {
  const goal = `${what} is to cost ${atMost} ${unit} at the most, and costs ${is.toFixed(2)}`;
  return is <= atMost ? [`- The goal is held: ${goal}.`] : [`- The goal is missed: ${goal}:`, `  ${why}.`];
}

/** Reads what a page tells of updates, in dollars, without what depends on how fast the machine is. */
export function untimedOfPage(page: string): Pick<Sums, "shared" | "alone"> {
  const [, shared = "", alone = ""] = page.split("\n| of an update, with ");
  return { shared: untimedOfTable(shared), alone: untimedOfTable(alone) };
}

function untimedOfTable(table: string): number {
  const millionthsOf = (what: string): number =>
    Number(new RegExp(String.raw`^\| ${what} +\|[^|]*\| +([\d.]+) \|$`, "m").exec(table)?.[1]);
  return (millionthsOf("together") - millionthsOf(gigabyteSeconds)) / 1e6;
}

function tableOf(head: string, rows: readonly CostRow[], scale: number, unit: string): readonly string[] {
  const line = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const amount = (value: number): string =>
    value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(2);
  const money = (dollars: number): string => (dollars * scale).toFixed(2);
  return [
    line(head, "how much", unit),
    line("---", "---:", "---:"),
    ...rows.map((row) => line(row.what, amount(row.amount), money(row.dollars))),
    line("together", "", money(total(rows))),
  ];
}
