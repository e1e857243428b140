import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
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
  /** What makes every client of AWS, and the CDK, talk to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** How often each operation was asked for so far (`sqs:SendMessage`), and how often and how long each function ran. */
  calls(): Promise<Readonly<Record<string, number>>>;
  /** What it and the functions wrote. */
  readonly log: string;
  stop(): Promise<void>;
}

/** Starts it on 127.0.0.1, and waits until it answers. Functions run under the Node that runs the tests. */
export async function startEmulator(): Promise<Emulator> {
  const { stdout: python } = await promisify(execFile)(join(here, "build.sh"));
  const folder = await mkdtemp(join(tmpdir(), "lookout-aws-"));
  const [port = 0] = await freePorts(1);
  // Not 127.0.0.1: the client of SQS warns about it with each call.
  const endpoint = `http://localhost:${port}`;
  const environment = environmentFor(endpoint);
  const log = join(folder, "emulator.log");
  let daemon: Daemon | undefined;
  const stop = async (): Promise<void> => {
    await daemon?.stop();
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
  return { endpoint, environment, log, stop, calls: () => ask(`${endpoint}/_bed/calls`) };
}

function environmentFor(endpoint: string): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: account,
    AWS_SECRET_ACCESS_KEY: "emulated",
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: "true",
  };
}

async function untilHealthy(endpoint: string, daemon: Daemon): Promise<void> {
  await until("the AWS emulator answers", async () => {
    await daemon.assertRunning();
    const response = await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.ok || undefined;
  });
}

async function ask<Answer>(url: string): Promise<Answer> {
  const response = await fetch(url);
  return (await response.json()) as Answer;
}
