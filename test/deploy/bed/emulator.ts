import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "#test/cluster/bed/ports";
import { type Daemon, startDaemon } from "#test/cluster/bed/processes";
import { until } from "#test/cluster/bed/until";

const here = join(import.meta.dirname, "emulator");

/** The emulator's own account and the region that everything of the tests is in. */
export const account = "000000000000";
export const region = "us-east-1";

/** An AWS of this machine: nothing of it is left when it has stopped. */
export interface Emulator {
  readonly endpoint: string;
  /** What clients of AWS are opened with. */
  readonly aws: AwsOptions;
  /** The same as variables, for the CDK and for functions. */
  readonly environment: Readonly<Record<string, string>>;
  /** What was asked and done so far. */
  state(): Promise<EmulatorState>;
  /** Puts the clock forward that it and all functions go by. */
  putClockForward(seconds: number): Promise<object>;
  /** Kills the process of a function when it asks AWS for the n-th time from now; that call is not done. */
  killAt(of: { readonly function: string; readonly call: number }): Promise<object>;
  /** Ends it. What it and the functions wrote stays, as the file `reports/aws-emulator.log`. */
  stop(): Promise<void>;
}

/** What makes a client of AWS one of the emulator's. */
export interface AwsOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** What an emulator was asked and did. */
export interface EmulatorState {
  readonly calls: readonly CallCount[];
  /** How many functions were killed. */
  readonly killed: number;
}

/** What one function asked of one operation, in all. */
export interface CallCount {
  /** The function's name in the account; empty for everybody else. */
  readonly function: string;
  /** `sqs:SendMessage`; `lambda:Run` is a run of the function itself, for so many milliseconds. */
  readonly operation: string;
  readonly count: number;
  /** Of reads and writes of the table, and of events: what DynamoDB and EventBridge charge for. */
  readonly units: number;
  /** Of runs: the bytes of log that CloudWatch charges for. */
  readonly logged: number;
  readonly milliseconds: number;
}

/** Starts it on 127.0.0.1, and waits until it answers. Functions run under the Node that runs the tests. */
export async function startEmulator(): Promise<Emulator> {
  const { stdout: python } = await promisify(execFile)(join(here, "build.sh"));
  const folder = await mkdtemp(join(tmpdir(), "lookout-aws-"));
  const [port = 0] = await freePorts(1);
  // Not 127.0.0.1: the client of SQS warns about it with each call.
  const endpoint = `http://localhost:${port}`;
  const aws = { endpoint, region, credentials: { accessKeyId: account, secretAccessKey: "emulated" } };
  const environment = environmentFor(aws);
  const log = join(folder, "emulator.log");
  let daemon: Daemon | undefined;
  const stop = async (): Promise<void> => {
    await daemon?.stop();
    await keepLog(log);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    daemon = await startDaemon({
      program: python.trim(),
      arguments: [join(here, "serve.py")],
      log,
      folder,
      environment: {
        ...environment,
        ...{ BIND_HOST: "127.0.0.1", GATEWAY_PORT: String(port), MINISTACK_REGION: region, IOT_MTLS_ENABLED: "0" },
        PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
        TMPDIR: folder,
      },
    });
    await untilHealthy(endpoint, daemon);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ endpoint, aws, environment, stop },
    state: () => ask<EmulatorState>(`${endpoint}/_bed/state`),
    putClockForward: (seconds) => ask(`${endpoint}/_bed/clock`, { seconds }),
    killAt: (of) => ask(`${endpoint}/_bed/kill`, of),
  };
}

function environmentFor({ endpoint, credentials }: AwsOptions): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: "true",
  };
}

async function keepLog(log: string): Promise<void> {
  const reports = join(import.meta.dirname, "../../../reports");
  await mkdir(reports, { recursive: true });
  await copyFile(log, join(reports, "aws-emulator.log"));
}

async function untilHealthy(endpoint: string, daemon: Daemon): Promise<void> {
  await until("the AWS emulator answers", async () => {
    await daemon.assertRunning();
    const response = await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.ok || undefined;
  });
}

async function ask<Answer>(url: string, body?: object): Promise<Answer> {
  const response = await fetch(url, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as Answer;
}
