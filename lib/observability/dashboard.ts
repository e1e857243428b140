/** The dashboard: updates, waits, failures and costs. */
import { Duration, Stack } from "aws-cdk-lib";
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  MathExpression,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import type { MetricName } from "#contracts/aws/metrics";
import type { FunctionName } from "#contracts/routes";
import { culprits, servicesOf } from "./culprits.ts";
import { hasChannels, hasTiers, iteratorAge, oldestMessage, ownMetric, type Watched } from "./watched.ts";

/** The sources of the dashboard. */
export interface LookoutDashboardProps extends Watched {
  readonly table: Pick<TableV2, "metricConsumedReadCapacityUnits" | "metricConsumedWriteCapacityUnits">;
  readonly alarms: readonly Alarm[];
}

const half = { width: 12, height: 6 };
const third = { width: 8, height: 6 };

/** A dashboard named after the stack and its region, because an account's dashboards are global. */
export class LookoutDashboard extends Construct {
  constructor(scope: Construct, id: string, props: LookoutDashboardProps) {
    super(scope, id);
    new Dashboard(this, "Dashboard", {
      dashboardName: `${Stack.of(this).stackName}-${Stack.of(this).region}`,
      defaultInterval: Duration.hours(24),
      widgets: [
        [new AlarmStatusWidget({ title: "Alarms", alarms: [...props.alarms], width: 24, height: 3 })],
        this.way(),
        this.waiting(props),
        this.trouble(props),
        ...culprits(props),
        ...(hasTiers(props) ? [this.tiers(props)] : []),
        ...(hasChannels(props) ? [this.channels(props)] : []),
        servicesOf(scope, props),
        costs(props),
      ],
    });
  }

  private way(): IWidget[] {
    const spans = ["PushToSelectedMs", "ReleasedToPatchedMs", "PatchedToRunningMs"] as const;
    return [
      new GraphWidget({
        ...third,
        title: "Push to running, without the wait at gates",
        left: [this.own("PushToRunningMs", Stats.p(50), "p50 ms"), this.own("PushToRunningMs", Stats.p(95), "p95 ms")],
      }),
      new GraphWidget({
        ...third,
        title: "Push to running by step, p50",
        stacked: true,
        left: spans.map((name) => this.own(name, Stats.p(50))),
      }),
      new GraphWidget({
        ...third,
        title: "From pushes to updates",
        period: Duration.hours(1),
        left: [
          this.own("PushesReceived", Stats.SUM, "pushes"),
          this.own("PushToSelectedMs", Stats.SAMPLE_COUNT, "selected"),
          this.own("UpdatesHeld", Stats.SUM, "held"),
          this.own("UpdatesSuperseded", Stats.SUM, "superseded"),
          this.own("ReleasedToPatchedMs", Stats.SAMPLE_COUNT, "patched"),
          this.own("UpdatesSucceeded", Stats.SUM, "succeeded"),
        ],
      }),
    ];
  }

  private waiting(watched: Watched): IWidget[] {
    return [
      new LogQueryWidget({
        ...third,
        title: "Waiting, by reason",
        logGroupNames: logsOf(watched, ["notify/state-changed", "gate/wake"]),
        queryLines: [
          "filter ispresent(UpdatesHeld) or (ispresent(HeldSeconds) and ispresent(reasons))",
          "stats count_distinct(update) as updates, max(HeldSeconds) as longestSeconds by reasons",
          "sort updates desc",
        ],
      }),
      new GraphWidget({
        ...third,
        title: "Longest wait, and overdue updates",
        left: [this.own("HeldSeconds", Stats.MAXIMUM, "longest wait, s")],
        right: [this.own("UpdatesOverdue", Stats.MAXIMUM, "overdue")],
      }),
      new GraphWidget({
        ...third,
        title: "Age of the oldest message",
        left: watched.queues.map(oldestMessage),
        right: [iteratorAge(watched)],
      }),
    ];
  }

  private trouble({ functions }: Watched): IWidget[] {
    return [
      new GraphWidget({
        ...third,
        title: "Failures and rollbacks",
        left: [
          this.own("UpdatesFailed", Stats.SUM),
          this.own("UpdatesRolledBack", Stats.SUM),
          this.own("MessagesFailed", Stats.SUM),
          this.own("MessagesDeadLettered", Stats.SUM),
          this.own("MessagesKept", Stats.SUM),
          this.own("RecordsUnreadable", Stats.SUM),
        ],
        right: [
          sum(
            "function errors",
            functions.flatMap(({ lambdas }) => lambdas.map((lambda) => lambda.metricErrors())),
          ),
        ],
      }),
      new GraphWidget({
        ...third,
        title: "Missed pushes, registry refusals, rejected webhooks",
        left: [
          this.own("EventsMissed", Stats.SUM),
          this.own("PushesDisputed", Stats.SUM),
          this.own("RegistryRefusals", Stats.SUM),
          this.own("WebhooksRejected", Stats.SUM),
        ],
        right: [this.own("SweepsStarted", Stats.SUM)],
      }),
      new GraphWidget({
        ...third,
        title: "Clusters",
        left: [
          this.own("ClusterUnreachableSeconds", Stats.MAXIMUM, "unreachable, s"),
          this.own("InventoryAgeSeconds", Stats.MAXIMUM, "last sync, s ago"),
        ],
        right: [this.own("WorkloadsDrifting", Stats.MAXIMUM, "workloads with different digests")],
      }),
    ];
  }

