import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A program to run, without a shell. */
export interface ProgramCall {
  /** A path, or a name that is looked for on the environment's `PATH`. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What it reads on its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
}

/** What became of a program. `text` says it to people, behind the program's name; nothing of what it printed is in it. */
export type ProgramEnd =
  /** `failure`: how it ended, such as `exit 1`; absent where it succeeded. */
  | { readonly kind: "ended"; readonly output: string; readonly failure?: string }
  /** It was killed, with everything that it had started. */
  | { readonly kind: "hangs"; readonly text: string }
  /** It could not be started, or printed without end. */
  | { readonly kind: "unusable"; readonly text: string };

/** The answers of credential helpers and plugins are a few kilobytes. */
const limitBytes = 64 * 1024;

/** The process groups that run now, by the process that leads them. */
const running = new Set<number>();
process.on("exit", () => {
  running.forEach(killGroup);
});

/**
 * Runs a program to its end and answers what it printed on its standard output, at most 64 KiB.
 *
 * It leads a process group of its own, which is killed when it takes too long, prints too much, or this process ends. Its error output is
 * thrown away: it may hold anything. Never throws.
 */
export async function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  const child = spawn(call.program, call.arguments, {
    env: call.environment,
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  const ended = outcomeOf(child);
  // A program need not read what it is given.
  child.stdin.on("error", () => undefined).end(call.input);
  const { promise: late, resolve } = Promise.withResolvers<ProgramEnd>();
  const timer = setTimeout(() => {
    resolve({ kind: "hangs", text: `did not answer within ${call.timeoutMs / 1000} s` });
  }, call.timeoutMs);

  const end = await Promise.race([ended, late]);
  clearTimeout(timer);
  if (pid !== undefined) {
    if (end.kind !== "ended") killGroup(pid);
    running.delete(pid);
  }
  // What left the group may hold the pipe open for ever.
  child.stdout.destroy();
  return end;
}

function outcomeOf(child: ChildProcessByStdio<Writable, Readable, null>): Promise<ProgramEnd> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    child.on("error", (error) => {
      resolve({ kind: "unusable", text: notStarted(error) });
    });
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else resolve({ kind: "unusable", text: `printed more than ${limitBytes / 1024} KiB` });
    });
    child.on("close", (code, signal) => {
      const output = Buffer.concat(chunks).toString("utf8");
      resolve({ kind: "ended", output, ...(code === 0 ? {} : { failure: signal ?? `exit ${String(code)}` }) });
    });
  });
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function notStarted(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "unknown error";
  return code === "ENOENT" ? "is not there" : `can't be started (${code})`;
}
