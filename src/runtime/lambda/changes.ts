import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { changeOf } from "#adapters/dynamodb/stream";
import type { Change } from "#ports/store";
import type { ChangesFunction, Invocation } from "../handler.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

interface Entry {
  /** Where it stands in the stream. */
  readonly sequence: string;
  /** Reads the change; undefined: there is none. */
  readonly change: () => Change | undefined;
}

/**
 * Runs a function for the changes of the table's stream.
 *
 * When the whole batch fails, its changes are handed on one by one, in their order: the answer names the first that fails, and the stream
 * goes on from there.
 */
export function changesShell(
  run: ChangesFunction,
  settings: FunctionSettings,
): LambdaHandler<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  return lambdaHandler(settings, async ({ Records }, invocation) => {
    const entries = Records.map((record) => ({
      sequence: record.dynamodb?.SequenceNumber ?? "",
      change: () => changeOf(record),
    }));
    const failed = (await handOn(entries, run, invocation)) ? undefined : await firstToFail(entries, run, invocation);
    return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed.sequence }] };
  });
}

async function firstToFail(
  entries: readonly Entry[],
  run: ChangesFunction,
  invocation: Invocation,
): Promise<Entry | undefined> {
  if (entries.length === 1) return entries[0];
  for (const entry of entries) if (invocation.signal.aborted || !(await handOn([entry], run, invocation))) return entry;
  return undefined;
}

async function handOn(entries: readonly Entry[], run: ChangesFunction, invocation: Invocation): Promise<boolean> {
  try {
    const changes = entries.map(({ change }) => change()).filter((change) => change !== undefined);
    if (changes.length > 0) await beforeTheEnd(run(changes, invocation), invocation.signal);
    return true;
  } catch (error) {
    invocation.log.failure({ id: entries[0]?.sequence ?? "", error });
    return false;
  }
}
