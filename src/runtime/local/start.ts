import { join } from "node:path";
import { secretProblem } from "#adapters/webhook/receivers";
import type { MigratedFile } from "#adapters/sqlite/state-file";
import type { Configuration } from "#contracts/config/configuration";
import type { PushDisputed } from "#domain/update/events";
import { type DurationMs, epochMs, hours, minutes, seconds } from "#domain/shared/time";
import type { PermanentError } from "#ports/errors";
import { reloadView } from "#app/api/reloads";
import { endRemovedClusters, type EndingCluster } from "#app/detect/removed-clusters";
import { tokenRenewals } from "./account/token-renewal.ts";
import { sendAllOpenWork } from "#app/gate/reap";
import type { Clock } from "#ports/clock";
import type { Reload } from "#ports/reloads";
import { awsSecrets } from "../aws-secrets.ts";
import { channelTools } from "../channel-tools.ts";
import { channelsOf } from "../channels.ts";
import { checksOfProcess } from "../checks.ts";
import { channelNotices, channelNoticeText } from "./channel-notices.ts";
import { backupGauges, openBackups } from "./backups.ts";
import { sourcesOfThisProcess, type StartFlags } from "./chosen-configuration.ts";
import { readSecret } from "./configuration-secrets.ts";
import { clockWatch } from "./clock-watch.ts";
import { withNotices } from "./cluster-notices.ts";
import { logWithDisk } from "./disk.ts";
import { type FactStream, factStream } from "./fact-stream.ts";
import { httpFace, type HttpServer, listen, plainHttpWarning } from "./http.ts";
import { load, type Loaded, secretFilesOf } from "./loaded.ts";
import { keepHeapSmall } from "./memory.ts";
import { reloadGauges, summedMetrics } from "./metrics.ts";
import { observeNotices } from "./observe-notice.ts";
import { reloadedConfiguration } from "./reload.ts";
import { type ReloadedCertificate, reloadedCertificate } from "./reloaded-certificate.ts";
import { reporter, type Reporter } from "./reporter.ts";
import { hasColours, terminalWidth } from "#runtime/text-width";
import { openShell, type Shell } from "./shell.ts";
import { damagedStateFile } from "./refused-state-file.ts";
import { openLimitedRegistry } from "../limited-registry.ts";
import { isDemo, openWorld, type Openings, type RunWorld } from "./run-world.ts";
import { newMemoryDatabase, statePorts } from "./state.ts";
import { stateFiles } from "./state-files.ts";
import { openStateFolder, type StateFolder } from "./state-folder.ts";
import { openCluster, openRegistry } from "./world.ts";

/**
 * The command-line options. An absent value comes from `lookout.yaml`, else from the defaults. An
 * absent `dataDir` comes first from `LOOKOUT_DATA`.
 */
export interface StartOptions extends StartFlags {
  readonly output: "text" | "json";
  /** True for an output without colours. */
  readonly isPlain?: boolean;
}

/** The time limit of a stop. */
const stopWithinMs = 4_000;

const systemClock: Clock = { now: () => epochMs(Date.now()) };

/**
 * Runs Lookout in this process until SIGINT, SIGTERM or SIGHUP, with the configured clusters or the
 * demo.
 *
 * @returns 0 after a signal, 3 if the state file is damaged or the output was closed
 * @throws PermanentError with advice, if Lookout can't start
 */
export async function startLocal(options: StartOptions, outputClosed: AbortSignal): Promise<number> {
  keepHeapSmall();
  // Each read gets new clients of AWS, so that secrets there are read again.
  const read: LoadAgain = (flags, onChosen) =>
    load({ ...options, ...flags }, { ...sourcesOfThisProcess(), readInAws: awsSecrets() }, onChosen);
  const loaded = await read();
  const { configuration, receivers } = loaded;
  const clusters = { count: configuration.clusters.length };
  const tell = openReporter(options.output, clusters, { isPlain: options.isPlain === true });
  for (const problem of receivers.map(secretProblem)) if (problem !== undefined) tell.notice(problem, "error");
  await tellChannels(configuration, tell);
  const folder = await openStateFolder(configuration.dataDir);
  if (folder.migrated !== undefined) tell.notice(migrationText(folder.migrated));
  try {
    return await run(loaded, { read, folder, tell, clusters }, outputClosed);
  } finally {
    await folder.release();
  }
}

/** Tells which channels can't tell anything. The process starts all the same. */
async function tellChannels(configuration: Loaded["configuration"], tell: Reporter): Promise<void> {
  if (configuration.channels.length === 0) return;
  for (const notice of await channelNotices(configuration, sourcesOfThisProcess()))
    tell.notice(channelNoticeText(notice), "error");
}

/** Reads the configuration as at the start, with other flags. */
type LoadAgain = (flags?: Pick<StartFlags, "config">, onChosen?: Parameters<typeof load>[2]) => Promise<Loaded>;

interface Surroundings {
  readonly read: LoadAgain;
  readonly folder: StateFolder;
  readonly tell: Reporter;
  /** The number of clusters, which the reporter reads. */
  readonly clusters: { count: number };
}

