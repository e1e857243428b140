import type { Command } from "commander";
import { type AddVerb, type ServerFlags, styleOf, withExamples, withOutput, withServer } from "./context.ts";
import { withFilters } from "./filters.ts";
import { type Answer, kindOf, writeAnswer } from "./output.ts";
import type { Style } from "./render/style.ts";
import { withPlace } from "./scopes.ts";
import { findServer, type Server } from "./server.ts";
import type { World } from "./world.ts";

/** The flags of every verb that sends requests to a server. */
interface ServerVerbFlags extends ServerFlags {
  readonly output: string;
  readonly wide?: boolean;
  readonly headers?: boolean;
}

interface ServerVerbInput<Flags> {
  readonly world: World;
  readonly server: Server;
  readonly flags: Flags & ServerVerbFlags;
  readonly style: Style;
}

/** The declaration of an argument for commander. `read` throws a Failure for invalid text. */
type Parameter = readonly [usage: string, description: string, read?: (text: string) => unknown];

const scopeOptions = { place: withPlace, filters: withFilters } as const;

/** A verb that sends requests to a server and writes the answer. */
interface ServerVerb<Arguments extends readonly unknown[], Flags> {
  readonly name: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  /** Adds the verb's own options. */
  readonly options?: (command: Command) => Command;
  /**
   * The flags of kubectl: `place` adds `-n`, `-A` and `--cluster`, and `filters` also adds `-l`,
   * `--state`, `--image` and `--sort-by`.
   */
  readonly scope?: keyof typeof scopeOptions;
  /** The values of `--output`. The first is the default. */
  readonly formats: readonly [string, ...string[]];
  /** Adds `--wide`, for verbs that show digests. */
  readonly wide?: true;
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  /** Answers before a server is found. Undefined if the verb needs the server. */
  readonly withoutServer?: (
    input: Omit<ServerVerbInput<Flags>, "server">,
    ...arguments_: Arguments
  ) => Promise<Answer | undefined>;
  readonly answer: (input: ServerVerbInput<Flags>, ...arguments_: Arguments) => Promise<Answer>;
}

/** Returns a function that adds the verb to the command. */
export function serverVerb<Arguments extends readonly unknown[] = [], Flags extends object = object>({
  name,
  description,
  parameters = [],
  options,
  scope,
  formats,
  wide,
  examples,
  withoutServer,
  answer,
}: ServerVerb<Arguments, Flags>): AddVerb {
  return (program, { world, setExitCode }) => {
    const command = program.command(name).description(description);
    for (const [usage, text, read] of parameters)
      if (read === undefined) command.argument(usage, text);
      else command.argument(usage, text, read);
    if (scope !== undefined) scopeOptions[scope](command);
    options?.(command);
    if (wide === true) command.option("--wide", "show whole digests");
    withExamples(withServer(withOutput(command, formats, wide === true || formats[0] === "table")), examples);
    command.action(async () => {
      // If a group has the same option, commander gives the value to the group.
      const flags = command.optsWithGlobals<Flags & ServerVerbFlags>();
      const arguments_ = command.processedArgs as readonly unknown[] as Arguments;
      const input = { world, flags, style: styleOf(world, flags) };
      const answered =
        (await withoutServer?.(input, ...arguments_)) ??
        (await answer({ ...input, server: await findServer(world, flags) }, ...arguments_));
      await writeAnswer(world, flags.output, answered, kindOf(command));
      await answered.afterwards?.();
      if (answered.exitCode !== undefined) setExitCode(answered.exitCode);
    });
  };
}
