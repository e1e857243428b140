/** The triggers of functions: one case per kind of trigger in the route table. */
import { Duration } from "aws-cdk-lib";
import { FilterCriteria, type Function, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDlq, SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Route } from "#contracts/routes";
import { tableShape } from "#contracts/aws/table";
import type { LookoutFunction } from "../functions/lookout-function.ts";
import type { Parts } from "./parts.ts";

/**
 * The batching window for writes. An update is released, patching and patched within this time, so
 * one run publishes all three writes.
 */
const writeBatching = Duration.seconds(1);

/**
 * How long Lambda retries a write. The stream keeps writes for 24 hours. A dead letter names only the
 * place of its write in the stream, so half of that time is left to read the write there.
 */
const writeAge = Duration.hours(12);

/** Adds the trigger of a function's route. */
export function startByItsTrigger(fn: LookoutFunction, parts: Parts): void {
  const { trigger } = fn.route;
  switch (trigger.kind) {
    case "command":
    case "event":
      startByQueue(fn.route, fn.lambda, parts.queues.addFor(fn));
      for (const { network, lambda } of fn.placed)
        startByQueue(fn.route, lambda, parts.queues.addInNetwork(fn, network.vpc));
      break;
    case "dead-letter":
      startByQueue(fn.route, fn.lambda, parts.queues.deadLetter);
      break;
    case "schedule":
      parts.timers.startEach(Duration.millis(trigger.everyMs), fn);
      break;
    case "changes":
      startByWrites(fn, parts);
      break;
    case "http":
      // Without a receiver, no webhook can be authenticated.
      if (!fn.route.reaches.includes("receivers") || parts.configuration.receivers.length > 0)
        parts.httpApi.route(fn, trigger);
      break;
  }
}

/** Adds the webhooks of receivers that were added to an installation without receivers. */
export function startByWebhooks(fn: LookoutFunction, parts: Parts): void {
  const { trigger } = fn.route;
  if (trigger.kind === "http" && parts.configuration.receivers.length === 0) parts.httpApi.route(fn, trigger);
}

/** The largest batch without a batching window. */
const usualBatchSize = 10;

function startByQueue(route: Route, lambda: Function, queue: Queue): void {
  const { stackConcurrency, stackBatchSize = usualBatchSize, stackBatchingMs } = route;
  lambda.addEventSource(
    new SqsEventSource(queue, {
      batchSize: stackBatchSize,
      reportBatchItemFailures: true,
      ...(stackConcurrency === undefined ? {} : { maxConcurrency: stackConcurrency }),
      ...(stackBatchingMs === undefined ? {} : { maxBatchingWindow: Duration.millis(stackBatchingMs) }),
    }),
  );
}

/**
 * Lets the table's stream start a function. The writes of one record stay in order. The function
 * dead-letters a write that it can't read. Lambda retries other failed writes for {@link writeAge}.
 * Until then, they block a tenth of their shard.
 */
function startByWrites(fn: LookoutFunction, { table, kept }: Parts): void {
  const isRecord = FilterCriteria.filter({ dynamodb: { Keys: { sk: { S: [tableShape.recordSortKey] } } } });
  table.grantReadStream(fn);
  fn.lambda.addEventSourceMapping("Writes", {
    eventSourceArn: table.streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    maxBatchingWindow: writeBatching,
    parallelizationFactor: 10,
    filters: [isRecord],
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: writeAge,
    onFailure: new SqsDlq(kept),
  });
}
