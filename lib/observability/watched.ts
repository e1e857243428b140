/** What alarms and the dashboard look at. */
import { Stack } from "aws-cdk-lib";
import { type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { IConstruct } from "constructs";
import { type MetricName, metricsDimension, metricsNamespace } from "#contracts/aws/metrics";
import type { LookoutHttpApi } from "../messaging/http-api.ts";
import type { LookoutFunction } from "../functions/lookout-function.ts";

/** All that is watched of one installation. */
export interface Watched {
  /** In the order of the flow. */
  readonly functions: readonly LookoutFunction[];
  /** Every queue that has work. */
  readonly queues: readonly IQueue[];
  /** What requests come in by. */
  readonly httpApi: Pick<LookoutHttpApi, "api">;
}

/** A metric that Lookout emits, of the stack that the scope is in. */
export function ownMetric(scope: IConstruct, name: MetricName, statistic: string): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName: name,
    dimensionsMap: { [metricsDimension]: Stack.of(scope).stackName },
    statistic,
  });
}

/** What Lambda logs of a run that threw, ran out of time or memory, or could not begin. */
const failedRun = FilterPattern.all(
  FilterPattern.stringValue("$.type", "=", "platform.report"),
  FilterPattern.stringValue("$.record.status", "!=", "success"),
);

/**
 * Makes one metric of the runs that fail, of all functions: its value is the number of the function in the order of the flow, from 1. Lambda's
 * own metric of errors is one for each function, and an alarm is charged for each that it looks at.
 */
export function failedRuns(scope: IConstruct, { functions }: Watched): Metric {
  const metric = { metricNamespace: `${metricsNamespace}/${Stack.of(scope).stackName}`, metricName: "FailedRuns" };
  for (const [index, { log }] of functions.entries())
    log.addMetricFilter("FailedRuns", { ...metric, filterPattern: failedRun, metricValue: String(index + 1) });
  return new Metric({ namespace: metric.metricNamespace, metricName: metric.metricName, statistic: Stats.MAXIMUM });
}

/** How long the oldest message of a queue waits, in seconds. */
export function oldestMessage(queue: IQueue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, label: queue.node.id });
}

/** How late the writes of records are handed on, in milliseconds. */
export function iteratorAge({ functions }: Watched): IMetric {
  const reader = functions.find(({ route }) => route.trigger.kind === "changes");
  if (reader === undefined) throw new Error("the route table has no function that hands on what is written");
  return reader.lambda.metric("IteratorAge", { statistic: Stats.MAXIMUM, label: reader.name });
}
