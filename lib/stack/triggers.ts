/** What starts a function: one case for each kind of trigger in the route table. */
import { Duration } from "aws-cdk-lib";
import { FilterCriteria, type Function, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDlq, SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Route } from "#contracts/routes";
import { tableShape } from "#contracts/aws/table";
import type { LookoutFunction } from "../functions/lookout-function.ts";
import type { Parts } from "./parts.ts";

/** Roll-outs in work at once: what one API server serves fastest; more only lengthens each. */
const rolloutsAtOnce = 10;

/** How long the first write waits for others: an update is released, intended and patched within less, and so told of in one run. */
const writesGatherFor = Duration.seconds(1);

/** How long the first look at a roll-out waits for others: pods take longer to start, and a run for each would cost more. */
const looksGatherFor = Duration.seconds(1);

/** Sets up what starts a function. */
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
      parts.httpApi.route(fn, trigger);
      break;
  }
}

function startByQueue({ trigger }: Route, lambda: Function, queue: Queue): void {
  const command = trigger.kind === "command" ? trigger.command : undefined;
  lambda.addEventSource(
    new SqsEventSource(queue, {
      batchSize: 10,
      reportBatchItemFailures: true,
      ...(command === "RollOut" ? { maxConcurrency: rolloutsAtOnce } : {}),
      ...(command === "CheckRollout" ? { maxBatchingWindow: looksGatherFor } : {}),
    }),
  );
}

/**
 * The writes of records, in order for each of them. One that can't be helped is set aside by the function; one that fails in another way is
 * tried for as long as the stream keeps it, and holds back only a tenth of its shard.
 */
function startByWrites(fn: LookoutFunction, { table }: Parts): void {
  const isRecord = FilterCriteria.filter({ dynamodb: { Keys: { sk: { S: [tableShape.recordSortKey] } } } });
  table.grantReadStream(fn);
  fn.lambda.addEventSourceMapping("Writes", {
    eventSourceArn: table.streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    maxBatchingWindow: writesGatherFor,
    parallelizationFactor: 10,
    filters: [isRecord],
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: Duration.hours(24),
    onFailure: new SqsDlq(fn.deadLetters),
  });
}
