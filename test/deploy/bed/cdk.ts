import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { account, type Emulator, region } from "./emulator.ts";

const root = join(import.meta.dirname, "../../..");
const program = join(dirname(createRequire(import.meta.url).resolve("aws-cdk/package.json")), "bin/cdk");

/** The `cdk` command in an emulator's account, and what it deployed. */
export interface Cdk {
  /** Makes the account one that can be deployed to. */
  bootstrap(): Promise<void>;
  /** Deploys the stack as a user does, and answers its outputs, and what the command said. */
  deploy(): Promise<{ readonly outputs: Readonly<Record<string, string>>; readonly said: string }>;
  /** Removes the stack. */
  destroy(): Promise<void>;
}

/** Makes the command for a stack of the app in `bin/stack.ts`. */
export function cdkFor(emulator: Emulator, stack: string, configuration: string): Cdk {
  const environment = { ...emulator.environment, LOOKOUT_STACK: stack, LOOKOUT_CONFIG: configuration };
  const run = (...words: readonly string[]): Promise<string> => runCdk(words, root, environment);
  return {
    // Elsewhere, so that there is no app to be synthesized first.
    async bootstrap() {
      await runCdk(["bootstrap", `aws://${account}/${region}`], tmpdir(), environment);
    },
    deploy: () => inFolder((folder) => deployInto(folder, run, stack)),
    destroy: () =>
      inFolder(async (folder) => {
        await run("destroy", stack, "--force", "--output", join(folder, "cdk.out"));
      }),
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

/** Answers all that it said; a failure names the end of it. */
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
