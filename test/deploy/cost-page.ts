import { functionName } from "#contracts/routes";
import { metrics, tierMetrics } from "#domain/update/effects/metrics";
import type { CallCount } from "./bed/emulator.ts";
import { channelPerUpdate } from "./channel-cost.ts";
import { costOf, type CostRow, gigabyteSeconds, routeOf, total } from "./cost.ts";
import { definitionCost } from "./definition-cost.ts";
import { costOfLook, leastOfUpdate, looksBefore, usualStart } from "./least-cost.ts";
import { prices } from "./prices.ts";
import { standingMetrics } from "./standing-metrics.ts";

/** The counted calls during updates and without work. */
export interface Counted {
  /** The calls during pushes to a shared repository, one push after the other. */
  readonly shared: CountedUpdates;
  /** The calls during pushes to a repository that one workload uses. */
  readonly alone: CountedUpdates;
  /** The calls of sweeps that found nothing. */
  readonly sweeps: readonly CallCount[];
  /** The calls of the whole run. */
  readonly everything: readonly CallCount[];
}

/** The calls and the number of updated workloads. */
export interface CountedUpdates {
  readonly calls: readonly CallCount[];
  readonly updates: number;
}

/** The parts of the stack with constant costs. */
export interface Standing {
  /** The number of metrics with alarms. */
  readonly alarmMetrics: number;
  /** The number of queues that Lambda polls. */
  readonly polledQueues: number;
  /** The number of polled queues with a maximum concurrency. */
  readonly limitedQueues: number;
}

/** The sums, in dollars. */
export interface Sums {
  /** The cost of an update of a workload that shares its push. */
  readonly shared: number;
  /** The cost of an update of a workload with its own push. */
  readonly alone: number;
  /** The cost of a month with 500 workloads of 100 repositories, without pushes. */
  readonly fixed: number;
}

/** The costs in the documentation. */
export interface Cost {
  readonly sums: Sums;
  /** The sums without costs that depend on the speed of the machine. */
  readonly untimed: Sums;
  readonly page: string;
}

const monthHours = 30 * 24;
const monthMinutes = monthHours * 60;
const fleet = { workloads: 500, repositories: 100 } as const;
/** The number of workloads per repository of the fleet. */
export const workloadsOfPush = fleet.workloads / fleet.repositories;
/**
 * Requests per minute to a queue with little traffic: two pollers of twenty seconds each, or five
 * with a maximum concurrency.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const pollsPerMinute = { idle: 6, limited: 15 } as const;

/** The functions that schedules start, with the runs of a month. They run without pushes too. */
const standing = {
  "detect/sync-due": monthMinutes,
  "detect/sync-cluster": monthMinutes,
  "detect/sweep-due": monthMinutes,
  "detect/sweep-repository": (monthMinutes / 5) * fleet.repositories,
  "gate/reap": monthMinutes,
} as const;
type StandingFunction = keyof typeof standing;
const standingFunctions = Object.keys(standing) as readonly StandingFunction[];

/** Returns the cost of an update and of a month without pushes. */
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

