import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of programs, first on the `PATH` of its environment. */
export interface ProgramFolder {
  readonly path: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Writes a shell script that notes each of its runs, with what it read; a script that is there
   * already is replaced.
   */
  write(name: string, script: string): Promise<void>;
  /** What each run of a program read on its standard input, in their order. */
  runs(name: string): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export async function programFolder(): Promise<ProgramFolder> {
  const path = await mkdtemp(join(tmpdir(), "lookout-programs-"));
  const noted = (name: string): string => join(path, `${name}.runs`);
  return {
    path,
    environment: { ...process.env, PATH: `${path}:${process.env.PATH ?? ""}` },
    async write(name, script) {
      await writeFile(join(path, name), `#!/bin/sh\ninput=$(cat)\necho "$input" >> '${noted(name)}'\n${script}\n`);
      await chmod(join(path, name), 0o755);
    },
    async runs(name) {
      const text = await readFile(noted(name), "utf8").catch(() => "");
      return text.split("\n").slice(0, -1);
    },
    remove: () => rm(path, { recursive: true }),
  };
}

/**
 * A script that starts another process, writes its number to `file`, and waits with it for ever.
 */
export function hangingScript(file: string): string {
  return `sleep 600 &\necho $! > '${file}'\nwait`;
}

/** Waits until the process whose number is in a file is gone. */
export async function untilGone(file: string): Promise<void> {
  const pid = Number(await readFile(file, "utf8"));
  while (await isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The remains of a process that nobody has waited for yet count as gone. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => undefined);
  // The second field is the program's name in parentheses, which may hold anything.
  return stat !== undefined && !stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
}
