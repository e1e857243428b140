/** When an alarm is raised. */
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
import { functionName, routes } from "#contracts/routes";
import { failedRuns, iteratorAge, oldestMessage, ownMetric, type Watched } from "./watched.ts";

/** What raises one alarm. Where it is silent, all is well, unless it says otherwise. */
export interface AlarmRule extends Pick<
  CreateAlarmOptions,
  "threshold" | "evaluationPeriods" | "comparisonOperator" | "treatMissingData"
> {
  /** Of the runbook: what to do. */
  readonly section: string;
  /** Tells the alarms of one section apart; absent where there is one. */
  readonly part?: number;
  readonly says: string;
  readonly metric: IMetric;
}

/** Answers every rule. At most twelve, for who is woken by more than that reads none; from three VPCs on the backlog takes another, or two. */
export function alarmRules(scope: IConstruct, watched: Watched): readonly AlarmRule[] {
  const own = (name: MetricName, statistic: string, period: Duration): Metric =>
    ownMetric(scope, name, statistic).with({ period });
  return [
    ...deadLetters(watched),
    functionErrors(scope, watched),
    ...backlog(watched),
    messagesDeadLettered(own),
    slowUpdates(own),
    failingUpdates(own),
    clusterUnreachable(own),
    eventsMissed(own),
    sweepSilent(own),
    webhooksRejected(own),
  ];
}

function deadLetters({ functions }: Watched): readonly AlarmRule[] {
  const depths = functions.map(({ name, deadLetters }) => ({
    name,
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, label: name }),
  }));
  return numbered(depths, Duration.minutes(1), {
    section: "dead-letters",
    says: "Messages lie in a dead-letter queue. The alarm's value is the number of the function that it belongs to",
    evaluationPeriods: 1,
  });
}

/**
 * The value of its metric is the number of a function, and the one after theirs where requests fail: those runs end well for Lambda, with an
 * answer that says so. What is throttled and has a queue waits there, and the backlog tells; what a schedule starts is a dead letter when its
 * time is over; a request is answered with an error.
 */
