import { type ChildProcess, spawn } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** The user and the group `nobody` of Debian. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** The end of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user who has an empty folder, and nothing of this checkout. */
export interface Stranger {
  readonly home: string;
  /** Copies a file into the user's folder, and returns its path there. */
  gets(path: string, name: string): Promise<string>;
  /** Writes a file into the user's folder. */
  writes(name: string, text: string): Promise<void>;
  /** Runs a command in a folder of the user, until it ends. */
  run(command: string, ...arguments_: readonly string[]): Promise<Ended>;
  /** Starts a command that the caller ends. */
  start(command: string, ...arguments_: readonly string[]): ChildProcess;
  leave(): Promise<void>;
}

/**
 * Returns a user with an empty folder. As root, it is the user `nobody`; otherwise the user of the
 * tests.
 *
 * @param programs - programs that the user has in `bin`, besides those of the system. They are copied,
 *   because another user may not read the folders of this one.
 * @param environment - more variables of the user.
 */
export async function stranger(
  programs: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Stranger> {
  const home = await mkdtemp(join(tmpdir(), "lookout-stranger-"));
  const give = async (place: string): Promise<string> => {
    if (isRoot) await chown(place, nobody, nobody);
    return place;
  };
  await chmod(await give(home), 0o755);
  for (const program of programs) await cp(program, join(home, "bin", basename(program)));
  // What a user of this machine needs to reach the package registries.
  const ofMachine = Object.entries(process.env).filter(([name]) =>
    /^(NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|NO_PROXY)$/i.test(name),
  );
  const env = {
    PATH: [join(home, "bin"), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    ...Object.fromEntries(ofMachine),
    ...environment,
  };
  const start: Stranger["start"] = (command, ...arguments_) =>
    spawn(command, arguments_, { cwd: home, env, ...(isRoot ? { uid: nobody, gid: nobody } : {}) });
  return {
    home,
    start,
    async gets(source, name) {
      const target = join(home, name);
      await mkdir(join(target, ".."), { recursive: true });
      await cp(source, target, { recursive: true });
      return give(target);
    },
    async writes(name, text) {
      await writeFile(join(home, name), text);
      await give(join(home, name));
    },
    run: (command, ...arguments_) =>
      new Promise((resolve, reject) => {
        const child = start(command, ...arguments_);
        const said = { stdout: "", stderr: "" };
        for (const which of ["stdout", "stderr"] as const)
          child[which]?.setEncoding("utf8").on("data", (text: string) => (said[which] += text));
        child.once("error", reject);
        child.once("close", (code) => {
          resolve({ code, ...said });
        });
      }),
    leave: () => rm(home, { recursive: true, force: true }),
  };
}

/** The Node that runs the tests. */
export const node = process.execPath;
