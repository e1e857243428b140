import type { Command } from "commander";
import { type AddVerb, lookOf, type ServerFlags, withExamples, withOutput, withServer } from "./context.ts";
import { type Answer, writeAnswer } from "./output.ts";
import type { Look } from "./render/look.ts";
import { findServer, type Server } from "./server.ts";
import type { World } from "./world.ts";

/** Flags of every verb that asks a Lookout. */
export interface AskingFlags extends ServerFlags {
  readonly output: string;
  readonly wide?: boolean;
}

/** What a verb is asked with. */
export interface Asking<Flags> {
  readonly world: World;
  readonly server: Server;
  readonly flags: Flags & AskingFlags;
  readonly look: Look;
}

/** An argument: how it is written (`<workload>`), what it is, and what reads it; that throws a Failure for what it can't read. */
type Argument = readonly [usage: string, description: string, read?: (text: string) => unknown];

/** A verb that asks a Lookout one thing and writes the answer. */
export interface AskingVerb<Typed extends readonly unknown[], Flags> {
  readonly name: string;
  readonly tells: string;
  readonly takes?: readonly Argument[];
  /** Adds the options that it alone has. */
  readonly options?: (command: Command) => Command;
  /** What `--output` may be; the first is the default. */
  readonly formats: readonly [string, ...string[]];
  /** It shows digests, which `--wide` shows whole. */
  readonly wide?: true;
  readonly examples: readonly (readonly [typed: string, purpose: string])[];
  /** Asks, with the arguments in their order. */
  readonly answer: (asking: Asking<Flags>, ...typed: Typed) => Promise<Answer>;
}

/** Makes a verb of what is particular to it. */
export function asking<Typed extends readonly unknown[] = [], Flags extends object = object>(
  verb: AskingVerb<Typed, Flags>,
): AddVerb {
  return (program, { world, endWith }) => {
    const command = withServer(withOutput(described(program.command(verb.name), verb), verb.formats));
    command.action(async () => {
      const flags = command.opts<Flags & AskingFlags>();
      const server = await findServer(world, flags);
      const look = lookOf(world, flags);
      const typed = command.processedArgs as readonly unknown[] as Typed;
      const answer = await verb.answer({ world, server, flags, look }, ...typed);
      await writeAnswer(world, flags.output, answer);
      if (answer.exitCode !== undefined) endWith(answer.exitCode);
    });
    withExamples(command, verb.examples);
  };
}

function described<Typed extends readonly unknown[], Flags>(
  command: Command,
  { tells, takes = [], options, wide }: AskingVerb<Typed, Flags>,
): Command {
  command.description(tells);
  for (const [usage, description, read] of takes)
    if (read === undefined) command.argument(usage, description);
    else command.argument(usage, description, read);
  options?.(command);
  return wide === true ? command.option("--wide", "show whole digests") : command;
}
