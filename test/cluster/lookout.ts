import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import type { RegistryFactView } from "#contracts/api/process";
import { until } from "./bed/until.ts";

/** A fact as the process prints it. */
export interface PrintedFact {
  readonly name: string;
  readonly workload: {
    readonly cluster: string;
    readonly namespace: string;
    readonly kind: string;
    readonly name: string;
  };
  readonly seq: number;
  readonly version: number;
  readonly at: string;
  readonly detectedAt?: string;
  readonly selected?: true;
  readonly detail?: string;
  readonly reasons: readonly { readonly reason: string; readonly detail?: string }[];
}

export interface LookoutOptions {
  /** The kubeconfig of the cluster `test`. Absent if `more` has the clusters. */
  readonly kubeconfig?: string;
  /** More parts of `lookout.yaml`. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The host of the local registry. */
  readonly registry: string;
  /** The hosts of more local registries. */
  readonly otherRegistries?: readonly string[];
  readonly port: number;
  readonly secret: string;
  /** The state folder. Default: a new folder. */
  readonly dataDir?: string;
  /** More limits for `lookout.yaml`. */
  readonly limits?: { readonly maxConcurrentRollouts?: number };
  /** Defaults for `lookout.yaml`. */
  readonly defaults?: { readonly appliers?: readonly string[] };
  /** True: `lookout start --observe`. */
  readonly observe?: boolean;
}

/** A Lookout process with its own state folder and real clusters. */
export interface Lookout {
  /** The facts about workloads. */
  readonly facts: readonly PrintedFact[];
  readonly registryFacts: readonly RegistryFactView[];
  readonly errors: readonly string[];
  readonly dataDir: string;
  /** Runs a `lookout` command for this process. Returns its output and its exit code. */
  run(...words: readonly string[]): Promise<{ readonly code: number; readonly out: string }>;
  /** Waits for a fact about a workload, optionally of one update. */
  fact(name: string, workload: string, seq?: number, timeoutMs?: number): Promise<PrintedFact>;
  of(workload: string): readonly PrintedFact[];
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const command = new URL("../../bin/lookout.js", import.meta.url).pathname;

/**
 * Starts `lookout start` with a kubeconfig and a receiver `registry`. Waits until the process
 * answers.
 */
export async function startLookout({
  kubeconfig,
  registry,
  otherRegistries = [],
  port,
  secret,
  dataDir,
  limits,
  defaults = {},
  observe = false,
  more = {},
}: LookoutOptions): Promise<Lookout> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), "lookout-state-")));
  const configuration = {
    clusters: [{ name: "test", kubeconfig }],
    receivers: [
      { name: "registry", kind: "distribution", secretEnv: "RECEIVER_SECRET" },
      { name: "build", kind: "generic", secretEnv: "RECEIVER_SECRET" },
    ],
    registries: [registry, ...otherRegistries].map((host) => ({ host, insecure: true, allowPrivateNetwork: true })),
    defaults,
    limits: { settle: "2s", windowSpread: "0s", ...limits },
    listen: `127.0.0.1:${port}`,
    ...more,
  };
  const file = join(folder, "..", `lookout-${port}.yaml`);
  await writeFile(file, stringify(configuration));
  const environment = { ...process.env, RECEIVER_SECRET: secret };
  const words = [
    command,
    "start",
    "--config",
    file,
    "--data",
    folder,
    "--output",
    "json",
    ...(observe ? ["--observe"] : []),
  ];
  const child = spawn(process.execPath, words, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const killChild = (): void => void child.kill("SIGKILL");
  process.once("exit", killChild);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const facts: PrintedFact[] = [];
  const registryFacts: RegistryFactView[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const printed = JSON.parse(line) as PrintedFact | RegistryFactView;
    if ("registry" in printed) registryFacts.push(printed);
    else if (printed.name !== "Started") facts.push(printed);
  });
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  await until("Lookout answers", async () => {
    if (child.exitCode !== null) throw new Error(`Lookout ended: ${errors.join("\n")}`);
    return (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok === true ? true : undefined;
  });
  const of = (workload: string): PrintedFact[] =>
    facts.filter((fact) => `${fact.workload.namespace}/${fact.workload.name}` === workload);
  return {
    facts,
    registryFacts,
    errors,
    dataDir: folder,
    of,
    run: (...asked) => runBeside([command, ...asked, "--data", folder], environment),
    fact: (name, workload, seq, timeoutMs = 60_000) =>
      until(
        `${name} of ${workload}`,
        async () => of(workload).find((fact) => fact.name === name && (seq === undefined || fact.seq === seq)),
        { timeoutMs },
      ).catch((error: unknown) => {
        const seen = of(workload).map((fact) => `${fact.name} ${fact.seq}`);
        throw new Error(`${String(error)}; seen: ${seen.join(", ")}; errors: ${errors.slice(-3).join(" | ")}`);
      }),
    async stop(signal = "SIGTERM") {
      process.removeListener("exit", killChild);
      child.kill(signal);
      await ended;
      if (dataDir === undefined && signal !== "SIGKILL") await rm(folder, { recursive: true, force: true });
      await rm(file, { force: true });
    },
  };
}

async function runBeside(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly out: string }> {
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const code = await new Promise<number>((resolve) => child.once("close", (exit) => resolve(exit ?? 1)));
  return { code, out };
}

/** Returns the times of an update's steps for the report. */
export function timesOf(running: PrintedFact, patched: PrintedFact): string {
  const since = (fact: PrintedFact): string => `${Date.parse(fact.at) - Date.parse(fact.detectedAt ?? fact.at)} ms`;
  return `webhook → patched ${since(patched)}, → running ${since(running)}`;
}
