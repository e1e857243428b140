import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { access, constants, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { PermanentError } from "#ports/errors";
import { asProcessIdentity, identifyProcess, stillRuns } from "./process-identity.ts";
import { fullDisk, stateFiles, unusableFolder } from "./state-folder.ts";
import { writeWhole } from "./whole-file.ts";

/** How the embedded table is started. */
export interface EmbeddedTableOptions {
  /** The state folder, which this process holds; the database file lies in it. */
  readonly dir: string;
  /** The engine's program; absent: the one that was installed for this platform. */
  readonly binary?: string;
}

/** What became of the start. */
export type EmbeddedTable =
  | RunningTable
  /** There is no engine for this platform; `why` is a sentence for people. */
  | { readonly kind: "unavailable"; readonly why: string };

/** The engine, answering. */
export interface RunningTable {
  readonly kind: "running";
  /** Its URL on the loopback interface. Every user of this machine can reach it. */
  readonly endpoint: string;
  readonly pid: number;
  /** Resolves once the engine has ended, whoever ended it, with what it said last. */
  readonly ended: Promise<string>;
  /** Ends the engine and waits until it is gone. Twice is fine. */
  stop(): Promise<void>;
}

const attempts = 3;
const msToStart = 10_000;
const msToStop = 2_000;
const keptOutput = 2_000;

/**
 * Becomes the engine, with a companion that ends it when this process is gone, even by SIGKILL.
 *
 * The companion reads a pipe that only this process writes to: the kernel closes it with the process. An empty line instead
 * tells it that the engine has ended already. Node can't ask the kernel for a signal on its own death.
 */
const launcher = `exec 3<&0
{ read -r _ <&3 || kill -TERM $$; } </dev/null >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-`;

/**
 * Starts the embedded engine on a free port of the loopback interface and waits until it answers.
 *
 * An engine that a killed process left behind is stopped first, if the state folder proves that it is the one.
 *
 * @throws PermanentError when the engine does not start, with its last words.
 */
export async function startEmbeddedTable({ dir, binary }: EmbeddedTableOptions): Promise<EmbeddedTable> {
  const found = await findBinary(binary);
  if (found.kind === "unavailable") return found;
  await stopLeftBehind(join(dir, stateFiles.tableProcess));
  let failure = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const started = await launch(found.path, dir, await freePort());
    if (started.kind === "running") return started;
    failure = started.said;
    if (!/in use/i.test(failure)) break;
  }
  throw isFull(failure) ? fullDisk(dir) : notStarted(found.path, join(dir, stateFiles.table), failure);
}

/** Whether the engine says that its disk has no room. */
export function isFull(said: string): boolean {
  return /database or disk is full/i.test(said);
}

/** Whether the engine says that it can't read its file. */
export function saysDamaged(said: string): boolean {
  return /not a valid SQLite|malformed|unable to open|not a database/i.test(said);
}

function notStarted(binary: string, table: string, said: string): PermanentError {
  if (!saysDamaged(said))
    return new PermanentError(`the embedded table ${binary} did not start with ${table}: ${said}`);
  return damagedTable(table, said);
}

/** Says that the table's file can't be read, and what to do. */
export function damagedTable(table: string, said: string): PermanentError {
  const sentences = [
    `${table} is damaged, or is not a table of Lookout's: ${said.split(/[.\n]/)[0] ?? ""}`,
    "Put a copy of it back, or begin anew: move it away, with its neighbours whose names begin with its name.",
    "Workloads are then met anew, which changes none; holds, refused digests, the quarantine and the history are forgotten.",
  ];
  return new PermanentError(sentences.join("\n"));
}

type Binary = { readonly kind: "found"; readonly path: string } | Extract<EmbeddedTable, { kind: "unavailable" }>;

async function findBinary(given: string | undefined): Promise<Binary> {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform === "win32") return { kind: "unavailable", why: "the embedded table does not run on Windows" };
  try {
    const path = given ?? join(dirname(createRequire(import.meta.url).resolve(packageFile(platform))), "dynoxide");
    await access(path, constants.X_OK);
    return { kind: "found", path };
  } catch {
    const what = given ?? `the optional package @dynoxide/${platform}`;
    return { kind: "unavailable", why: `there is no embedded table for ${platform}: ${what} is not installed` };
  }
}

const packageFile = (platform: string): string => `@dynoxide/${platform}/package.json`;

type Launch = RunningTable | { readonly kind: "failed"; readonly said: string };

async function launch(binary: string, dir: string, port: number): Promise<Launch> {
  const flags = ["--host", "127.0.0.1", "--port", String(port), "--db-path", join(dir, stateFiles.table)];
  // Its own session: Ctrl-C in the terminal is for this process, which still needs its table to come to an end in order.
  const child = spawn("/bin/sh", ["-c", launcher, "lookout-table", binary, ...flags], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
    env: {},
  });
  const output = collect(child);
  const gone = once(child, "close").then(output, output);
  child.once("exit", () => child.stdin.end("\n"));
  child.stdin.on("error", () => undefined);
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = (): Promise<void> => end(child);
  const answers = await Promise.race([waitForAnswer(endpoint, output), gone.then(() => false)]);
  if (!answers || child.pid === undefined) {
    await stop();
    return { kind: "failed", said: output() || `no answer within ${msToStart} ms` };
  }
  const processFile = join(dir, stateFiles.tableProcess);
  try {
    await writeWhole(processFile, JSON.stringify(await identifyProcess(child.pid)));
  } catch (error) {
    await stop();
    throw unusableFolder(dir, error);
  }
  const ended = gone.finally(() => rm(processFile, { force: true }));
  return { kind: "running", endpoint, pid: child.pid, ended, stop };
}

/** Answers true once the engine says that it listens, and does; false when it takes too long. */
async function waitForAnswer(endpoint: string, output: () => string): Promise<boolean> {
  const until = performance.now() + msToStart;
  while (performance.now() < until) {
    // Another program could answer at this port, so the engine's own word comes first.
    if (output().includes(endpoint)) {
      const answer = await fetch(endpoint).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) return true;
    }
    await pause(2);
  }
  return false;
}

/** Keeps the end of what a child writes to its error output. */
function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-keptOutput);
  });
  child.once("error", (error) => {
    text += error.message;
  });
  return () => text.trim();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const forced = setTimeout(() => child.kill("SIGKILL"), msToStop);
  await exit;
  clearTimeout(forced);
}

async function stopLeftBehind(processFile: string): Promise<void> {
  const text = await readFile(processFile, "utf8").catch(() => "null");
  const engine = asProcessIdentity(parse(text));
  if (engine === undefined) return;
  const signals = ["SIGTERM", "SIGKILL"] as const;
  for (const signal of signals) {
    const until = performance.now() + msToStop;
    if ((await stillRuns(engine)) === "yes") process.kill(engine.pid, signal);
    while ((await stillRuns(engine)) === "yes" && performance.now() < until) await pause(5);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A port that was free a moment ago, below the range for outgoing connections.
 *
 * From within that range a client that keeps trying to reach a dead engine would sooner or later be given the engine's own port,
 * and connect to itself.
 */
async function freePort(): Promise<number> {
  for (let look = 0; look < 100; look++) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const free = once(server, "listening").then(
      () => true,
      () => false,
    );
    server.listen(port, "127.0.0.1");
    if (!(await free)) continue;
    server.close();
    await once(server, "close");
    return port;
  }
  throw new PermanentError(
    "no free port was found on 127.0.0.1 between 20000 and 32000: end some of the servers there",
  );
}
