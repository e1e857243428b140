import { userInfo } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import { nearest } from "#domain/shared/nearest";
import { hasColours, terminalWidth } from "#runtime/text-width";
import { exitCodes, Failure } from "./failure.ts";
import type { Style } from "./render/style.ts";
import type { World } from "./world.ts";

/** The values that the program passes to every verb. */
export interface Context {
  readonly world: World;
  /** Sets the exit code of a verb that ends without a failure. Default: 0. */
  readonly setExitCode: (exitCode: number) => void;
  /** Runs another command. Returns its exit code. */
  readonly run: (typed: readonly string[], surroundings: World) => Promise<number>;
}

/** Adds a verb to the command. */
export type AddVerb = (program: Command, context: Context) => void;

/** The options of every verb that sends requests to a server. */
export interface ServerFlags {
  readonly server?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly data?: string;
  readonly allowHttp?: boolean;
}

/** Adds the options that choose the server. */
export function withServer(command: Command): Command {
  return command
    .option("--server <url>", "the server's address (LOOKOUT_SERVER; default: the local process of this directory)")
    .option("--stack <name>", "the CloudFormation stack of a server on AWS (LOOKOUT_STACK)")
    .option("--region <region>", "the region of the stack (default: AWS_REGION, or the profile's region)")
    .option("--data <folder>", "the state folder of the local process (LOOKOUT_DATA; default: ./.lookout)")
    .option("--allow-http", "send a personal token over plain HTTP to another machine");
}

/** Adds `--output`, and `--no-headers` for a table. The first format is the default. */
export function withOutput(
  command: Command,
  [first, ...others]: readonly [string, ...string[]],
  isWide = first === "table",
): Command {
  const formats = isWide ? [first, "wide", ...others] : [first, ...others];
  command.addOption(choice("-o, --output <format>", "the format of the answer", formats).default(first));
  return first === "table" ? command.option("--no-headers", "no headings") : command;
}

/** Returns an option with a fixed set of values. Its error suggests the nearest value. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((value) => {
    if (values.includes(value)) return value;
    throw new InvalidArgumentError(
      [`Expected one of: ${values.join(", ")}.`, ...suggestions(value, values)].join("\n"),
    );
  });
}

/** Returns the failure for an unknown verb. */
export function unknownCommand(name: string, group: Command): Failure {
  const names = group.commands.map((command) => command.name());
  return new Failure(exitCodes.wrongInput, `Unknown command '${name}'.`, suggestions(name, names));
}

/** Returns a line that suggests the nearest known name. Empty if no name is near. */
export function suggestions(name: string, known: readonly string[]): readonly string[] {
  const suggestion = nearest(name, known);
  return suggestion === undefined ? [] : [`Did you mean ${suggestion}?`];
}

/** Returns the first given option that is not among these names. */
export function firstOtherOption(command: Command, names: readonly string[]): string | undefined {
  const others = command.options.filter((option) => !names.includes(option.attributeName()));
  return others.find((option) => command.getOptionValueSource(option.attributeName()) === "cli")?.long;
}

/** Collects the values of an option that may be repeated. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Adds examples to a verb's help. */
export function withExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const width = Math.max(...examples.map(([typed]) => typed.length));
  const lines = examples.map(([typed, purpose]) => `  ${typed.padEnd(width)}   ${purpose}`.trimEnd());
  return command.addHelpText("after", ["", "Examples:", ...lines].join("\n"));
}

/**
 * Returns the name of the person whom the token proves, else the user's name from the environment,
 * else from the operating system.
 */
export function userOf({ environment }: World, { person }: { readonly person?: string } = {}): string {
  return person ?? environment.USER ?? environment.USERNAME ?? systemUser();
}

/** Returns the operating system's name of the user. In a container, the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** Returns the style of the command's output. */
export function styleOf(
  world: World,
  {
    wide = false,
    output,
    headers = true,
  }: { readonly wide?: boolean; readonly output?: string; readonly headers?: boolean } = {},
): Style {
  return {
    width: terminalWidth(world.columns, world.environment),
    colour: hasColours(world.isTerminal, world.environment),
    now: world.now(),
    timeZone: world.timeZone,
    wide: wide || output === "wide",
    headings: headers,
  };
}
