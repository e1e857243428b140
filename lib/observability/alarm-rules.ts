/** The rules of the alarms. */
import { Duration } from "aws-cdk-lib";
import {
  ComparisonOperator,
  type CreateAlarmOptions,
  type IMetric,
  MathExpression,
  type Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { IConstruct } from "constructs";
import type { MetricName } from "#contracts/aws/metrics";
import type { Configuration } from "#contracts/config/configuration";
import { failedRuns, hasChannels, iteratorAge, oldestMessage, ownMetric, type Watched } from "./watched.ts";

/**
 * The rule of one alarm. Missing data does not start the alarm, unless the rule sets
 * `treatMissingData`.
 */
export interface AlarmRule extends Pick<
  CreateAlarmOptions,
  "threshold" | "evaluationPeriods" | "comparisonOperator" | "treatMissingData"
> {
  /** The section of the runbook. */
  readonly section: string;
  /** The number of the alarm, when several alarms share the section. */
  readonly part?: number;
  readonly says: string;
  readonly metric: IMetric;
}

/** The thresholds of `lookout.yaml`, with durations in milliseconds. */
export type Thresholds = NonNullable<Configuration["alarms"]>["thresholds"];

/**
 * Returns the rules of all alarms. There are at most twelve alarms, so that users can know each
 * alarm. Three VPCs or more add one or two alarms, and channels add one.
 */
export function alarmRules(scope: IConstruct, watched: Watched, thresholds: Thresholds): readonly AlarmRule[] {
  const own = (name: MetricName, statistic: string, period: Duration): Metric =>
    ownMetric(scope, name, statistic).with({ period });
  return [
    messagesKept(watched),
    functionErrors(scope, watched),
    ...backlog(watched, thresholds),
    messagesFailed(own, thresholds),
    messagesDeadLettered(own, thresholds),
    recordsUnreadable(own),
    slowUpdates(own, thresholds),
    failingUpdates(own, thresholds),
    clusterUnreachable(own, thresholds),
    eventsMissed(own, thresholds),
    sweepSilent(own),
    webhooksRejected(own, thresholds),
    ...(hasChannels(watched) ? [channelUntold(own)] : []),
  ];
}

function messagesKept({ kept }: Watched): AlarmRule {
  return {
    section: "messages-kept",
    says: "Lookout keeps a message that it does not retry. The message names its function, or failed in gate/dead-letter",
    metric: kept.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period: Duration.minutes(1) }),
    threshold: 0,
    evaluationPeriods: 1,
  };
}

/**
 * Returns the rule for failing deliveries. One failure is no alarm: the message comes again after
 * seconds. By default, failures for four minutes are.
 */
function messagesFailed(own: Own, { messagesFailed }: Thresholds): AlarmRule {
  return {
    section: "messages-failed",
    says: `Messages fail and are delivered again: more than ${messagesFailed} in two minutes, twice in a row. The dashboard names the functions`,
    metric: own("MessagesFailed", Stats.SUM, Duration.minutes(2)),
    threshold: messagesFailed,
    evaluationPeriods: 2,
  };
}

/**
 * Returns the rule for failed runs. The metric's value is the number of a function. The last number
 * stands for 5xx answers, which Lambda counts as successes. The alarms `backlog` and `messages-kept`
 * cover throttled functions with a queue or a schedule.
 */
function functionErrors(scope: IConstruct, watched: Watched): AlarmRule {
  const functions = watched.functions.map(({ route, name, lambda }, index) => ({
    route,
    name,
    number: index + 1,
    metric: lambda.metricThrottles(),
  }));
  const requests = {
    name: "requests with a 5xx answer",
    number: functions.length + 1,
    metric: watched.httpApi.api.metricServerError(),
  };
  const others = [...functions.filter(({ route }) => route.trigger.kind === "changes"), requests];
  return {
    section: "function-errors",
    says: `A function has failed or was throttled for ten minutes. The alarm's value is its number: ${legendOf([...functions, requests])}`,
    metric: new MathExpression({
      expression: `MAX([FILL(failed, 0), ${others.map(ifAny).join(", ")}])`,
      usingMetrics: {
        failed: failedRuns(scope, watched),
        ...Object.fromEntries(others.map(({ number, metric }) => [`m${number}`, metric])),
      },
      label: "number",
      period: Duration.minutes(5),
    }),
    threshold: 0,
    evaluationPeriods: 2,
  };
}

