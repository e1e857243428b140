import { join } from "node:path";
import { pushReceivers, secretProblem } from "#adapters/webhook/receivers";
import type { MigratedFile } from "#adapters/sqlite/state-file";
import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { Configuration } from "#contracts/config/configuration";
import { aliasesOf } from "#contracts/config/registry-host";
import type { RegistryFact } from "#domain/registry/outage";
import type { Fact, PushDisputed } from "#domain/update/events";
import { type DurationMs, epochMs, hours, minutes, seconds } from "#domain/shared/time";
import type { PermanentError } from "#ports/errors";
import { receiversWithAliases, withAliases } from "#app/detect/aliases";
import { endRemovedClusters, type EndingCluster } from "#app/detect/removed-clusters";
import { tokenRenewals } from "./account/token-renewal.ts";
import { sendAllOpenWork } from "#app/gate/reap";
import type { Ports, Rules } from "#app/shared/ports";
import type { Clusters } from "#ports/cluster";
import type { Registry } from "#ports/registry";
import type { Clock } from "#ports/clock";
import type { Metrics } from "#ports/metrics";
import type { PushReceivers } from "#ports/push-receiver";
import type { Log } from "../handler.ts";
import { awsSecrets } from "../aws-secrets.ts";
import { backupGauges, openBackups } from "./backups.ts";
import {
  type ChosenConfiguration,
  chooseConfiguration,
  sourcesOfThisProcess,
  type StartFlags,
} from "./chosen-configuration.ts";
import { clockWatch } from "./clock-watch.ts";
import { withNotices } from "./cluster-notices.ts";
import { resolveSecrets } from "./configuration-secrets.ts";
import { type Demo, openDemo } from "./demo-server.ts";
import { logWithDisk } from "./disk.ts";
import { type FactStream, factStream } from "./fact-stream.ts";
import { httpFace, type HttpServer, listen, plainHttpWarning } from "./http.ts";
import { keepHeapSmall } from "./memory.ts";
import { summedMetrics } from "./metrics.ts";
import { observeNotices } from "./observe-notice.ts";
import { reporter, type Reporter } from "./reporter.ts";
import { openShell, type Shell } from "./shell.ts";
import { damagedStateFile } from "./refused-state-file.ts";
import { openLimitedRegistry } from "../limited-registry.ts";
import { rulesOf } from "../rules.ts";
import { newMemoryDatabase, type StatePorts, statePorts } from "./state.ts";
import { stateFiles } from "./state-files.ts";
import { openStateFolder, type StateFolder } from "./state-folder.ts";
import { openClusters, openRegistry } from "./world.ts";

/**
 * The command-line options. An absent value comes from `lookout.yaml`, else from the defaults. An
 * absent `dataDir` comes first from `LOOKOUT_DATA`.
 */
export interface StartOptions extends StartFlags {
  readonly output: "text" | "json";
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
  const sources = sourcesOfThisProcess();
  const chosen = await chooseConfiguration(options, sources);
  const secrets = { ...sources, readInAws: awsSecrets() };
  const receivers = [...(await resolveSecrets(chosen.configuration, secrets)), ...chosen.environmentReceivers];
  const tell = openReporter(options.output, chosen.configuration.clusters.length);
  for (const problem of receivers.map(secretProblem)) if (problem !== undefined) tell.notice(problem, "error");
  const folder = await openStateFolder(chosen.configuration.dataDir);
  if (folder.migrated !== undefined) tell.notice(migrationText(folder.migrated));
  try {
    return await run(chosen, receivers, folder, tell, outputClosed);
  } finally {
    await folder.release();
  }
}

