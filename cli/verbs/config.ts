import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { SettingsView } from "#contracts/api/process";
import { checkConfiguration, configurationFileName, type FileProblem } from "#contracts/config/file";
import {
  type AddVerb,
  type Context,
  lookOf,
  type ServerFlags,
  typedBeside,
  withExamples,
  withOutput,
  withServer,
} from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { writeAnswer } from "../output.ts";
import { paintMark } from "../render/look.ts";
import { printable } from "../render/printable.ts";
import { renderSettings } from "../render/settings.ts";
import { findServer } from "../server.ts";
import type { World } from "../world.ts";

interface Flags extends ServerFlags {
  readonly config?: string;
  readonly output: string;
}

/** `lookout config [check]` */
export const addConfig: AddVerb = (program, context) => {
  const command = program
    .command("config")
    .description("the settings in effect, and where each is from; secrets are only said to be set")
    .option("--config <file>", "what this lookout.yaml would give, without asking a process")
    .action(() => {
      const flags = command.opts<Flags>();
      if (flags.config !== undefined) refuseBeside(command, ["config", "output"]);
      return show(context, flags);
    });
  withExamples(withServer(withOutput(command, ["table", "json", "yaml", "name"])), [
    ["lookout config", "of the process of this directory; without one, what a start here would take"],
    ["lookout config --config stage.yaml", "what this file would give"],
    ["lookout config check stage.yaml", "whether it can be understood"],
  ]);
  addCheck(command, context);
};

function addCheck(group: Command, context: Context): void {
  const command = group
    .command("check")
    .description("whether a lookout.yaml can be understood: every problem with its line and column; exit 2 when not")
    .argument("[file]", "default: lookout.yaml")
    .action((file: string | undefined) => {
      // The options of the group are understood here too.
      refuseBeside(group, ["output"]);
      return check(context, file, command.optsWithGlobals<Flags>().output);
    });
  withExamples(command, [
    ["lookout config check lookout.yaml", "in a pipeline, before it is used"],
    ["lookout config check --output json", "the problems, for programs; exit 2 all the same"],
  ]);
}

/** Beside a file, options that say which Lookout is asked would be ignored. */
function refuseBeside(command: Command, names: readonly string[]): void {
  const stray = typedBeside(command, names);
  if (stray !== undefined)
    throw new Failure(exitCodes.wrongInput, `A file is read, and no Lookout is asked: leave out ${stray}.`);
}

async function check({ world, endWith }: Context, named: string | undefined, format: string): Promise<void> {
  const file = named ?? configurationFileName;
  const problems = await problemsOf(world, file);
  // In words they are told as any other failure.
  const isForPrograms = format !== "table" && problems.length > 0;
  const checked = isForPrograms ? undefined : await readSettings(world, named);
  if (isForPrograms) endWith(exitCodes.wrongInput);
  await writeAnswer(world, format, {
    value: { file, problems },
    text: () => `${paintMark("✓", lookOf(world))} ${checked === undefined ? "" : fineText(checked)}\n`,
    names: () => problems.map(({ line, column }) => `${file}:${line}:${column}`),
  });
}

/** None of a file that is not there or can't be read: what that means is told by whoever needs it. */
async function problemsOf({ cwd }: World, file: string): Promise<readonly FileProblem[]> {
  const text = await readFile(resolve(cwd, file), "utf8").catch(() => "");
  const checked = checkConfiguration(text);
  return checked.ok ? [] : checked.problem;
}

function fineText({ settings, file }: SettingsView): string {
  if (file === undefined) return "There is no lookout.yaml here: everything is a default.";
  const written = settings.filter(({ source }) => source === "file").length;
  return `${file} is fine: ${written} ${written === 1 ? "setting" : "settings"}.`;
}

async function show({ world }: Context, flags: Flags): Promise<void> {
  const { view, about } = await effective(world, flags);
  await writeAnswer(world, flags.output, {
    value: view,
    text: () => renderSettings(printable(view), about, lookOf(world)),
    names: () => view.settings.map(({ setting }) => setting),
  });
}

interface Effective {
  readonly view: SettingsView;
  readonly about: string;
}

async function effective(world: World, flags: Flags): Promise<Effective> {
  const { config } = flags;
  if (config !== undefined)
    return { view: await readSettings(world, config), about: `What ${config} would give; no process was asked.` };
  try {
    const server = await findServer(world, flags);
    return { view: await server.get<SettingsView>("/v1/configuration", "settings"), about: server.label };
  } catch (error) {
    if (isNamed(world, flags) || !(error instanceof Failure) || error.exitCode !== exitCodes.unreachable) throw error;
    return { view: await readSettings(world, undefined), about: `${error.message} This is what a start would take.` };
  }
}

/** Someone else's settings are not those of a start here. */
function isNamed({ environment }: World, { server, stack }: Flags): boolean {
  const names = [server, stack, environment.LOOKOUT_SERVER, environment.LOOKOUT_STACK];
  return names.some((name) => (name ?? "") !== "");
}

/** The file is read as `lookout start` reads it. */
async function readSettings({ cwd, environment }: World, file: string | undefined): Promise<SettingsView> {
  const { chooseConfiguration } = await import("#runtime/local/chosen-configuration");
  const flags = file === undefined ? {} : { config: file };
  const { settings } = await chooseConfiguration(flags, {
    environment,
    readFile: (path) => readFile(resolve(cwd, path), "utf8"),
  });
  return settings;
}
