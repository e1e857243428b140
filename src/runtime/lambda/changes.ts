import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { changeOf, writeNameOf } from "#adapters/dynamodb/stream";
import { PermanentError } from "#ports/errors";
import { recordChangeOf } from "#stored/records";
import type { ChangesFunction, Invocation } from "../handler.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/**
 * Runs a function for the changes of the table's stream.
 *
 * When a batch fails, its changes are handled one by one, in order. A permanent failure is
 * dead-lettered. The answer names the first change with another failure, and the stream continues
 * from this change.
 */
export function changesShell(
  run: ChangesFunction,
  settings: FunctionSettings,
): LambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  return lambdaHandler(settings, async ({ Records }, invocation) => {
    const failed = (await handedOnTogether(Records, run, invocation))
      ? undefined
      : await firstToFail(Records, run, invocation);
    return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: sequenceOf(failed) }] };
  });
}

/**
 * Returns whether all changes were handled in one call. For a single change, returns false, because
 * `firstToFail` handles the change.
 */
async function handedOnTogether(
  records: readonly DynamoDBRecord[],
  run: ChangesFunction,
  invocation: Invocation,
): Promise<boolean> {
  if (records.length < 2) return false;
  try {
    await handOn(records, run, invocation);
    return true;
  } catch (error) {
    invocation.log.failure({ id: sequenceOf(records[0]), error });
    return false;
  }
}

async function firstToFail(
  records: readonly DynamoDBRecord[],
  run: ChangesFunction,
  invocation: Invocation,
): Promise<DynamoDBRecord | undefined> {
  for (const record of records)
    if (invocation.signal.aborted || !(await isDone(record, run, invocation))) return record;
  return undefined;
}

/** Returns true for a change that is handled or dead-lettered. */
async function isDone(record: DynamoDBRecord, run: ChangesFunction, invocation: Invocation): Promise<boolean> {
  const id = sequenceOf(record);
  try {
    await handOn([record], run, invocation).catch(async (error: unknown) => {
      if (!(error instanceof PermanentError)) throw error;
      invocation.log.failure({ id, error });
      await invocation.setAside.keep({ id, body: writeNameOf(record), why: error.message });
    });
    return true;
  } catch (error) {
    invocation.log.failure({ id, error });
    return false;
  }
}

async function handOn(records: readonly DynamoDBRecord[], run: ChangesFunction, invocation: Invocation): Promise<void> {
  const changes = records.flatMap((record) => {
    const change = changeOf(record);
    return (change && recordChangeOf(change)) ?? [];
  });
  if (changes.length > 0) await beforeTheEnd(run(changes, invocation), invocation.signal);
}

/** The position of an entry in the stream. */
function sequenceOf(record: DynamoDBRecord | undefined): string {
  return record?.dynamodb?.SequenceNumber ?? "";
}