/**
 * Returns the rules for late messages. Lookout delays some messages by up to 15 minutes. The alarm
 * allows 15 minutes more.
 */
function backlog(watched: Watched, { backlog: longest }: Thresholds): readonly AlarmRule[] {
  const writes = { value: "writes / 1000", id: "writes", metric: iteratorAge(watched) };
  const ages = watched.queues.map((queue, index) => {
    const id = `q${index + 1}`;
    return { value: id, id, metric: oldestMessage(queue) };
  });
  return inParts([...ages, writes]).map(({ part, few }) => ({
    section: "backlog",
    ...part,
    says: `A message has waited for more than ${spanOf(longest)} in a queue or in the table's stream. The dashboard names the queue`,
    metric: new MathExpression({
      expression: `MAX([${few.map(({ value }) => value).join(", ")}])`,
      usingMetrics: Object.fromEntries(few.map(({ id, metric }) => [id, metric])),
      label: "seconds",
      period: Duration.minutes(5),
    }),
    threshold: longest / 1_000,
    evaluationPeriods: 1,
  }));
}

type Own = (name: MetricName, statistic: string, period: Duration) => Metric;

function messagesDeadLettered(own: Own, { messagesDeadLettered }: Thresholds): AlarmRule {
  return {
    section: "messages-dead-lettered",
    says: `Messages failed five times: more than ${messagesDeadLettered} in five minutes. Lookout retries their updates after an hour or more. The log of gate/dead-letter names the functions`,
    metric: own("MessagesDeadLettered", Stats.SUM, Duration.minutes(5)),
    threshold: messagesDeadLettered,
    evaluationPeriods: 1,
  };
}

/** Returns the rule for stored items that can't be read. Each sync reads the records of its cluster. */
function recordsUnreadable(own: Own): AlarmRule {
  return {
    section: "records-unreadable",
    says: "A stored item can't be read: it is damaged, or a newer version of Lookout wrote it. lookout doctor names the item",
    metric: own("RecordsUnreadable", Stats.SUM, Duration.minutes(5)),
    threshold: 0,
    evaluationPeriods: 1,
  };
}

/**
 * Returns the rule for slow updates. The alarm needs two periods of 15 minutes, because one slow
 * rollout is no trend.
 */
function slowUpdates(own: Own, { slowUpdates }: Thresholds): AlarmRule {
  return {
    section: "slow-updates",
    says: `One push in twenty takes more than ${spanOf(slowUpdates)} until its image runs, without the wait at gates`,
    metric: own("PushToRunningMs", Stats.percentile(95), Duration.minutes(15)),
    threshold: slowUpdates,
    evaluationPeriods: 2,
  };
}

/**
 * Returns the rule for failed updates. The alarm starts when too large a share of all updates was
 * rolled back. One update that failed without a rollback also starts the alarm.
 */
function failingUpdates(own: Own, { failingUpdatesPercent }: Thresholds): AlarmRule {
  const period = Duration.hours(1);
  return {
    section: "failing-updates",
    says: `More than ${failingUpdatesPercent} % of an hour's updates were rolled back, or an update failed without a rollback. The dashboard names the workloads`,
    metric: new MathExpression({
      expression: "MAX([100 * failed, 100 * SUM([failed, back]) / SUM([failed, back, succeeded])])",
      usingMetrics: {
        failed: own("UpdatesFailed", Stats.SUM, period),
        back: own("UpdatesRolledBack", Stats.SUM, period),
        succeeded: own("UpdatesSucceeded", Stats.SUM, period),
      },
      label: "% of updates",
      period,
    }),
    threshold: failingUpdatesPercent,
    evaluationPeriods: 1,
  };
}