async function run(
  loaded: Loaded,
  { read, folder, tell, clusters }: Surroundings,
  outputClosed: AbortSignal,
): Promise<number> {
  await using closing = new AsyncDisposableStack();
  const { configuration } = loaded;
  const { listen: address } = configuration;
  const runsDemo = isDemo(configuration);
  // The demo keeps its state in memory, because its cluster is in memory too.
  const database = runsDemo ? newMemoryDatabase() : folder.database;
  const metrics = summedMetrics();
  const state = statePorts(database, metrics.port);
  const secretSources = { ...sourcesOfThisProcess(), readInAws: awsSecrets() };
  const facts = factStream();
  const log = runsDemo ? tell.log : logWithDisk(tell, folder.path);
  const openings: Openings = {
    clock: systemClock,
    openCluster: (entry, kinds) => openCluster(entry, process.env, kinds),
    channels: (of) =>
      channelsOf(of, {
        ...channelTools({ isServerless: false }, process.env),
        readSecret: ({ ref }, isFresh) => readSecret(ref, secretSources, isFresh),
        installation: () => state.store.installation(),
      }),
    checks: (of) =>
      checksOfProcess(of, {
        post: channelTools({ isServerless: false }, process.env).post,
        readSecret: ({ ref }) => readSecret(ref, secretSources),
        installation: () => state.store.installation(),
      }),
    openRegistry: async (of) => {
      const registry = await openRegistry(of, process.env, tell.notice);
      const { registryLimits } = state;
      const publish = (published: Parameters<Shell["ports"]["bus"]["publish"]>[0]) =>
        shell.ports.bus.publish(published);
      return openLimitedRegistry(of.registries, { registry, registryLimits, clock: systemClock, publish })(
        metrics.port,
      );
    },
  };
  let world: RunWorld = await openWorld(loaded, openings);
  let inForce = configuration;
  closing.defer(() => world.close());
  const backups = openBackups(database, folder.path, systemClock);
  // The demo's state ends with the process, so only lookout backup copies it.
  const schedule = runsDemo ? undefined : configuration.backup;
  const reloads = (): readonly Reload[] =>
    [reloading.outcome(), tls?.outcome()].filter((outcome) => outcome !== undefined);
  const copies = schedule === undefined ? {} : { stateCopies: backups };
  const { receivers, budgets, channels, checks } = world;
  const shell: Shell = openShell({
    ports: {
      ...{ clock: systemClock, ...state, clusters: world.clusters, registry: world.registry, rules: world.rules },
      clusterStates: withNotices(state.clusterStates, tell.notice),
      ...{ ...copies, reloads: { list: reloads } },
    },
    ...{ receivers, budgets, channels, checks, metrics: metrics.port, log },
    onFact: (fact) => {
      tell.onFact(fact);
      facts.publish(fact);
    },
    onDispute: (dispute) => {
      tell.notice(disputeText(dispute));
    },
    onRegistryFact: (fact) => {
      tell.onRegistryFact(fact);
      facts.publish(fact);
    },
  });
  const tellEndings = async (): Promise<void> => {
    for (const ending of await endRemovedClusters(shell.ports)) tell.notice(endingText(ending));
  };
  const failed = (id: string) => (error: unknown) => {
    log.failure({ id, error });
  };
  const reloading = reloadedConfiguration({
    ...{ started: loaded, clock: systemClock, notice: tell.notice },
    load: (config, onFiles) =>
      read(config === undefined ? {} : { config }, (chosen) => {
        onFiles(secretFilesOf(chosen));
      }),
    prepare: async (next, evaluates) => {
      const opened = await openWorld(next, openings, world);
      return {
        discard: () => opened.close(world),
        use: async () => {
          const former = world;
          world = opened;
          inForce = next.configuration;
          clusters.count = next.configuration.clusters.length;
          for (const problem of next.receivers.map(secretProblem))
            if (problem !== undefined) tell.notice(problem, "error");
          const { unused, resumed } = shell.replace(opened, evaluates);
          void unused.then(() => former.close(opened)).catch(failed("reload"));
          const removes = former.clusters.names().some((name) => opened.clusters.cluster(name) === undefined);
          await resumed.then(removes ? tellEndings : undefined).catch(failed("reload"));
          await tellChannels(next.configuration, tell);
        },
      };
    },
  });
  const tls = await certificateOf(address, tell, async (renewed) => {
    server.useCertificate(renewed);
    await folder.announce(server.url, renewed);
  });
  const demoPush = world.demo?.pushTo(shell);
  const face = httpFace({
    shell,
    settings: () => ({ ...reloading.settings(), reloads: reloads().map(reloadView) }),
    facts,
    log: shell.log,
    token: folder.token,
    metrics: () =>
      metrics.text() + reloadGauges(reloads()) + (schedule === undefined ? "" : backupGauges(backups.outcome())),
    backups,
    ...(demoPush === undefined ? {} : { demoPush }),
  });
  const certificate = tls?.certificate();
  const server = await listen(face, address, shell, certificate);
  closing.defer(() => stop(shell, facts, server));
  closing.defer(() => backups.stop());
  const warning = plainHttpWarning(address.host, server.url);
  if (warning !== undefined) tell.notice(warning, "error");
  // From here on, commands find the process and can stop it.
  const told = toldToStop(outputClosed);
  await folder.announce(server.url, certificate);
  await shell.start();
  const repeat = (id: string, everyMs: DurationMs, task: () => Promise<void>): void => {
    const timer = setInterval(() => {
      task().catch(failed(id));
    }, everyMs);
    closing.defer(() => {
      clearInterval(timer);
    });
  };
  repeat("expiry", hours(1), () => state.expire(systemClock.now()));
  repeat(
    "tokens",
    minutes(1),
    tokenRenewals({ clusters: () => inForce.clusters, ...systemClock, notice: tell.notice }),
  );
  const watch = clockWatch({
    clock: systemClock,
    steadyMs: () => performance.now(),
    notice: tell.notice,
    sendAllOpenWork: () => sendAllOpenWork(shell.ports),
  });
  repeat("clock", seconds(1), watch);
  if (schedule !== undefined) repeat("backup", seconds(10), () => backups.copyIfDue(schedule));
  await tellEndings();
  repeat("reload", seconds(1), reloading.look);
  if (tls !== undefined) repeat("certificate", seconds(1), tls.look);
  const names = runsDemo ? undefined : world.clusters.names();
  tell.started({ url: server.url, clusters: names, folder: folder.path });
  (await observeNotices(shell.ports)).forEach((text) => {
    tell.notice(text);
  });
  const damaged = database.damaged.then((said) => damagedStateFile(join(folder.path, stateFiles.state), said));
  // The result is awaited, because the return closes all resources.
  return await untilStopped(told, damaged, tell);
}

