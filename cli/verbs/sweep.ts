import type { SweepRequest, SweepView } from "#contracts/api/repositories";
import { asking } from "../asking.ts";
import { exitCodes } from "../failure.ts";
import { printable } from "../render/printable.ts";
import { renderSweep } from "../render/sweep.ts";

/** `lookout sweep [REPOSITORY]` */
export const addSweep = asking({
  name: "sweep",
  tells: "look now for pushes that nobody told of, as happens by itself every five minutes",
  takes: [["[repository]", "registry/path, as in an image without its tag; all when none is named"]],
  formats: ["table", "json", "yaml", "name"],
  examples: [
    ["lookout sweep", "every repository that a workload has an image of"],
    ["lookout sweep registry.example.com/shop/api", "one of them"],
  ],
  async answer({ server, look }, repository: string | undefined) {
    const request: SweepRequest = repository === undefined ? {} : { repository };
    const view = await server.post<SweepView>("/v1/sweep", "repositories", request);
    const complete = view.notReached.length === 0 && view.repositories.every(({ problem }) => problem === undefined);
    return {
      value: view,
      text: () => renderSweep(printable(view), look),
      names: () => view.repositories.map((swept) => swept.repository),
      exitCode: complete ? exitCodes.done : exitCodes.notSo,
    };
  },
});