function functionErrors(scope: IConstruct, watched: Watched): AlarmRule {
  const functions = watched.functions.map(({ route, name, lambda }, index) => ({
    ...{ route, name, number: index + 1 },
    metric: lambda.metricThrottles(),
  }));
  const requests = {
    ...{ name: "requests that are answered 5xx", number: functions.length + 1 },
    metric: watched.httpApi.api.metricServerError(),
  };
  const others = [...functions.filter(({ route }) => route.trigger.kind === "changes"), requests];
  return {
    section: "function-errors",
    says: `A function fails, or is throttled, for ten minutes. The alarm's value is its number: ${legendOf([...functions, requests])}`,
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

/** A message may be kept back for a quarter of an hour on purpose: a quarter of an hour after that it is late. */
function backlog(watched: Watched): readonly AlarmRule[] {
  const writes = { value: "writes / 1000", id: "writes", metric: iteratorAge(watched) };
  const ages = watched.queues.map((queue, index) => {
    const id = `q${index + 1}`;
    return { value: id, id, metric: oldestMessage(queue) };
  });
  return inParts([...ages, writes]).map(({ part, few }) => ({
    section: "backlog",
    ...part,
    says: "Work has waited for half an hour, in a queue or in the table's stream",
    metric: new MathExpression({
      expression: `MAX([${few.map(({ value }) => value).join(", ")}])`,
      usingMetrics: Object.fromEntries(few.map(({ id, metric }) => [id, metric])),
      label: "seconds",
      period: Duration.minutes(5),
    }),
    threshold: Duration.minutes(30).toSeconds(),
    evaluationPeriods: 1,
  }));
}

type Own = (name: MetricName, statistic: string, period: Duration) => Metric;

function messagesDeadLettered(own: Own): AlarmRule {
  return {
    section: "messages-dead-lettered",
    says: "A message failed five times; its update waits for an hour or more",
    metric: own("MessagesDeadLettered", Stats.SUM, Duration.minutes(5)),
    threshold: 0,
    evaluationPeriods: 1,
  };
}

/** Twice a quarter of an hour: one slow rollout among few is no trend. */
function slowUpdates(own: Own): AlarmRule {
  return {
    section: "slow-updates",
    says: "One push in twenty takes more than ten minutes until it runs, what it waits at its gates not counted",
    metric: own("PushToRunningMs", Stats.percentile(95), Duration.minutes(15)),
    threshold: Duration.minutes(10).toMilliseconds(),
    evaluationPeriods: 2,
  };
}

/** A rollback is a failure that is mended already: it alarms by its share. A workload that was left broken counts as all of them. */
function failingUpdates(own: Own): AlarmRule {
  const period = Duration.hours(1);
  return {
    section: "failing-updates",
    says: "More than 5 % of an hour's updates were rolled back, or one failed and nothing that runs was put back",
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
    threshold: 5,
    evaluationPeriods: 1,
  };
}

/** The second metric tells when nobody looks any more, the first of a cluster that was never reached. */
function clusterUnreachable(own: Own): AlarmRule {
  const period = Duration.minutes(5);
  return {
    section: "cluster-unreachable",
    says: "A cluster could not be looked at for ten minutes",
    metric: new MathExpression({
      expression: "MAX([unreachable, age])",
      usingMetrics: {
        unreachable: own("ClusterUnreachableSeconds", Stats.MAXIMUM, period),
        age: own("InventoryAgeSeconds", Stats.MAXIMUM, period),
      },
      label: "seconds",
      period,
    }),
    threshold: Duration.minutes(10).toSeconds(),
    evaluationPeriods: 1,
  };
}

function eventsMissed(own: Own): AlarmRule {
  const period = Duration.hours(1);
  return {
    section: "events-missed",
    says: "More than 1 % of an hour's pushes were found by the sweep, and nobody told of them",
    metric: new MathExpression({
      expression: "100 * missed / MAX([missed, received])",
      usingMetrics: {
        missed: own("EventsMissed", Stats.SUM, period),
        received: own("PushesReceived", Stats.SUM, period),
      },
      label: "% of pushes",
      period,
    }),
    threshold: 1,
    evaluationPeriods: 1,
  };
}

/** The one alarm that silence raises. */
function sweepSilent(own: Own): AlarmRule {
  return {
    section: "sweep-silent",
    says: "Two sweeps in a row did not begin: perhaps nothing of Lookout runs",
    metric: own("SweepsStarted", Stats.SUM, Duration.millis(sweepEveryMs())),
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
    evaluationPeriods: 2,
  };
}

function sweepEveryMs(): number {
  const sweep = routes.find((route) => functionName(route) === "detect/sweep-due");
  if (sweep?.trigger.kind !== "schedule") throw new Error("the route table has no schedule of sweeps");
  return sweep.trigger.everyMs;
}

function webhooksRejected(own: Own): AlarmRule {
  return {
    section: "webhooks-rejected",
    says: "More than twenty notifications in a quarter of an hour were not signed, malformed, or for no receiver",
    metric: own("WebhooksRejected", Stats.SUM, Duration.minutes(15)),
    threshold: 20,
    evaluationPeriods: 1,
  };
}

interface Numbered {
  readonly name: string;
  readonly metric: IMetric;
}

/** The number, where its metric is not zero. */
const ifAny = ({ number }: { readonly number: number }): string => `IF(FILL(m${number}, 0) > 0, ${number}, 0)`;

const legendOf = (all: readonly { readonly number: number; readonly name: string }[]): string =>
  all.map(({ number, name }) => `${number} ${name}`).join(", ");

/** Metrics in the expression of one alarm; a search is not allowed in it. Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-data-queries.html */
const metricsPerAlarm = 10;

/**
 * Watches that all of many metrics stay at zero. The expression of an alarm can't name the metric that does not, but its value can: it is
 * that metric's number, the highest where there are several, and the alarm's text says whose number that is.
 */
function numbered(
  all: readonly Numbered[],
  period: Duration,
  rule: Pick<AlarmRule, "section" | "says" | "evaluationPeriods">,
): readonly AlarmRule[] {
  return inParts(all.map((one, index) => ({ ...one, number: index + 1 }))).map(({ part, few }) => ({
    ...rule,
    ...part,
    says: `${rule.says}: ${legendOf(few)}`,
    metric: new MathExpression({
      expression: `MAX([${few.map(ifAny).join(", ")}])`,
      usingMetrics: Object.fromEntries(few.map(({ number, metric }) => [`m${number}`, metric])),
      label: "number",
      period,
    }),
    threshold: 0,
  }));
}

/** Splits what one class of alarms looks at into as many as one alarm may; the parts are numbered where there are several. */
function inParts<One>(
  all: readonly One[],
): readonly { readonly part: { readonly part?: number }; readonly few: readonly One[] }[] {
  const parts = Math.ceil(all.length / metricsPerAlarm);
  return Array.from({ length: parts }, (_, index) => ({
    part: parts === 1 ? {} : { part: index + 1 },
    few: all.slice(index * metricsPerAlarm, (index + 1) * metricsPerAlarm),
  }));
}
