import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { account, type Emulator, region } from "./emulator.ts";

const root = join(import.meta.dirname, "../../..");
const program = join(dirname(createRequire(import.meta.url).resolve("aws-cdk/package.json")), "bin/cdk");

/** The `cdk` command in an emulator's account. */
export interface Cdk {
  /** Runs `cdk bootstrap` in the account. */
  bootstrap(): Promise<void>;
  /** Deploys the stack as a user does. Returns its outputs and the output of the command. */
  deploy(): Promise<{ readonly outputs: Readonly<Record<string, string>>; readonly said: string }>;
  /** Removes the stack. */
  destroy(): Promise<void>;
  /** Returns the same commands for another app with the stack. */
  withApp(file: string, more: Readonly<Record<string, string>>): Cdk;
}

/** An app of the CDK, and its environment. */
interface OtherApp {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns the command for a stack of the app in `bin/stack.ts`, or of another app. */
export function cdkFor(emulator: Emulator, stack: string, configuration: string, other?: OtherApp): Cdk {
  const own = { LOOKOUT_STACK: stack, LOOKOUT_CONFIG: configuration, ...other?.environment };
  const environment = { ...emulator.environment, ...own };
  const app = other === undefined ? [] : ["--app", `${process.execPath} ${other.file}`];
  const run = (...words: readonly string[]): Promise<string> => runCdk([...words, ...app], root, environment);
  return {
    // The command runs in another folder, so that it synthesizes no app first.
    async bootstrap() {
      await runCdk(["bootstrap", `aws://${account}/${region}`], tmpdir(), environment);
    },
    deploy: () => inFolder((folder) => deployInto(folder, run, stack)),
    destroy: () =>
      inFolder(async (folder) => {
        await run("destroy", stack, "--force", "--output", join(folder, "cdk.out"));
      }),
    withApp: (file, more) => cdkFor(emulator, stack, configuration, { file, environment: more }),
  };
}

async function deployInto(
  folder: string,
  run: (...words: readonly string[]) => Promise<string>,
  stack: string,
): ReturnType<Cdk["deploy"]> {
  const outputsFile = join(folder, "outputs.json");
  const flags = ["--require-approval", "never", "--progress", "events", "--outputs-file", outputsFile];
  const said = await run("deploy", stack, ...flags, "--output", join(folder, "cdk.out"));
  const outputs = JSON.parse(await readFile(outputsFile, "utf8")) as Record<string, Record<string, string>>;
  return { outputs: outputs[stack] ?? {}, said };
}

async function inFolder<Answer>(command: (folder: string) => Promise<Answer>): Promise<Answer> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-cdk-"));
  try {
    return await command(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the output of the command. A failure contains the end of the output. */
function runCdk(
  words: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const path = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  const home = { HOME: tmpdir(), CDK_DISABLE_CLI_TELEMETRY: "true", CI: "true" };
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { ...home, ...environment, PATH: path }, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [program, ...words], options, (error, output, problem) => {
      if (error === null) resolve(output + problem);
      else reject(new Error(`cdk ${words[0]}: ${(output + problem).slice(-6000)}`, { cause: error }));
    });
  });
}
