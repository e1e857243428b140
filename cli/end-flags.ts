import type { Command } from "commander";
import { userOf } from "./context.ts";
import { exitCodes, Failure } from "./failure.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

/** The flags of verbs that end something: who ends it, and why. */
export interface EndFlags {
  readonly by?: string;
  readonly why?: string;
}

/** Adds {@link EndFlags}. */
export function withEnd(command: Command): Command {
  return command
    .option("--why <text>", "the reason, for the history", readReason)
    .option("--by <name>", "your name in the history (default: the name of your token, else USER)");
}

/** Returns who asks, and why, for a request. */
export function endOf({ by, why }: EndFlags, world: World, server: Server): { readonly by: string } & EndFlags {
  return { by: by ?? userOf(world, server), ...(why === undefined ? {} : { why }) };
}

function readReason(text: string): string {
  if (text.trim() !== "") return text;
  throw new Failure(exitCodes.wrongInput, "--why is empty: give the reason, or leave out --why.");
}
