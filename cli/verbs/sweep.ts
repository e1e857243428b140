import type { SweepRequest, SweepView } from "#contracts/sweep-api";
import {
  type AddVerb,
  type Context,
  lookOf,
  type ServerFlags,
  withExamples,
  withOutput,
  withServer,
} from "../context.ts";
import { exitCodes } from "../failure.ts";
import { writeAnswer } from "../output.ts";
import { printable } from "../render/printable.ts";
import { renderSweep } from "../render/sweep.ts";
import { findServer } from "../server.ts";

interface Flags extends ServerFlags {
  readonly output: string;
}

/** `lookout sweep [REPOSITORY]` */
export const addSweep: AddVerb = (program, context) => {
  const command = program
    .command("sweep")
    .description("look now for pushes that nobody told of, as happens by itself every five minutes")
    .argument("[repository]", "registry/path, as in an image without its tag; all when none is named")
    .action((repository: string | undefined, flags: Flags) => sweep(context, repository, flags));
  withExamples(withServer(withOutput(command, ["table", "json", "yaml", "name"])), [
    ["lookout sweep", "every repository that a workload has an image of"],
    ["lookout sweep registry.example.com/shop/api", "one of them"],
  ]);
};

async function sweep({ world, endWith }: Context, repository: string | undefined, flags: Flags): Promise<void> {
  const server = await findServer(world, flags);
  const request: SweepRequest = repository === undefined ? {} : { repository };
  const view = await server.post<SweepView>("/v1/sweep", "repositories", request);
  await writeAnswer(world, flags.output, {
    value: view,
    text: () => renderSweep(printable(view), lookOf(world)),
    names: () => view.repositories.map((swept) => swept.repository),
  });
  const complete = view.notReached.length === 0 && view.repositories.every(({ problem }) => problem === undefined);
  if (!complete) endWith(exitCodes.notSo);
}
