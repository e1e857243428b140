import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A program to run, without a shell. */
export interface ProgramCall {
  /** A path, or a name on the environment's `PATH`. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The text for the program's standard input. */
  readonly input: string;
  readonly timeoutMs: number;
}

/**
 * The end of a program. `text` is the part of a message after the program's name. The text never
 * contains the program's output.
 */
export type ProgramEnd =
  /** `failure` is the exit, such as `exit 1`. Absent after a success. */
  | { readonly kind: "ended"; readonly output: string; readonly failure?: string }
  /** The program took too long and was killed with all its child processes. */
  | { readonly kind: "hangs"; readonly text: string }
  /** The program could not start, or printed too much. */
  | { readonly kind: "unusable"; readonly text: string };

/** The maximum size of the output. Credential helpers and plugins print only a few kilobytes. */
const limitBytes = 64 * 1024;

/** The ids of the running process groups' leaders. */
const running = new Set<number>();
process.on("exit", () => {
  running.forEach(killGroup);
});

/**
 * Runs a program and returns its standard output, at most 64 KiB. Never throws.
 *
 * The program leads its own process group. The group is killed after a timeout, after too much
 * output, and at the end of this process. Standard error is dropped, because it may hold secrets.
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
  // A program may close its input before it reads the whole text.
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
  // A child process that left the group may hold the pipe open forever.
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
    // The group has already ended.
  }
}

function notStarted(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "unknown error";
  return code === "ENOENT" ? "was not found" : `can't be started (${code})`;
}