/**
 * Returns the rule for clusters. The metric `unreachable` covers clusters that were never reached,
 * and `age` covers clusters whose syncs stopped.
 */
function clusterUnreachable(own: Own, { clusterUnreachable }: Thresholds): AlarmRule {
  const period = Duration.minutes(5);
  return {
    section: "cluster-unreachable",
    says: `A cluster could not be synced for more than ${spanOf(clusterUnreachable)}. The dashboard names the cluster`,
    metric: new MathExpression({
      expression: "MAX([unreachable, age])",
      usingMetrics: {
        unreachable: own("ClusterUnreachableSeconds", Stats.MAXIMUM, period),
        age: own("InventoryAgeSeconds", Stats.MAXIMUM, period),
      },
      label: "seconds",
      period,
    }),
    threshold: clusterUnreachable / 1_000,
    evaluationPeriods: 1,
  };
}

function eventsMissed(own: Own, { eventsMissedPercent }: Thresholds): AlarmRule {
  const period = Duration.hours(1);
  return {
    section: "events-missed",
    says: `More than ${eventsMissedPercent} % of an hour's pushes had no notification. Sweeps of detect/sweep-repository found them`,
    metric: new MathExpression({
      expression: "100 * missed / MAX([missed, received])",
      usingMetrics: {
        missed: own("EventsMissed", Stats.SUM, period),
        received: own("PushesReceived", Stats.SUM, period),
      },
      label: "% of pushes",
      period,
    }),
    threshold: eventsMissedPercent,
    evaluationPeriods: 1,
  };
}

/** Returns the rule for missing sweeps. Missing data starts only this alarm. */
function sweepSilent(own: Own): AlarmRule {
  return {
    section: "sweep-silent",
    says: "detect/sweep-due started no sweep for ten minutes: Lookout may not run at all",
    metric: own("SweepsStarted", Stats.SUM, Duration.minutes(5)),
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
    evaluationPeriods: 2,
  };
}

function webhooksRejected(own: Own, { webhooksRejected }: Thresholds): AlarmRule {
  return {
    section: "webhooks-rejected",
    says: `More than ${webhooksRejected} notifications to detect/registry-webhook in 15 minutes were unsigned, malformed or for an unknown receiver`,
    metric: own("WebhooksRejected", Stats.SUM, Duration.minutes(15)),
    threshold: webhooksRejected,
    evaluationPeriods: 1,
  };
}

/** Returns the rule for facts that a channel did not tell. A channel that is off counts each fact. */
function channelUntold(own: Own): AlarmRule {
  return {
    section: "channel-untold",
    says: "A channel did not tell a fact: it was too old, or the channel is off until a person acts. The dashboard names the channel",
    metric: own("ChannelUntold", Stats.SUM, Duration.minutes(5)),
    threshold: 0,
    evaluationPeriods: 1,
  };
}

/** Returns a duration for a text: `1 hour 30 minutes`. */
const spanOf = (ms: number): string => Duration.millis(ms).toHumanString();

/** Returns an expression whose value is a metric's number if the metric is not zero, else 0. */
const ifAny = ({ number }: { readonly number: number }): string => `IF(FILL(m${number}, 0) > 0, ${number}, 0)`;

const legendOf = (all: readonly { readonly number: number; readonly name: string }[]): string =>
  all.map(({ number, name }) => `${number} ${name}`).join(", ");

/**
 * The maximum number of metrics per alarm:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-data-queries.html
 */
const metricsPerAlarm = 10;

/** Splits metrics into parts that fit into one alarm. Numbers the parts if there are several. */
function inParts<One>(
  all: readonly One[],
): readonly { readonly part: { readonly part?: number }; readonly few: readonly One[] }[] {
  const parts = Math.ceil(all.length / metricsPerAlarm);
  return Array.from({ length: parts }, (_, index) => ({
    part: parts === 1 ? {} : { part: index + 1 },
    few: all.slice(index * metricsPerAlarm, (index + 1) * metricsPerAlarm),
  }));
}
