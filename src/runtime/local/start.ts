import { readFile } from "node:fs/promises";
import { pushReceivers } from "#adapters/webhook/receivers";
import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { Configuration } from "#contracts/configuration";
import { epochMs } from "#domain/time";
import { PermanentError } from "#ports/errors";
import { receiversWithAliases, withAliases } from "#app/aliases";
import type { Ports } from "#app/ports";
import type { Clock } from "#ports/clock";
import type { PushReceivers } from "#ports/push-receiver";
import { withNotices } from "./cluster-notices.ts";
import { loadConfiguration } from "./configuration.ts";
import { resolveSecrets } from "./configuration-secrets.ts";
import { type Demo, openDemo } from "./demo-server.ts";
import { type HttpOptions, httpFace, type HttpServer, listen } from "./http.ts";
import { reporter, type Reporter } from "./reporter.ts";
import { openShell, type Shell } from "./shell.ts";
import { openStateFolder, type StateFolder } from "./state-folder.ts";
import { openState, type OpenState } from "./table.ts";
import { aliasesOf, openClusters, openRegistry } from "./world.ts";

/** What a person asked for on the command line; what is absent comes from `lookout.yaml`, else from its defaults. */
export interface StartOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly listen?: string;
  readonly output: "text" | "json";
}

/** How long stopping may take. */
const stopWithinMs = 4_000;

const systemClock: Clock = { now: () => epochMs(Date.now()) };

/**
 * Runs Lookout as one process until it is told to stop (SIGINT, SIGTERM): on the clusters that are named, else on the demo's.
 *
 * @returns the exit code: 0 when it was told to stop, 3 when what keeps its state ended.
 * @throws PermanentError when it can't start: what is wrong, and what to do.
 */
export async function startLocal(options: StartOptions): Promise<number> {
  const sources = { environment: process.env, readFile: (path: string) => readFile(path, "utf8") };
  const loaded = await loadConfiguration({ ...sources, file: options.config });
  const configuration = withFlags(loaded.configuration, options);
  const receivers = [
    ...(await resolveSecrets(configuration, sources)),
    ...receiversOfEnvironment(configuration, process.env),
  ];
  const tell = openReporter(options.output);
  const folder = await openStateFolder(options.dataDir ?? configuration.dataDir, configuration.listen.port);
  try {
    return await run(configuration, receivers, folder, tell);
  } finally {
    await folder.release();
  }
}

async function run(
  configuration: Configuration,
  receivers: readonly ReceiverSettings[],
  folder: StateFolder,
  tell: Reporter,
): Promise<number> {
  const world = configuration.clusters.length === 0 ? demoToRunIn() : await worldOf(configuration, receivers, tell);
  const state = await openState({
    dir: folder.path,
    table: world.table,
    afresh: world.demo !== undefined,
    endpoint: process.env.DYNAMODB_ENDPOINT,
  });
  try {
    const ports = {
      clock: systemClock,
      ...state.ports,
      clusterStates: withNotices(state.ports.clusterStates, tell.notice),
      clusters: world.clusters,
      registry: world.registry,
      limits: world.limits,
    };
    const shell = openShell({ ports, receivers: world.receivers, log: tell.log, onFact: tell.onFact });
    const server = await serve(shell, configuration, folder, tell, world.demo?.pushTo(shell));
    await shell.start();
    const clusters = world.demo === undefined ? world.clusters.names() : undefined;
    tell.started({ url: server.url, clusters, state: { folder: folder.path, kept: state.kept } });
    return await untilStopped(shell, server, state, tell);
  } finally {
    await world.close();
    await state.close();
  }
}

/** What the process works on: clusters, registries and receivers. */
interface RunWorld extends Pick<Ports, "clusters" | "registry" | "limits"> {
  readonly receivers: PushReceivers;
  /** The table that holds its state. */
  readonly table: string;
  readonly demo?: Demo;
  close(): Promise<void>;
}

function demoToRunIn(): RunWorld {
  const demo = openDemo(systemClock);
  return { ...demo, demo, table: "demo", close: () => Promise.resolve() };
}

async function worldOf(
  configuration: Configuration,
  receivers: readonly ReceiverSettings[],
  tell: Reporter,
): Promise<RunWorld> {
  const clusters = await openClusters(configuration.clusters, process.env);
  const aliases = aliasesOf(configuration.registries);
  return {
    clusters: withAliases(clusters, aliases),
    registry: openRegistry(configuration.registries, process.env, tell.notice),
    limits: configuration.limits,
    receivers: receiversWithAliases(pushReceivers(receivers), aliases),
    table: "lookout",
    close: () => clusters.close(),
  };
}

async function serve(
  shell: Shell,
  configuration: Configuration,
  folder: StateFolder,
  tell: Reporter,
  demoPush: HttpOptions["demoPush"],
): Promise<HttpServer> {
  const face = httpFace({ shell, token: folder.token, log: tell.log, ...(demoPush === undefined ? {} : { demoPush }) });
  const server = await listen(face, configuration.listen);
  await folder.announce(server.url);
  return server;
}

async function untilStopped(shell: Shell, server: HttpServer, state: OpenState, tell: Reporter): Promise<number> {
  const asked = new Promise<0>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => {
        resolve(0);
      });
  });
  const broken = state.ended.then((said) => new PermanentError(`what keeps the state has ended: ${said}`));
  const why = await Promise.race([asked, broken]);
  if (why === 0) tell.notice("stopping");
  else tell.log.failure({ id: "state", error: why });
  await Promise.all([
    shell.stop(stopWithinMs),
    Promise.race([server.stop(), new Promise((resolve) => setTimeout(resolve, stopWithinMs).unref())]),
  ]);
  return why === 0 ? 0 : 3;
}

/** Without a configuration a secret in the environment is enough: `/webhooks/distribution` and `/webhooks/generic`. */
function receiversOfEnvironment(
  configuration: Configuration,
  environment: NodeJS.ProcessEnv,
): readonly ReceiverSettings[] {
  const secret = environment.LOOKOUT_WEBHOOK_SECRET;
  if (secret === undefined || configuration.receivers.length > 0) return [];
  return [
    { name: "distribution", kind: "distribution", secret },
    { name: "generic", kind: "generic", secret },
  ];
}

function withFlags(
  configuration: Configuration,
  { kubeconfig, context, listen: address }: StartOptions,
): Configuration {
  const named =
    kubeconfig === undefined && context === undefined
      ? undefined
      : {
          name: "local",
          ...(kubeconfig === undefined ? {} : { kubeconfig }),
          ...(context === undefined ? {} : { context }),
        };
  return {
    ...configuration,
    ...(named === undefined
      ? {}
      : { clusters: [...configuration.clusters.filter(({ name }) => name !== named.name), named] }),
    ...(address === undefined ? {} : { listen: parseAddress(address) }),
  };
}

/** Reads `HOST:PORT`, with an IPv6 address in brackets. @throws PermanentError for anything else. */
export function parseAddress(text: string): Configuration["listen"] {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^:\s]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535)
    throw new PermanentError(`--listen "${text}": expected HOST:PORT, such as 127.0.0.1:4040`);
  return { host: match[1].replace(/^\[|\]$/g, ""), port };
}

/** Opens the reporter of this process's standard output; people read times in their own zone unless told. */
export function openReporter(
  output: "text" | "json",
  timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
): Reporter {
  return reporter({
    output,
    colour: process.stdout.isTTY && process.env.NO_COLOR === undefined,
    timeZone,
    write: (line) => void process.stdout.write(`${line}\n`),
    writeError: (line) => void process.stderr.write(`${line}\n`),
  });
}
