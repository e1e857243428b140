/** The sources of the alarms and the dashboard. */
import { Stack } from "aws-cdk-lib";
import { type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { IConstruct } from "constructs";
import { type MetricName, metricsDimension, metricsNamespace } from "#contracts/aws/metrics";
import type { LookoutHttpApi } from "../messaging/http-api.ts";
import type { LookoutFunction } from "../functions/lookout-function.ts";

/** The parts of an installation that the alarms and the dashboard watch. */
export interface Watched {
  /** The deployed functions, in the order of the route table. */
  readonly functions: readonly Pick<LookoutFunction, "route" | "name" | "lambda" | "placed" | "lambdas" | "log">[];
  readonly queues: readonly IQueue[];
  /** The queue of messages that Lookout does not retry. */
  readonly kept: IQueue;
  readonly httpApi: Pick<LookoutHttpApi, "api">;
}

/** Returns whether an installation has channels. Without them, no function tells anything. */
export function hasChannels({ functions }: Pick<Watched, "functions">): boolean {
  return functions.some(({ route }) => route.reaches.includes("told"));
}

/** Returns whether an installation has tiers. Without them, no function follows tiers. */
export function hasTiers({ functions }: Pick<Watched, "functions">): boolean {
  return functions.some(({ route }) => route.reaches.includes("tiers"));
}

/** Returns a metric of Lookout, for the stack of the scope. */
export function ownMetric(scope: IConstruct, name: MetricName, statistic: string): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName: name,
    dimensionsMap: { [metricsDimension]: Stack.of(scope).stackName },
    statistic,
  });
}

/** Matches Lambda's log line of a run that threw, timed out, ran out of memory or did not start. */
const failedRun = FilterPattern.all(
  FilterPattern.stringValue("$.type", "=", "platform.report"),
  FilterPattern.stringValue("$.record.status", "!=", "success"),
);

/**
 * Returns one metric for the failed runs of all functions. The value of a failed run is its
 * function's number among the deployed functions, counted from 1. Lambda has one metric per function, and AWS
 * charges for each metric of an alarm.
 */
export function failedRuns(scope: IConstruct, { functions }: Watched): Metric {
  const metric = { metricNamespace: `${metricsNamespace}/${Stack.of(scope).stackName}`, metricName: "FailedRuns" };
  for (const [index, { log }] of functions.entries())
    log.addMetricFilter("FailedRuns", { ...metric, filterPattern: failedRun, metricValue: String(index + 1) });
  return new Metric({ namespace: metric.metricNamespace, metricName: metric.metricName, statistic: Stats.MAXIMUM });
}

/** Returns the age of a queue's oldest message, in seconds. */
export function oldestMessage(queue: IQueue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, label: queue.node.id });
}

/** Returns the delay of the table's stream, in milliseconds. */
export function iteratorAge({ functions }: Watched): IMetric {
  const reader = functions.find(({ route }) => route.trigger.kind === "changes");
  if (reader === undefined) throw new Error("the route table has no function for changes");
  return reader.lambda.metric("IteratorAge", { statistic: Stats.MAXIMUM, label: reader.name });
}
