import { userInfo } from "node:os";
import { type Command, Option } from "commander";
import { exitCodes, Failure } from "./failure.ts";
import type { Look } from "./render/look.ts";
import type { World } from "./world.ts";

/** What a verb is given. */
export interface Context {
  readonly world: World;
  /** Sets the exit code of a verb that ends without a failure; 0 where it says nothing. */
  readonly endWith: (exitCode: number) => void;
}

/** Adds a verb to the command. */
export type AddVerb = (program: Command, context: Context) => void;

/** Options of every verb that asks a server. */
export interface ServerFlags {
  readonly server?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly data?: string;
}

/** Adds the options that say which Lookout is asked. */
export function withServer(command: Command): Command {
  return command
    .option("--server <url>", "the Lookout to ask (LOOKOUT_SERVER; default: the process of this directory)")
    .option("--stack <name>", "the Lookout that is deployed as this stack on AWS (LOOKOUT_STACK)")
    .option("--region <region>", "the region of that stack (default: AWS_REGION, or the profile's)")
    .option("--data <folder>", "the state folder of that process (LOOKOUT_DATA; default: ./.lookout)");
}

/** Adds `--output`; the first format is the default. */
export function withOutput(command: Command, formats: readonly [string, ...string[]]): Command {
  const option = new Option("-o, --output <format>", "how to write the answer").choices(formats).default(formats[0]);
  return command.addOption(option);
}

/** Adds `--batch`: a question on each line of the input, an answer on each line of the output. Beside it nothing else is taken. */
export function withBatch(command: Command): Command {
  return command
    .option("--batch", "answer JSON Lines from the input, one by one; exit 2 when a line is no question")
    .hook("preAction", (_, action) => {
      if (action.getOptionValue("batch") !== true) return;
      const stray = action.args[0] ?? typedBeside(action, ["batch"]);
      if (stray !== undefined)
        throw new Failure(exitCodes.wrongInput, `--batch reads its questions from the input: leave out ${stray}.`);
    });
}

/** Answers an option of a command that was typed, other than these. */
export function typedBeside(command: Command, names: readonly string[]): string | undefined {
  const others = command.options.filter((option) => !names.includes(option.attributeName()));
  return others.find((option) => command.getOptionValueSource(option.attributeName()) === "cli")?.long;
}

/** Gathers the values of an option that may be given more than once. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Adds examples to a verb's help: what is typed, and what it is for. */
export function withExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const width = Math.max(...examples.map(([typed]) => typed.length));
  const lines = examples.map(([typed, purpose]) => `  ${typed.padEnd(width)}   ${purpose}`.trimEnd());
  return command.addHelpText("after", ["", "Examples:", ...lines].join("\n"));
}

/** Names who runs the command: as the environment says, else as the system knows the user of this process. */
export function userOf({ environment }: World): string {
  return environment.USER ?? environment.USERNAME ?? systemUser();
}

/** A user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** How text looks on what the command writes to. */
export function lookOf(world: World, flags: { readonly wide?: boolean } = {}): Look {
  const noColour = world.environment.NO_COLOR;
  return {
    width: world.columns,
    colour: world.isTerminal && (noColour === undefined || noColour === ""),
    now: world.now(),
    timeZone: world.timeZone,
    wide: flags.wide ?? false,
  };
}
