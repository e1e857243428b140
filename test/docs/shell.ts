import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { project } from "./markdown.ts";

/** What a command came to. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that goes on until it is stopped. */
export interface Running {
  /**
   * Answers what it has written, once that holds what is waited for. Rejects when it ends, or in
   * half a minute, without.
   */
  says(what: RegExp): Promise<string>;
  /** Presses Ctrl-C, and answers how it ended. */
  interrupt(): Promise<Ran>;
}

/** A folder in which commands run as they do in a checkout of the project, without touching it. */
export interface Scratch {
  readonly folder: string;
  run(command: string, environment?: Readonly<Record<string, string>>): Promise<Ran>;
  start(command: string, environment?: Readonly<Record<string, string>>): Running;
  /** Stops what still runs, and removes the folder. */
  close(): Promise<void>;
}

/**
 * What people have in their shell; of the variables that npm sets for its own children none must
 * reach a command.
 */
const kept = ["PATH", "HOME", "USER", "LANG", "TMPDIR", "SystemRoot"] as const;

/** Runs `npx lookout` without npx, which takes longer than the command itself. */
const withoutNpx = 'npx() { if [ "$1" = lookout ]; then node bin/lookout.js "${@:2}"; else command npx "$@"; fi; }';

/** Opens a folder that shows the project, with files of its own beside it. */
export function openScratch(files: Readonly<Record<string, string>>): Scratch {
  const folder = mkdtempSync(join(tmpdir(), "lookout-docs-"));
  const shown = readdirSync(project).filter((name) => !name.startsWith(".") && files[name] === undefined);
  for (const name of shown) symlinkSync(join(project, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const children = new Set<Child>();
  const open = (command: string, environment: Readonly<Record<string, string>> = {}): Child => {
    const child = childOf(command, folder, environment);
    children.add(child);
    void child.ended.then(() => children.delete(child));
    return child;
  };
  return {
    folder,
    run: (command, environment) => open(command, environment).ended,
    start(command, environment) {
      const child = open(command, environment);
      return { says: (what) => child.says(what), interrupt: () => child.stop("SIGINT") };
    },
    async close() {
      await Promise.all([...children].map((child) => child.stop("SIGTERM")));
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

interface Child extends Pick<Running, "says"> {
  readonly ended: Promise<Ran>;
  stop(signal: NodeJS.Signals): Promise<Ran>;
}

function childOf(command: string, cwd: string, environment: Readonly<Record<string, string>>): Child {
  const own = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  // A group of its own, as a terminal's: Ctrl-C reaches npm and what it has started.
  const child = spawn("bash", ["-c", `${withoutNpx}\n${command}`], {
    cwd,
    env: { ...own, ...environment },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const listen of listeners) listen();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ran>((resolve) =>
    child.on("close", (code) => {
      resolve({ code, stdout, stderr });
    }),
  );
  return {
    ended,
    says: (what) =>
      new Promise((resolve, reject) => {
        const fail = (why: string): void => {
          reject(new Error(`${command} ${why} saying ${String(what)}:\n${stdout}\n${stderr}`));
        };
        const timer = setTimeout(() => {
          fail("went half a minute without");
        }, 30_000);
        const look = (): void => {
          if (!what.test(stdout)) return;
          clearTimeout(timer);
          listeners.delete(look);
          resolve(stdout);
        };
        listeners.add(look);
        look();
        void ended.then(() => {
          clearTimeout(timer);
          fail("ended without");
        });
      }),
    stop(signal) {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
      return ended;
    },
  };
}
