import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { SettingsView } from "#contracts/api/process";
import { checkConfiguration, configurationFileName, type FileProblem } from "#contracts/config/file";
import {
  type AddVerb,
  type Context,
  firstOtherOption,
  type ServerFlags,
  styleOf,
  unknownCommand,
  withExamples,
  withOutput,
  withServer,
} from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { writeAnswer } from "../output.ts";
import { hang, paintMark } from "../render/style.ts";
import { printable } from "../render/printable.ts";
import { renderSettings } from "../render/settings.ts";
import { namesServer } from "../find-server.ts";
import { readChosen, sourcesOf } from "../read-configuration.ts";
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
    .description("show the settings in effect and their sources; the values of secrets are hidden")
    .option("--config <file>", "show the settings of this lookout.yaml, without a server")
    .allowExcessArguments()
    .action(() => {
      const [stray] = command.args;
      if (stray !== undefined) throw unknownCommand(stray, command);
      const flags = command.opts<Flags>();
      if (flags.config !== undefined) refuseBeside(command, ["config", "output"]);
      return show(context, flags);
    });
  withExamples(withServer(withOutput(command, ["table", "json", "yaml", "name"])), [
    ["lookout config", "show the settings of the local process, or of lookout start"],
    ["lookout config --config stage.yaml", "show the settings of this file"],
    ["lookout config check stage.yaml", "check the file"],
  ]);
  addCheck(command, context);
};

function addCheck(group: Command, context: Context): void {
  const command = group
    .command("check")
    .description("check a lookout.yaml; list each problem with its line and column; exit 2 if the file is invalid")
    .argument("[file]", "the file (default: lookout.yaml)")
    .action((file: string | undefined) => {
      // Commander also accepts the options of the parent command here.
      refuseBeside(group, ["output"]);
      return check(context, file, command.optsWithGlobals<Flags>().output);
    });
  withExamples(command, [
    ["lookout config check lookout.yaml", "for a pipeline, before a deployment"],
    ["lookout config check --output json", "list problems as JSON"],
  ]);
}

/** Throws for options that choose a server. A verb that reads a file would ignore them. */
function refuseBeside(command: Command, names: readonly string[]): void {
  const stray = firstOtherOption(command, names);
  if (stray !== undefined)
    throw new Failure(exitCodes.wrongInput, `The command reads a file and needs no server: remove ${stray}.`);
}

async function check({ world, setExitCode }: Context, named: string | undefined, format: string): Promise<void> {
  const file = named ?? configurationFileName;
  // For text output, readSettings throws the problems as a failure.
  const problems = format === "table" ? [] : await problemsOf(world, file);
  const isForPrograms = problems.length > 0;
  const checked = isForPrograms ? undefined : await readChosen(world, named);
  const { channelNotices, channelNoticeText } = await import("#runtime/local/channel-notices");
  const notices = checked === undefined ? [] : await channelNotices(checked.configuration, sourcesOf(world));
  const style = styleOf(world);
  if (isForPrograms) setExitCode(exitCodes.wrongInput);
  await writeAnswer(world, format, {
    value: { file, problems, notices },
    text: () =>
      [
        `${paintMark("✓", style)} ${checked === undefined ? "" : validText(checked.settings)}\n`,
        ...printable(notices).map(
          (notice) => `${hang(`${paintMark("!", style)} `, channelNoticeText(notice), style)}\n`,
        ),
      ].join(""),
    names: () => problems.map(({ line, column }) => `${file}:${line}:${column}`),
  });
}

/** Returns the problems of a file. Empty for an unreadable file, which readSettings reports. */
async function problemsOf({ cwd }: World, file: string): Promise<readonly FileProblem[]> {
  const text = await readFile(resolve(cwd, file), "utf8").catch(() => "");
  const checked = checkConfiguration(text);
  return checked.ok ? [] : checked.problem;
}

function validText({ settings, file }: SettingsView): string {
  if (file === undefined) return "This directory has no lookout.yaml: all settings have their defaults.";
  const written = settings.filter(({ source }) => source === "file").length;
  return `${file} is valid: ${written} ${written === 1 ? "setting" : "settings"}.`;
}

async function show({ world }: Context, flags: Flags): Promise<void> {
  const { view, about } = await effective(world, flags);
  await writeAnswer(world, flags.output, {
    value: view,
    text: () => renderSettings(printable(view), about, styleOf(world)),
    names: () => view.settings.map(({ setting }) => setting),
  });
}

async function effective(world: World, flags: Flags): Promise<{ readonly view: SettingsView; readonly about: string }> {
  const { config } = flags;
  if (config !== undefined)
    return { view: await readSettings(world, config), about: `The settings of ${config}, without a server.` };
  try {
    const server = await findServer(world, flags);
    return { view: await server.ask("readConfiguration"), about: server.label };
  } catch (error) {
    if (namesServer(world, flags) || !(error instanceof Failure) || error.exitCode !== exitCodes.unreachable)
      throw error;
    return {
      view: await readSettings(world, undefined),
      about: `${error.message} lookout start in this directory uses these settings.`,
    };
  }
}

async function readSettings(world: World, file: string | undefined): Promise<SettingsView> {
  const { settings } = await readChosen(world, file);
  return settings;
}
