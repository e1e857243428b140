import type { CallCount } from "./bed/emulator.ts";
import { costOf, type CostRow, total } from "./cost.ts";
import { prices } from "./prices.ts";

/** What was counted while updates were made, and while nothing was to be done. */
export interface Counted {
  /** What was called during so many updates of one workload each, one after the other. */
  readonly during: readonly CallCount[];
  readonly updates: number;
  /** What was called in the whole run, with so many workloads, each of a repository of its own. */
  readonly everything: readonly CallCount[];
  readonly workloads: number;
}

/** What the stack has, whatever it does. */
export interface Standing {
  readonly metrics: number;
  /** Metrics that alarms look at. */
  readonly alarmMetrics: number;
  /** Queues that Lambda asks for messages. */
  readonly polledQueues: number;
}

/** What Lookout costs, as the documentation tells it. */
export interface Cost {
  readonly perUpdate: number;
  /** A month with 500 workloads of 100 repositories, and no push. */
  readonly fixed: number;
  readonly page: string;
}

const monthMinutes = 30 * 24 * 60;
const fleet = { workloads: 500, repositories: 100 } as const;
/** Lambda asks an idle queue five times in parallel, for twenty seconds each. Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const pollsPerMinute = 15;

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
  const ofUpdates = counted.during.filter((call) => call.function !== "" && standingFunctionOf(call) === undefined);
  const update = costOf(ofUpdates, counted.updates);
  const month = [...standingFunctions.map((name) => monthOf(name, counted)), ...standingRows(stack)];
  return { perUpdate: total(update), fixed: total(month), page: pageOf(update, month, counted.updates) };
}

/** Names of functions in the account are made of the letters of ours. */
function standingFunctionOf(call: CallCount): StandingFunction | undefined {
  return standingFunctions.find((name) => call.function.includes(`${name.replaceAll(/\W/g, "")}Function`));
}

/** How long a look at 500 workloads is taken to last, as there are not so many here. */
const wholeLookMs = 2_000;

/** A month of one function: what a run of it took on the average. What a look at a cluster reads grows with its workloads. */
function monthOf(name: StandingFunction, { everything, workloads }: Counted): CostRow {
  const calls = everything.filter((call) => standingFunctionOf(call) === name);
  const sweeps = everything.find(
    (call) => standingFunctionOf(call) === "detect/sweep-due" && call.operation === "lambda:Run",
  );
  const runs =
    name === "detect/sweep-repository"
      ? (sweeps?.count ?? 0) * workloads
      : (calls.find(({ operation }) => operation === "lambda:Run")?.count ?? 0);
  const grown = name === "detect/sync-cluster" ? fleet.workloads / workloads : 1;
  const row = costOf(
    calls.map((call) => ({
      ...call,
      units: call.units * grown,
      milliseconds: grown === 1 ? call.milliseconds : call.count * wholeLookMs,
    })),
    Math.max(1, runs),
  );
  return { what: `\`${name}\``, amount: standing[name], dollars: total(row) * standing[name] };
}

function standingRows({ metrics, alarmMetrics, polledQueues }: Standing): readonly CostRow[] {
  const polls = polledQueues * pollsPerMinute * monthMinutes;
  return [
    { what: "asking queues that are empty", amount: polls, dollars: polls * prices.sqsPoll },
    { what: "metrics", amount: metrics, dollars: metrics * prices.metricMonth },
    { what: "metrics that alarms look at", amount: alarmMetrics, dollars: alarmMetrics * prices.alarmMetricMonth },
    { what: "the dashboard", amount: 1, dollars: prices.dashboardMonth },
  ];
}

function pageOf(update: readonly CostRow[], month: readonly CostRow[], updates: number): string {
  return [
    "# What it costs",
    "",
    `Computed by \`npm run test:deploy\`: what the functions ask of AWS is counted on [the emulator](aws-emulator.md), over ${updates} updates`,
    "of one workload each, and multiplied by the prices of `test/deploy/prices.ts` (us-east-1, without free tiers and discounts).",
    "Times are those of a shared machine. It is more than Lookout is to cost: two hundred-thousandths of a dollar an update, and ten dollars",
    "a month.",
    "",
    `\`LOOKOUT_WRITE_COST=1 npm run test:deploy\` writes this page anew.`,
    "",
    "## An update of one workload",
    "",
    ...tableOf("of an update", update, 1e6, "millionths of a dollar"),
    "",
    `## A month in which nothing is pushed, with ${fleet.workloads} workloads of ${fleet.repositories} repositories in one cluster`,
    "",
    ...tableOf("of a month", month, 1, "dollars"),
    "",
    "Beside that AWS charges for what is kept: about 1 GB of table, backups, archived events and logs, less than a dollar a month.",
    "With the free tiers that every account has for good (10 metrics, 10 alarms, 3 dashboards, a million requests to SQS, a million runs)",
    "it is less than the table says.",
    "",
  ].join("\n");
}

/** Reads the sums that a page tells, in dollars. */
export function costOfPage(page: string): { readonly perUpdate: number; readonly fixed: number } {
  const [perUpdate = Number.NaN, fixed = Number.NaN] = [...page.matchAll(/^\| together +\| +\| +([\d.]+) \|$/gm)].map(
    ([, sum]) => Number(sum),
  );
  return { perUpdate: perUpdate / 1e6, fixed };
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
