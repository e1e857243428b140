import type { LiftView } from "#contracts/api";
import {
  type AddVerb,
  type Context,
  lookOf,
  type ServerFlags,
  withExamples,
  withOutput,
  withServer,
} from "../context.ts";
import { findWorkload, workloadPath } from "../names.ts";
import { writeAnswer } from "../output.ts";
import { paintMark } from "../render/look.ts";
import { findServer } from "../server.ts";

interface Flags extends ServerFlags {
  readonly output: string;
}

/** `lookout lift WORKLOAD` */
export const addLift: AddVerb = (program, context) => {
  const command = program
    .command("lift")
    .description("let updates of a workload go on: lifts the hold after a person's rollback, and refused digests")
    .argument("<workload>", "[cluster/]namespace/[kind/]name")
    .action((workload: string, flags: Flags) => lift(context, workload, flags));
  withExamples(withServer(withOutput(command, ["text", "json", "yaml"])), [
    ["lookout lift shop/api", "its policy is asked again at once"],
  ]);
};

async function lift({ world }: Context, asked: string, flags: Flags): Promise<void> {
  const server = await findServer(world, flags);
  const key = await findWorkload(server, asked);
  const view = await server.post<LiftView>(`${workloadPath(key)}/lift`, "refusals");
  await writeAnswer(world, flags.output, {
    value: view,
    text: () => `${paintMark("✓", lookOf(world))} ${key}: ${lifted(view)}\n`,
  });
}

function lifted({ hold, refusals }: LiftView): string {
  const refused = `${refusals} refused ${refusals === 1 ? "digest" : "digests"}`;
  if (hold && refusals > 0) return `the hold and ${refused} are lifted. Its policy is asked again.`;
  if (hold) return "the hold is lifted. Its policy is asked again.";
  if (refusals > 0) return `${refused} ${refusals === 1 ? "is" : "are"} lifted. Its policy is asked again.`;
  return "there was nothing to lift.";
}