async function run(
  { configuration, settings }: ChosenConfiguration,
  receivers: readonly ReceiverSettings[],
  folder: StateFolder,
  tell: Reporter,
  outputClosed: AbortSignal,
): Promise<number> {
  await using closing = new AsyncDisposableStack();
  const world =
    configuration.clusters.length === 0 ? demoToRunIn(configuration) : await worldOf(configuration, receivers, tell);
  closing.defer(() => world.close());
  // The demo keeps its state in memory, because its cluster is in memory too.
  const database = world.demo === undefined ? folder.database : newMemoryDatabase();
  const metrics = summedMetrics();
  const state = statePorts(database, metrics.port);
  const facts = factStream();
  const log = world.demo === undefined ? logWithDisk(tell, folder.path) : tell.log;
  const clusterStates = withNotices(state.clusterStates, tell.notice);
  const onFact = (fact: Fact): void => {
    tell.onFact(fact);
    facts.publish(fact);
  };
  const backups = openBackups(database, folder.path, systemClock);
  // The demo's state ends with the process, so only lookout backup copies it.
  const schedule = world.demo === undefined ? configuration.backup : undefined;
  const copies = schedule === undefined ? {} : { stateCopies: backups };
  const shell = shellOf(world, { ...state, ...copies, clusterStates }, metrics.port, log, {
    onFact,
    onDispute: (dispute) => {
      tell.notice(disputeText(dispute));
    },
    onRegistryFact: (fact) => {
      tell.onRegistryFact(fact);
      facts.publish(fact);
    },
  });
  const demoPush = world.demo?.pushTo(shell);
  const face = httpFace({
    shell,
    settings,
    facts,
    log: shell.log,
    token: folder.token,
    metrics: () => metrics.text() + (schedule === undefined ? "" : backupGauges(backups.outcome())),
    backups,
    ...(demoPush === undefined ? {} : { demoPush }),
  });
  const server = await listen(face, configuration.listen, shell);
  closing.defer(() => stop(shell, facts, server));
  closing.defer(() => backups.stop());
  const warning = plainHttpWarning(configuration.listen.host, server.url);
  if (warning !== undefined) tell.notice(warning, "error");
  // From here on, commands find the process and can stop it.
  const told = toldToStop(outputClosed);
  await folder.announce(server.url);
  await shell.start();
  const repeat = (id: string, everyMs: DurationMs, task: () => Promise<void>): void => {
    const timer = setInterval(() => {
      task().catch((error: unknown) => {
        log.failure({ id, error });
      });
    }, everyMs);
    closing.defer(() => {
      clearInterval(timer);
    });
  };
  repeat("expiry", hours(1), () => state.expire(systemClock.now()));
  repeat(
    "tokens",
    minutes(1),
    tokenRenewals({ clusters: () => configuration.clusters, ...systemClock, notice: tell.notice }),
  );
  const watch = clockWatch({
    clock: systemClock,
    steadyMs: () => performance.now(),
    notice: tell.notice,
    sendAllOpenWork: () => sendAllOpenWork(shell.ports),
  });
  repeat("clock", seconds(1), watch);
  if (schedule !== undefined) repeat("backup", seconds(10), () => backups.copyIfDue(schedule));
  for (const ending of await endRemovedClusters(shell.ports)) tell.notice(endingText(ending));
  const clusters = world.demo === undefined ? world.clusters.names() : undefined;
  tell.started({ url: server.url, clusters, folder: folder.path });
  (await observeNotices(shell.ports)).forEach((text) => {
    tell.notice(text);
  });
  const damaged = database.damaged.then((said) => damagedStateFile(join(folder.path, stateFiles.state), said));
  // The result is awaited, because the return closes all resources.
  return await untilStopped(told, damaged, tell);
}

/** Stops the parts in order. The shell stops first, so that listeners get its last facts. */
async function stop(shell: Shell, facts: FactStream, server: HttpServer): Promise<void> {
  const quiet = shell.stop(stopWithinMs).then(() => {
    facts.end();
  });
  await Promise.all([quiet, server.stop(stopWithinMs)]);
}

function shellOf(
  { clusters, registry, rules, budgets, receivers }: RunWorld,
  state: StatePorts & Pick<Ports, "stateCopies">,
  metrics: Metrics,
  log: Log,
  listeners: Listeners,
): Shell {
  const { registryLimits } = state;
  const gate = openLimitedRegistry(rules.registries.registries, {
    registry,
    registryLimits,
    clock: systemClock,
    publish: (facts) => shell.ports.bus.publish(facts),
  });
  const ports = { clock: systemClock, ...state, clusters, registry: gate(metrics), rules };
  const shell = openShell({ ports, receivers, metrics, log, budgets, ...listeners });
  return shell;
}

/** The functions that show facts. */
interface Listeners {
  readonly onFact: (fact: Fact) => void;
  readonly onDispute: (dispute: PushDisputed) => void;
  readonly onRegistryFact: (fact: RegistryFact) => void;
}

/** The clusters, registries and receivers of the process. */
interface RunWorld {
  readonly clusters: Clusters;
  readonly registry: Registry;
  readonly rules: Rules;
  readonly receivers: PushReceivers;
  readonly budgets: Configuration["budgets"];
  readonly demo?: Demo;
  close(): Promise<void>;
}

function demoToRunIn(configuration: Configuration): RunWorld {
  const demo = openDemo(systemClock, rulesOf(configuration));
  return { ...demo, demo, budgets: configuration.budgets, close: () => Promise.resolve() };
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
    registry: await openRegistry(configuration, process.env, tell.notice),
    rules: rulesOf(configuration),
    budgets: configuration.budgets,
    receivers: receiversWithAliases(pushReceivers(receivers, systemClock), aliases),
    close: () => clusters.close(),
  };
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

/** Returns the reporter of stdout. Times are in the local zone by default. */
export function openReporter(
  output: "text" | "json",
  clusters: number,
  timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
): Reporter {
  return reporter({
    output,
    colour: process.stdout.isTTY && process.env.NO_COLOR === undefined,
    timeZone,
    clusters,
    write: (line) => void process.stdout.write(`${line}\n`),
    writeError: (line) => void process.stderr.write(`${line}\n`),
  });
}
