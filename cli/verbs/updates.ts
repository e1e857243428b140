import type { UpdatesView } from "#contracts/api";
import {
  type AddVerb,
  type Context,
  lookOf,
  type ServerFlags,
  withExamples,
  withOutput,
  withServer,
} from "../context.ts";
import { writeAnswer } from "../output.ts";
import { printable } from "../render/printable.ts";
import { renderUpdates, updateName } from "../render/updates.ts";
import { findServer } from "../server.ts";

interface Flags extends ServerFlags {
  readonly output: string;
}

/** `lookout updates` */
export const addUpdates: AddVerb = (program, context) => {
  const command = program
    .command("updates")
    .description("every update that is open, and the last that ended of each workload")
    .action((flags: Flags) => updates(context, flags));
  withExamples(withServer(withOutput(command, ["table", "json", "yaml", "name"])), [
    ["lookout updates", "the newest first"],
    ["lookout updates --output json", "with sources, times and digests"],
  ]);
};

async function updates({ world }: Context, flags: Flags): Promise<void> {
  const server = await findServer(world, flags);
  const view = await server.get<UpdatesView>("/v1/updates", "updates");
  await writeAnswer(world, flags.output, {
    value: view,
    text: () => renderUpdates(printable(view), lookOf(world)),
    names: () => view.updates.map(updateName),
  });
}
