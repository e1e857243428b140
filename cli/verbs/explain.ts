import type { ExplanationView } from "#contracts/api";
import {
  type AddVerb,
  type Context,
  lookOf,
  type ServerFlags,
  withExamples,
  withOutput,
  withServer,
  withWide,
} from "../context.ts";
import { exitCodes } from "../failure.ts";
import { findWorkload, workloadPath } from "../names.ts";
import { writeAnswer } from "../output.ts";
import { renderExplanation } from "../render/explain.ts";
import { explainTag } from "../render/explain-tag.ts";
import { printable } from "../render/printable.ts";
import { findServer } from "../server.ts";

interface Flags extends ServerFlags {
  readonly output: string;
  readonly wide?: boolean;
}

/** `lookout explain WORKLOAD [TAG]` */
export const addExplain: AddVerb = (program, context) => {
  const command = program
    .command("explain")
    .description("why a workload runs what it runs: every gate, every rejected tag")
    .argument("<workload>", "[cluster/]namespace/[kind/]name")
    .argument("[tag]", "why this tag is elected, or not; exit 1 when no policy of the workload saw it")
    .action((workload: string, tag: string | undefined, flags: Flags) => explain(context, { workload, tag }, flags));
  withExamples(withServer(withWide(withOutput(command, ["text", "json", "yaml"]))), [
    ["lookout explain shop/api", "what it wants, and what stands in the way"],
    ["lookout explain prod/shop/api 1.5.0", "why 1.5.0 is elected, or not"],
    ["lookout explain shop/sts/db --output json", "everything, with every rejected tag"],
  ]);
};

async function explain(
  { world, endWith }: Context,
  asked: { readonly workload: string; readonly tag: string | undefined },
  flags: Flags,
): Promise<void> {
  const server = await findServer(world, flags);
  const key = await findWorkload(server, asked.workload);
  const view = await server.get<ExplanationView>(`${workloadPath(key)}/explanation`, "elections");
  const look = lookOf(world, flags);
  await writeAnswer(world, flags.output, {
    value: view,
    text: () => renderExplanation(printable(view), asked.tag, look),
  });
  if (asked.tag !== undefined && !explainTag(view, asked.tag, look).known) endWith(exitCodes.notSo);
}