  private tiers(watched: Watched): IWidget[] {
    return [
      new GraphWidget({
        ...half,
        title: "Tiers: the group with the most",
        left: [
          this.own("TierMembersToUpdate", Stats.MAXIMUM, "members to update"),
          this.own("TierMembersAtLatest", Stats.MAXIMUM, "members at the newest image"),
          this.own("TierMembersSuspended", Stats.MAXIMUM, "suspended members"),
          this.own("TierCurrent", Stats.MAXIMUM, "number of the current tier"),
        ],
        right: [this.own("TierUpgradingSeconds", Stats.MAXIMUM, "since the first member, s")],
      }),
      new LogQueryWidget({
        ...half,
        title: "Tiers by group",
        logGroupNames: logsOf(watched, ["notify/state-changed"]),
        queryLines: [
          "filter ispresent(TierCurrent)",
          "stats latest(tier) as currentTier, latest(TierMembersAtLatest) as atLatest, latest(TierMembersToUpdate) as toUpdate, latest(TierMembersSuspended) as suspended, latest(TierUpgradingSeconds) as upgradingSeconds by group",
          "sort toUpdate desc",
        ],
      }),
    ];
  }

  private channels(watched: Watched): IWidget[] {
    const telling = watched.functions.filter(({ route }) => route.reaches.includes("told"));
    return [
      new GraphWidget({
        ...half,
        title: "Channels",
        left: [
          this.own("ChannelTold", Stats.SUM, "told"),
          this.own("ChannelFailed", Stats.SUM, "failed, most tried again"),
          this.own("ChannelUntold", Stats.SUM, "not told"),
        ],
      }),
      new LogQueryWidget({
        ...half,
        title: "Failures by channel",
        logGroupNames: telling.map(({ log }) => log.logGroupName),
        queryLines: [
          "filter ispresent(ChannelFailed) or ispresent(ChannelUntold)",
          "stats sum(ChannelFailed) as failed, sum(ChannelUntold) as untold by channel, kind",
          "sort untold desc, failed desc",
        ],
      }),
    ];
  }

  private own(name: MetricName, statistic: string, label: string = name): IMetric {
    return ownMetric(this, name, statistic).with({ label });
  }
}

/**
 * Returns the widgets of the usage that AWS charges for: runs and their duration, table requests,
 * and messages.
 */
function costs({ functions, queues, table }: LookoutDashboardProps): IWidget[] {
  const capacity = { statistic: Stats.SUM };
  return [
    new GraphWidget({
      ...half,
      title: "Cost: functions",
      left: [
        sum(
          "runs",
          functions.flatMap(({ lambdas }) => lambdas.map((lambda) => lambda.metricInvocations())),
        ),
      ],
      right: [
        sum(
          "ms in total",
          functions.flatMap(({ lambdas }) => lambdas.map((lambda) => lambda.metricDuration({ statistic: Stats.SUM }))),
        ),
      ],
    }),
    new GraphWidget({
      ...half,
      title: "Cost: table and queues",
      left: [
        table.metricConsumedReadCapacityUnits({ ...capacity, label: "reads" }),
        table.metricConsumedWriteCapacityUnits({ ...capacity, label: "writes" }),
      ],
      right: [
        sum(
          "messages",
          queues.map((queue) => queue.metricNumberOfMessagesSent()),
        ),
      ],
    }),
  ];
}

function sum(label: string, metrics: readonly IMetric[]): IMetric {
  // Metric ids must be unique in a widget.
  const named = metrics.map((metric, index) => [`${label.replaceAll(" ", "_")}_${index + 1}`, metric] as const);
  return new MathExpression({
    expression: `SUM([${named.map(([id]) => id).join(", ")}])`,
    usingMetrics: Object.fromEntries(named),
    label,
  });
}

function logsOf({ functions }: Watched, names: readonly FunctionName[]): string[] {
  return functions.filter(({ name }) => names.includes(name)).map(({ log }) => log.logGroupName);
}
