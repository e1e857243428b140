import type { WorkloadsView } from "#contracts/api/workloads";
import { serverVerb } from "../server-verb.ts";
import { resolveWorkload } from "../names.ts";
import { printable } from "../render/printable.ts";
import { renderStatus, type StatusFooter } from "../render/status.ts";
import type { Server } from "../server.ts";
import { readWorkloads, workloadNames } from "../workloads.ts";

/** `lookout status [WORKLOAD…]` */
export const addStatus = serverVerb({
  name: "status",
  description: "list the workloads: running image, desired image and state",
  parameters: [["[workload...]", "[cluster/]namespace/[kind/]name (default: all)"]],
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout status", "list all tracked workloads"],
    ["lookout status shop/api", "show one workload"],
    ["lookout status --output name", "list names, one per line"],
  ],
  async answer({ server, flags, style }, names: readonly string[]) {
    const shown = only(names, await readWorkloads(server));
    const footer = flags.output === "table" ? await readFooter(server) : { freezes: [], repositories: [] };
    return {
      value: shown,
      text: () => renderStatus(printable(shown), printable(footer), server.label, style),
      names: () => workloadNames(shown),
    };
  },
});

async function readFooter(server: Server): Promise<StatusFooter> {
  const [{ freezes }, { repositories }] = await Promise.all([
    server.ask("listFreezes"),
    server.ask("listRepositories"),
  ]);
  return { freezes, repositories };
}

function only(names: readonly string[], view: WorkloadsView): WorkloadsView {
  if (names.length === 0) return view;
  const known = workloadNames(view);
  const keys = new Set(names.map((text) => resolveWorkload(text, known)));
  const { workloads, unreadable = [], ...rest } = view;
  const unreadableHere = unreadable.filter(({ workload }) => workload === undefined || keys.has(workload));
  return {
    ...rest,
    workloads: workloads.filter(({ workload }) => keys.has(workload)),
    ...(unreadableHere.length === 0 ? {} : { unreadable: unreadableHere }),
  };
}
