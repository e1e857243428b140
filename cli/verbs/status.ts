import type { FreezesView, WorkloadsView } from "#contracts/api";
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
import { resolveWorkload } from "../names.ts";
import { writeAnswer } from "../output.ts";
import { printable } from "../render/printable.ts";
import { renderStatus } from "../render/status.ts";
import { findServer } from "../server.ts";

interface Flags extends ServerFlags {
  readonly output: string;
  readonly wide?: boolean;
}

/** `lookout status [WORKLOAD…]` */
export const addStatus: AddVerb = (program, context) => {
  const command = program
    .command("status")
    .description("what runs, what waits, and why")
    .argument("[workload...]", "[cluster/]namespace/[kind/]name; all when none is named")
    .action((workloads: readonly string[], flags: Flags) => status(context, workloads, flags));
  withExamples(withServer(withWide(withOutput(command, ["table", "json", "yaml", "name"]))), [
    ["lookout status", "every workload that takes part"],
    ["lookout status shop/api", "one of them"],
    ["lookout status --output name", "their names, one a line"],
  ]);
};

async function status({ world }: Context, asked: readonly string[], flags: Flags): Promise<void> {
  const server = await findServer(world, flags);
  const view = await server.get<WorkloadsView>("/v1/workloads", "workloads");
  const known = view.workloads.map(({ workload }) => workload);
  const keys = new Set(asked.map((text) => resolveWorkload(text, known)));
  const shown =
    keys.size === 0 ? view : { ...view, workloads: view.workloads.filter(({ workload }) => keys.has(workload)) };
  const freezes = flags.output === "table" ? (await server.get<FreezesView>("/v1/freezes", "freezes")).freezes : [];
  await writeAnswer(world, flags.output, {
    value: shown,
    text: () => renderStatus(printable(shown), printable(freezes), server.label, lookOf(world, flags)),
    names: () => shown.workloads.map(({ workload }) => workload),
  });
}
