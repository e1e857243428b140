import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "#test/cluster/bed/ports";
import { type Daemon, startDaemon } from "#test/cluster/bed/processes";
import { until } from "#test/cluster/bed/until";

const here = join(import.meta.dirname, "emulator");

/** The emulator's account and the region of all tests. */
export const account = "000000000000";
export const region = "us-east-1";

/** A local AWS emulator. It leaves no data after its stop. */
export interface Emulator {
  readonly endpoint: string;
  /** The options for AWS clients. */
  readonly aws: AwsOptions;
  /** The same options as environment variables, for the CDK and for functions. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the counts so far. */
  state(): Promise<EmulatorState>;
  /** Advances the clock of the emulator and of all functions. */
  putClockForward(seconds: number): Promise<object>;
  /**
   * Kills the process of a function at its n-th next call of AWS, before the call has an effect.
   */
  killAt(of: { readonly function: string; readonly call: number }): Promise<object>;
  /** Lets the next calls that fit fail, as AWS fails for a moment. */
  failCalls(of: FailingCalls): Promise<object>;
  /** Stops the emulator. The logs stay in `reports/aws-emulator.log`. */
  stop(): Promise<void>;
}

/** Calls of a function that are to fail. */
export interface FailingCalls {
  /** A part of the function's name in the account. */
  readonly function: string;
  /** The operation: `sqs:SendMessage`. */
  readonly operation: string;
  /** Texts in the request, such as a workload's name. */
  readonly about: readonly string[];
  /** The number of calls. AWS clients repeat most failed calls. */
  readonly times: number;
  /** Whether a call has its effect, and only its answer is lost. */
  readonly lands: boolean;
  readonly error: AwsFault;
}

/** An error of AWS that ends by itself. */
export interface AwsFault {
  readonly code: string;
  readonly status: number;
  /** Whether the connection ends within the answer. */
  readonly isBroken?: true;
}

/** The options that connect an AWS client to the emulator. */
export interface AwsOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The counts of an emulator. */
export interface EmulatorState {
  readonly calls: readonly CallCount[];
  /** What AWS would have refused. */
  readonly faults: readonly RefusedCall[];
  /** The number of killed functions. */
  readonly killed: number;
  /** The number of calls that failed, of {@link FailingCalls}. */
  readonly failed: number;
  /** The number of calls that are still to fail. */
  readonly failuresLeft: number;
}

/** Calls that AWS would have refused: by the rights of the function's role, or as invalid. */
export interface RefusedCall {
  /** The function's name in the account. Empty for tests. */
  readonly function: string;
  /** The operation or the right: `sqs:SendMessage`. */
  readonly operation: string;
  /** The member of the input, or the ARN that the role has no right for. */
  readonly member: string;
  readonly why: string;
  readonly count: number;
}

/** The calls of one operation by one function. */
export interface CallCount {
  /** The function's name in the account. Empty for other callers. */
  readonly function: string;
  /**
   * The operation: `sqs:SendMessage`. `lambda:Run` is a run of the function itself, in
   * milliseconds.
   */
  readonly operation: string;
  readonly count: number;
  /** The charged units of DynamoDB reads and writes, and of EventBridge events. */
  readonly units: number;
  /** The charged bytes of logs of runs. */
  readonly logged: number;
  readonly milliseconds: number;
}

/** Returns the path of the Python with the emulator and the linters. Builds its environment once. */
export async function pythonOfEmulator(): Promise<string> {
  const { stdout } = await promisify(execFile)(join(here, "build.sh"));
  return stdout.trim();
}

/**
 * Starts the emulator on 127.0.0.1, and waits until it answers. Functions run on the Node of the
 * tests.
 */
export async function startEmulator(): Promise<Emulator> {
  const python = await pythonOfEmulator();
  const folder = await mkdtemp(join(tmpdir(), "lookout-aws-"));
  const [port = 0] = await freePorts(1);
  // The host is not 127.0.0.1, because the SQS client warns about it with each call.
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
      program: python,
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
    failCalls: (of) => ask(`${endpoint}/_bed/fail`, of),
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