/** Opens the certificate of an address; undefined without TLS. */
async function certificateOf(
  { certFile, keyFile }: Configuration["listen"],
  { notice }: Reporter,
  use: Parameters<typeof reloadedCertificate>[0]["use"],
): Promise<ReloadedCertificate | undefined> {
  if (certFile === undefined || keyFile === undefined) return undefined;
  return reloadedCertificate({ files: { certFile, keyFile }, clock: systemClock, notice, use });
}

/** Stops the parts in order. The shell stops first, so that listeners get its last facts. */
async function stop(shell: Shell, facts: FactStream, server: HttpServer): Promise<void> {
  const quiet = shell.stop(stopWithinMs).then(() => {
    facts.end();
  });
  await Promise.all([quiet, server.stop(stopWithinMs)]);
}

function disputeText({ registry, repository, tag, digest, registryDigest, source }: PushDisputed): string {
  const told = digest === undefined ? "" : ` with the digest ${digest}`;
  return `${source} reported a push of ${registry}/${repository}:${tag}${told}, but the registry has ${registryDigest ?? "no such tag"}. Lookout uses the registry's answer`;
}

function migrationText({ from, to, copy }: MigratedFile): string {
  return `the state file is migrated from version ${from} to ${to}; ${copy} is its copy from before`;
}

function endingText({ cluster, workloads, endsAt }: EndingCluster): string {
  const time = new Date(endsAt).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const [noun, verb] = workloads === 1 ? ["workload", "ends"] : ["workloads", "end"];
  const when = endsAt <= Date.now() ? "now" : `at ${time}, unless it comes back`;
  return `${workloads} ${noun} of the removed cluster ${cluster} ${verb} ${when}`;
}

/** The message after the output was closed. */
export const unread = "stopping: the output was closed. To run without a reader, write the output to a file";

/**
 * Resolves at the first signal. A second signal is ignored: the terminal and npm may both send
 * Ctrl-C.
 */
function toldToStop(outputClosed: AbortSignal): Promise<"signal" | "output-closed"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => {
        resolve("signal");
      });
    const closed = (): void => {
      resolve("output-closed");
    };
    if (outputClosed.aborted) closed();
    outputClosed.addEventListener("abort", closed);
  });
}

async function untilStopped(
  told: ReturnType<typeof toldToStop>,
  damaged: Promise<PermanentError>,
  tell: Reporter,
): Promise<number> {
  const why = await Promise.race([told, damaged]);
  if (why === "signal") tell.notice("stopping");
  else if (why === "output-closed") tell.notice(unread, "error");
  else tell.log.failure({ id: "state", error: why });
  return why === "signal" ? 0 : 3;
}

/** Returns the reporter of stdout. The number of clusters may change. Times are in the local zone by default. */
export function openReporter(
  output: "text" | "json",
  clusters: { readonly count: number },
  {
    timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
    isPlain = false,
  }: { readonly timeZone?: string; readonly isPlain?: boolean } = {},
): Reporter {
  return reporter({
    output,
    colour: !isPlain && hasColours(process.stdout.isTTY, process.env),
    width: () => (process.stdout.isTTY ? terminalWidth(process.stdout.columns, process.env) : undefined),
    timeZone,
    clusters: () => clusters.count,
    write: (line) => void process.stdout.write(`${line}\n`),
    writeError: (line) => void process.stderr.write(`${line}\n`),
  });
}
