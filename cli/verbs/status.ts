import type { FreezesView } from "#contracts/api/freezes";
import type { RepositoriesView } from "#contracts/api/repositories";
import type { WorkloadsView } from "#contracts/api/workloads";
import { asking } from "../asking.ts";
import { resolveWorkload } from "../names.ts";
import { printable } from "../render/printable.ts";
import { type Beside, renderStatus } from "../render/status.ts";
import type { Server } from "../server.ts";
import { readWorkloads } from "../workloads.ts";

/** `lookout status [WORKLOAD…]` */
export const addStatus = asking({
  name: "status",
  tells: "what runs, what waits, and why",
  takes: [["[workload...]", "[cluster/]namespace/[kind/]name; all when none is named"]],
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout status", "every workload that is tracked"],
    ["lookout status shop/api", "one of them"],
    ["lookout status --output name", "their names, one a line"],
  ],
  async answer({ server, flags, look }, asked: readonly string[]) {
    const view = await readWorkloads(server);
    const shown = only(asked, view);
    const beside = flags.output === "table" ? await readBeside(server) : { freezes: [], repositories: [] };
    return {
      value: shown,
      text: () => renderStatus(printable(shown), printable(beside), server.label, look),
      names: () => shown.workloads.map(({ workload }) => workload),
    };
  },
});

/** What stands under the table. */
async function readBeside(server: Server): Promise<Beside> {
  const [{ freezes }, { repositories }] = await Promise.all([
    server.get<FreezesView>("/v1/freezes", "freezes"),
    server.get<RepositoriesView>("/v1/repositories", "repositories"),
  ]);
  return { freezes, repositories };
}

function only(asked: readonly string[], view: WorkloadsView): WorkloadsView {
  if (asked.length === 0) return view;
  const known = view.workloads.map(({ workload }) => workload);
  const keys = new Set(asked.map((text) => resolveWorkload(text, known)));
  return { ...view, workloads: view.workloads.filter(({ workload }) => keys.has(workload)) };
}
