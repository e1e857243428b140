import { InvalidArgumentError } from "commander";
import type { DecisionsView } from "#contracts/api";
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
import { findWorkload, workloadPath } from "../names.ts";
import { writeAnswer } from "../output.ts";
import { decisionName, renderHistory } from "../render/history.ts";
import { printable } from "../render/printable.ts";
import { findServer } from "../server.ts";

interface Flags extends ServerFlags {
  readonly limit: number;
  readonly output: string;
  readonly wide?: boolean;
}

const limits = { default: 20, most: 1_000 } as const;

/** `lookout history WORKLOAD` */
export const addHistory: AddVerb = (program, context) => {
  const command = program
    .command("history")
    .description("what was decided about a workload, the newest first")
    .argument("<workload>", "[cluster/]namespace/[kind/]name")
    .option("--limit <number>", `decisions to show, 1 to ${limits.most}`, readLimit, limits.default)
    .action((workload: string, flags: Flags) => history(context, workload, flags));
  withExamples(withServer(withWide(withOutput(command, ["table", "json", "yaml", "name"]))), [
    ["lookout history shop/api", `the last ${limits.default} decisions`],
    ["lookout history prod/shop/api --limit 200", "more of them"],
  ]);
};

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limits.most) throw new InvalidArgumentError(`Expected a number from 1 to ${limits.most}.`);
  return limit;
}

async function history({ world }: Context, asked: string, flags: Flags): Promise<void> {
  const server = await findServer(world, flags);
  const key = await findWorkload(server, asked);
  const view = await server.get<DecisionsView>(`${workloadPath(key)}/decisions?limit=${flags.limit}`, "decisions");
  await writeAnswer(world, flags.output, {
    value: view,
    text: () => renderHistory(printable(view), lookOf(world, flags)),
    names: () => view.decisions.map((decision) => decisionName(view.workload, decision)),
  });
}
