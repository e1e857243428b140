/** What alarms and the dashboard look at. */
import { Stack } from "aws-cdk-lib";
import { type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { IConstruct } from "constructs";
import { type MetricName, metricsDimension, metricsNamespace } from "#contracts/metrics";
import type { LookoutFunction } from "./lookout-function.ts";

/** All that is watched of one installation. */
export interface Watched {
  /** In the order of the flow. */
  readonly functions: readonly LookoutFunction[];
  /** Every queue that has work. */
  readonly queues: readonly IQueue[];
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
