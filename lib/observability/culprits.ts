/** The dashboard's widgets that name a workload, a cluster, a function, a rule or a schedule. */
import { Fn } from "aws-cdk-lib";
import { GraphWidget, type IWidget, LogQueryWidget, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { CfnRule } from "aws-cdk-lib/aws-events";
import { Rule } from "aws-cdk-lib/aws-events";
import { ScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import type { IConstruct } from "constructs";
import type { FunctionName } from "#contracts/routes";
import type { Watched } from "./watched.ts";

const half = { width: 12, height: 6 };
const third = { width: 8, height: 6 };

/** One table of log lines. */
interface Table {
  readonly title: string;
  /** The functions that write the lines. Default: all functions. */
  readonly functions?: readonly FunctionName[];
  readonly queryLines: readonly string[];
}

/**
 * The tables of log lines. The metrics of these lines have no dimension for a workload, because AWS
 * charges for each series.
 */
const tables: readonly Table[] = [
  {
    title: "Failures by workload",
    functions: ["notify/state-changed"],
    queryLines: [
      "filter ispresent(UpdatesFailed) or ispresent(UpdatesRolledBack)",
      "stats sum(UpdatesFailed) as failed, sum(UpdatesRolledBack) as rolledBack by workload",
      "sort failed desc, rolledBack desc",
    ],
  },
  {
    title: "Waiting for approval, by workload",
    functions: ["notify/state-changed", "gate/wake"],
    queryLines: [
      "filter (ispresent(UpdatesHeld) or ispresent(HeldSeconds)) and reasons like /needs-approval/",
      "stats count_distinct(update) as updates, max(HeldSeconds) as longestSeconds by workload",
      "sort longestSeconds desc",
    ],
  },
  {
    title: "Problems by cluster",
    functions: ["detect/sync-due", "detect/sync-cluster", "gate/dead-letter"],
    queryLines: [
      "filter ispresent(ClusterUnreachableSeconds) or ispresent(InventoryAgeSeconds)",
      "stats max(ClusterUnreachableSeconds) as unreachableSeconds, max(InventoryAgeSeconds) as lastSyncSeconds by cluster, reason",
      "sort unreachableSeconds desc",
    ],
  },
  {
    title: "Failed messages by function",
    queryLines: [
      "filter ispresent(MessagesFailed)",
      "stats sum(MessagesFailed) as messages by stage, function",
      "sort messages desc",
    ],
  },
];

/** Returns the rows of widgets with the tables of log lines. */
export function culprits({ functions }: Watched): IWidget[][] {
  const widgets = tables.map(
    ({ title, functions: names, queryLines }) =>
      new LogQueryWidget({
        ...half,
        title,
        logGroupNames: functions.filter(({ name }) => names?.includes(name) ?? true).map(({ log }) => log.logGroupName),
        queryLines: [...queryLines],
      }),
  );
  return [widgets.slice(0, 2), widgets.slice(2)];
}

/** Returns the widgets of the services between the functions. */
export function servicesOf(scope: IConstruct, { functions, kept, httpApi }: Watched): IWidget[] {
  return [
    new GraphWidget({
      ...third,
      title: "Throttles of functions, and kept messages",
      left: functions.flatMap(({ name, lambda, placed }) => [
        lambda.metricThrottles({ label: name }),
        ...placed.map(({ network, lambda: copy }) => copy.metricThrottles({ label: `${name} in ${network.vpc}` })),
      ]),
      right: [kept.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label: "kept messages" })],
    }),
    new GraphWidget({
      ...third,
      title: "Refused and failed requests",
      left: [httpApi.api.metricClientError({ label: "4xx" }), httpApi.api.metricServerError({ label: "5xx" })].map(
        (metric) => metric.with({ statistic: Stats.SUM }),
      ),
    }),
    new GraphWidget({
      ...third,
      title: "Failed rules and schedules",
      left: [...failedRules(scope), ...failedSchedules(scope)],
    }),
  ];
}

/**
 * Returns a metric for each rule of an installation. A rule of an own bus has the bus as a second
 * dimension:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html#eb-metrics-dimensions
 */
function failedRules(scope: IConstruct): Metric[] {
  return partsOf(scope, Rule).map((rule) => {
    const { eventBusName } = rule.node.defaultChild as CfnRule;
    // An ARN is `…:rule/NAME`, or `…:rule/BUS/NAME` for an own bus.
    const RuleName = Fn.select(eventBusName === undefined ? 1 : 2, Fn.split("/", rule.ruleArn));
    return new Metric({
      namespace: "AWS/Events",
      metricName: "FailedInvocations",
      dimensionsMap: { ...(eventBusName === undefined ? {} : { EventBusName: eventBusName }), RuleName },
      statistic: Stats.SUM,
      label: `rule ${rule.node.id}`,
    });
  });
}

function failedSchedules(scope: IConstruct): Metric[] {
  return partsOf(scope, ScheduleGroup).flatMap((group) => [
    group.metricTargetErrors({ statistic: Stats.SUM, label: "schedules: failed starts" }),
    group.metricDropped({ statistic: Stats.SUM, label: "schedules: dropped starts" }),
  ]);
}

/** Returns the parts of one class in an installation, in the order of their creation. */
function partsOf<Part extends IConstruct>(
  scope: IConstruct,
  of: abstract new (...args: never[]) => Part,
): readonly Part[] {
  return scope.node.findAll().filter((one): one is IConstruct & Part => one instanceof of);
}
