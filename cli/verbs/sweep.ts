import { serverVerb } from "../server-verb.ts";
import { exitCodes } from "../failure.ts";
import { printable } from "../render/printable.ts";
import { renderSweep } from "../render/sweep.ts";

/** `lookout sweep [REPOSITORY]` */
export const addSweep = serverVerb({
  name: "sweep",
  description: "look for missed pushes in registries now",
  parameters: [["[repository]", "registry/path, as in an image without a tag (default: all)"]],
  formats: ["table", "json", "yaml", "name"],
  examples: [
    ["lookout sweep", "sweep the repositories of all tracked workloads"],
    ["lookout sweep registry.example.com/shop/api", "sweep one repository"],
  ],
  async answer({ server, style }, imageName: string | undefined) {
    const view = await server.ask("sweepNow", { body: imageName === undefined ? {} : { imageName } });
    const complete = view.notReached.length === 0 && view.repositories.every(({ problem }) => problem === undefined);
    return {
      value: view,
      text: () => renderSweep(printable(view), style),
      names: () => view.repositories.map((swept) => swept.imageName),
      exitCode: complete ? exitCodes.done : exitCodes.notSo,
    };
  },
});
