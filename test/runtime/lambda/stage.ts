import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context, SQSEvent } from "aws-lambda";
import { vi } from "vitest";
import { environment as names, queueVariable } from "#contracts/aws/environment";
import { parseConfiguration } from "#contracts/config/configuration";
import type { FunctionName } from "#contracts/routes";
import type { AnyPart } from "#runtime/lambda/wiring/part";
import type { FunctionSettings } from "#runtime/lambda/wiring/wiring";
import { type AwsEndpoint, awsEndpoint, type AwsReply, type AwsRequest } from "#test/adapters/aws-endpoint";

/**
 * What stands around a function on Lambda: AWS over the wire, a folder with the configuration, the
 * log.
 */
export interface LambdaStage {
  readonly aws: AwsEndpoint;
  /** The variables of the function; a test may take some away. */
  readonly environment: Record<string, string | undefined>;
  readonly settings: (name: FunctionName, parts?: readonly AnyPart[]) => FunctionSettings;
  /** The lines that were logged, as they are. */
  readonly output: () => string;
  /** The same without what differs with each run. */
  readonly lines: () => readonly Readonly<Record<string, unknown>>[];
  readonly close: () => Promise<void>;
}

const sqs = "https://sqs.eu-central-1.amazonaws.com/111122223333";
export const queueUrls = {
  wake: `${sqs}/wake`,
  deadLetter: `${sqs}/dead-letter`,
  kept: `${sqs}/kept`,
};

/**
 * Sets the stage. The caller closes it.
 *
 * @param answer - what AWS answers; an empty document by default
 * @param written - what the `lookout.yaml` says that was deployed; one cluster by default
 */
export async function lambdaStage(
  answer?: (request: AwsRequest) => AwsReply,
  written: object = { clusters: [{ name: "prod" }] },
): Promise<LambdaStage> {
  const aws = await awsEndpoint(answer);
  const folder = mkdtempSync(join(tmpdir(), "lookout-lambda-"));
  const configuration = parseConfiguration(written);
  if (!configuration.ok) throw new Error("the configuration of the stage is wrong");
  writeFileSync(join(folder, "configuration.json"), JSON.stringify(configuration.value));
  const environment: LambdaStage["environment"] = {
    [names.table]: "lookout",
    [names.bus]: "lookout",
    [queueVariable("Wake")]: queueUrls.wake,
    [names.deadLetterQueue]: queueUrls.deadLetter,
    [names.keptQueue]: queueUrls.kept,
    [names.stack]: "Lookout",
  };
  let output = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    output += String(chunk);
    return true;
  });
  const writeError = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    output += String(chunk);
    return true;
  });
  return {
    aws,
    environment,
    settings: (name, parts = []) => ({ name, folder, parts, environment }),
    output: () => output,
    lines: () => output.split("\n").flatMap((line) => (line === "" ? [] : [withoutRun(line)])),
    close: async () => {
      write.mockRestore();
      writeError.mockRestore();
      rmSync(folder, { recursive: true });
      await aws.close();
    },
  };
}

function withoutRun(line: string): Readonly<Record<string, unknown>> {
  const { timestamp: _, sampling_rate: __, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return rest;
}

/** What Lambda hands a run besides its event. */
export function contextOf(remainingMs = 30_000): Context {
  const endsAt = performance.now() + remainingMs;
  return {
    awsRequestId: "request-1",
    getRemainingTimeInMillis: () => endsAt - performance.now(),
  } as Context;
}

/** A batch as Lambda gets it from SQS. */
export const batch = (...bodies: readonly string[]): SQSEvent => ({
  Records: bodies.map((body, index) => ({
    messageId: `m${index}`,
    receiptHandle: `handle-m${index}`,
    body,
    attributes: {
      ApproximateReceiveCount: "1",
      SentTimestamp: "1767323045000",
      SenderId: "AIDA",
      ApproximateFirstReceiveTimestamp: "1767323045001",
    },
    messageAttributes: {},
    md5OfBody: "0",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-central-1:111122223333:wake",
    awsRegion: "eu-central-1",
  })),
});
