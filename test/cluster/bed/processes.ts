import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";

const setpriv = "/usr/bin/setpriv";

export interface Daemon {
  readonly pid: number;
  /** Ends the process with SIGKILL and waits for its end. An ended process is fine. */
  stop(): Promise<void>;
  /** Throws with the end of the log if the process has ended by itself. */
  assertRunning(): Promise<void>;
}

export interface DaemonOptions {
  readonly program: string;
  readonly arguments: readonly string[];
  /** The path of the file for both output streams. */
  readonly log: string;
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();
let killsAtExit = false;

function killAtExit(): void {
  if (killsAtExit) return;
  killsAtExit = true;
  process.on("exit", () => {
    for (const child of running) child.kill("SIGKILL");
  });
}

/**
 * Starts a process that ends with its parent.
 *
 * On Linux, the kernel ends the process, even if the parent is killed. Elsewhere, only an orderly
 * exit of the parent does.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const log = await open(options.log, "a");
  const guarded = existsSync(setpriv);
  const command = guarded ? setpriv : options.program;
  const guard = guarded ? ["--pdeathsig", "KILL", "--", options.program] : [];
  const child = spawn(command, [...guard, ...options.arguments], {
    cwd: options.folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: options.folder, ...options.environment },
    stdio: ["ignore", log.fd, log.fd],
  });
  running.add(child);
  killAtExit();
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      running.delete(child);
      resolve();
    });
    child.once("error", () => {
      running.delete(child);
      resolve();
    });
  });
  await log.close();
  const { pid } = child;
  if (pid === undefined) throw new Error(`could not start ${options.program}`);

  return {
    pid,
    async stop() {
      if (running.has(child)) child.kill("SIGKILL");
      await ended;
    },
    async assertRunning() {
      if (running.has(child)) return;
      const tail = (await readFile(options.log, "utf8")).trimEnd().split("\n").slice(-5).join("\n");
      throw new Error(
        `${basename(options.program)} ended (${child.signalCode ?? child.exitCode}); its log ends:\n${tail}`,
      );
    },
  };
}

/**
 * Runs a program to its end.
 *
 * @returns its standard output.
 * @throws Error with its standard error if it fails or takes longer than a minute.
 */
export function run(
  program: string,
  programArguments: readonly string[],
  options: { readonly input?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...programArguments],
      {
        env: { PATH: process.env["PATH"] ?? "", ...options.environment },
        maxBuffer: 256 * 1024 * 1024,
        timeout: 120_000,
        encoding: "utf8",
      },
      (error, output, problem) => {
        if (error === null) resolve(output);
        else
          reject(new Error(`${basename(program)} ${programArguments.join(" ")}: ${problem.trim() || error.message}`));
      },
    );
    // A program that ends before it has read all input reports this by its exit code.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input ?? "");
  });
}