/** Returns the amount of one row of an update; zero for a row without calls. */
export function amountOf(what: string, counted: CountedUpdates): number {
  return updateRows(counted).find((row) => row.what === what)?.amount ?? 0;
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
 * The extra cost of a complete list of 500 workloads, once an hour (`completeListEvery` in
 * src/app/detect/sync-cluster.ts). It reads index rows of 100 bytes and records of up to 4 KiB, and
 * takes two seconds of half a gigabyte. Other syncs read only records of changed workloads.
 */
const completeList = {
  units: Math.ceil((fleet.workloads * 100) / 4_096) + fleet.workloads,
  gigabyteSeconds: 1,
} as const;
const completeListsMonth =
  monthHours * (completeList.units * prices.tableRead + completeList.gigabyteSeconds * prices.lambdaGigabyteSecond);

/**
 * The extra reads of a month, because most repositories of the test have one workload. An
 * eventually consistent read of up to 4 KiB is half a unit.
 */
const recordsMonth = ((monthMinutes * fleet.repositories) / 5) * (workloadsOfPush - 1) * (prices.tableRead / 2);

/** The checks that sweeps store: each repository's once in 30 minutes. The counted sweeps store none. */
const checksMonth = (monthMinutes / 30) * fleet.repositories * prices.tableWrite;

/** The reads of the list of repositories by each run of the schedule, at about 300 bytes each. */
const listingsMonth = monthMinutes * Math.ceil((fleet.repositories * 300) / 4_096) * prices.tableRead;

/** The extra costs of the page's fleet over the test's fleet, in dollars a month. */
const moreOfFleet: Partial<Record<StandingFunction, number>> = {
  "detect/sync-cluster": completeListsMonth,
  "detect/sweep-due": listingsMonth,
  "detect/sweep-repository": recordsMonth + checksMonth,
};

/**
 * Returns the monthly cost of one function: its average run, and complete lists of many more
 * workloads.
 */
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
      `${slowUpdate}, ${workloadsOfPush} per push, in millionths of a dollar`,
      (total(shared) + checksOfUpdate) * 1e6,
      40,
    ),
    verdict(`${slowUpdate}, one per push, in millionths of a dollar`, (total(alone) + checksOfUpdate) * 1e6, 40),
    verdict("a month without pushes, in $", total(fixed), 10),
    "",
    `The rules of an update alone cost ${money(total(leastOfUpdate))} millionths of a dollar (\`test/deploy/least-cost.ts\`). Checks of pods that are`,
    `not ready yet cost ${money(checksOfUpdate)} more. One check costs about ${(costOfLook * 1e6).toFixed(1)}, and pods that take ${usualStart / 1_000} seconds need ${looksBefore(usualStart)}.`,
    "",
    "## An update of one workload",
    "",
    `Measured with ${counted.alone.updates} pushes to a repository of ${workloadsOfPush} workloads, and to a repository of one. The pods are ready at`,
    "the first check.",
    "",
    ...updateTable(shared, alone),
    "",
    "The emulator hands out up to ten messages in one batch. Where AWS starts each rollout alone, an update of",
    `a push that ${workloadsOfPush} workloads use costs ${rollOutsApart} more.`,
    "",
    "## A month without pushes",
    "",
    `One cluster with ${fleet.workloads} workloads of ${fleet.repositories} repositories:`,
    "",
    ...monthTable(fixed),
    "",
    `A page of a list reads the rows of all workloads that it counts: $${listOf10000} for 10,000 workloads. A local process has them in memory.`,
    "",
    `An hour with updates adds at most ${hourOfUpdates} dollars for metrics. Storage costs less than a dollar a month.`,
    "",
    "## Channels",
    "",
    "Without a channel, a stack has nothing of this. A fact that no channel tells costs nothing more.",
    "",
    "| of channels | $ |",
    "| --- | ---: |",
    `| an update, for each \`webhook\` channel, in millionths of a dollar (\`test/deploy/channels.test.ts\`) | ${money(channelPerUpdate)} |`,
    `| a month without pushes, for all channels together: one queue and one alarm | ${channelsMonth.toFixed(2)} |`,
    `| an hour in which a channel tells something, for its metrics | at most ${hourOfChannels} |`,
    "",
    "## Tiers",
    "",
    "Without tiers, a stack has nothing of this.",
    "",
    "| of tiers | $ |",
    "| --- | ---: |",
    `| an update, for its member, metrics and the reads of two tiers, in millionths of a dollar | ${money(tierPerUpdate)} |`,
    `| a read of a tier of 1,000 members | ${tierOf1000} |`,
    `| an hour in which a member changes, for five metrics of all groups together | at most ${hourOfTiers} |`,
    "",
    "An update that waits for a tier also costs what each held update costs: three more versions of its record, and",
    "a look at each earlier tier when it is selected, released and prepared.",
    "",
    "## Definitions",
    "",
    "Without `definitions: true`, a stack has nothing of this. Of one cluster (`test/deploy/definition-cost.ts`):",
    "",
    "| of definitions | $ |",
    "| --- | ---: |",
    `| a month without pushes, with ${definitionCost.objects} ImagePolicies | ${definitionCost.monthOfPolicies} |`,
    `| a month without pushes, with a ServiceImage of ${definitionCost.objects} workloads | ${definitionCost.monthOfService} |`,
    `| a month without an object | ${definitionCost.monthWithoutObjects} |`,
    `| an object that is created or changed, in millionths of a dollar | ${money(definitionCost.change)} |`,
    `| an update whose pods are ready at the first check, in millionths of a dollar | ${money(definitionCost.perUpdate)} |`,
    "",
    "A sync, one a minute, sends the API server a list of each of the three kinds, in pages of 500 objects, and a patch",
    "of each status that changed. It reads the definitions in the table, and once the record of each target. A quiet sync",
    "writes only the state of the cluster, as without definitions.",
    "",
  ].join("\n");
}

/** The price of a list of 10,000 workloads, whose rows have about 400 bytes. */
const listOf10000 = (((10_000 * 400) / 4_096) * prices.tableRead).toFixed(5);

/** The extra cost if each message is fetched, handled and deleted alone. */
const rollOutsApart = ((1 - 1 / workloadsOfPush) * (2 * prices.sqsRequest + prices.lambdaRun) * 1e6).toFixed(2);

/** The metrics of channels. A stack without channels measures none of them. */
const channelMetrics = Object.keys(metrics).filter((name) => name.startsWith("Channel"));

const hourOfUpdates = (
  ((Object.keys(metrics).length - standingMetrics.length - channelMetrics.length - tierMetrics.length) *
    prices.metricMonth) /
  monthHours
).toFixed(3);
const hourOfChannels = ((channelMetrics.length * prices.metricMonth) / monthHours).toFixed(3);

/** The size of a member that ran five images. */
const bytesOfMember = 1_400;
/** The bytes of a log line with the metrics of a group. */
const bytesOfTierLine = 700;
/** A unit in a transaction costs twice. */
const tierPerUpdate =
  2 * Math.ceil(bytesOfMember / 1_024) * prices.tableWrite +
  2 * prices.tableRead +
  (bytesOfTierLine / 1e9) * prices.logGigabyte;
const tierOf1000 = (((1_000 * bytesOfMember) / 4_096) * prices.tableRead).toFixed(5);
const hourOfTiers = ((tierMetrics.length * prices.metricMonth) / monthHours).toFixed(3);

/** The requests to the empty queue of all channels, and the metric of their alarm. */
const channelsMonth = pollsPerMinute.limited * monthMinutes * prices.sqsPoll + prices.alarmMetricMonth;

const slowUpdate = `an update whose pods take ${usualStart / 1_000} s`;
const checksOfUpdate = looksBefore(usualStart) * costOfLook;

function verdict(what: string, is: number, atMost: number): string {
  return `| ${what} | ${atMost} | ${is.toFixed(2)} | ${is <= atMost ? "held" : "missed"} |`;
}

/**
 * Returns the costs of updates on a page, in dollars, without costs that depend on the speed of the
 * machine.
 */
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
    line("of an update", `${workloadsOfPush} per push`, "millionths of a dollar", "one per push", "millionths"),
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

/** Returns an amount in millionths of a dollar, as text. */
function money(dollars: number): string {
  return (dollars * 1e6).toFixed(2);
}
