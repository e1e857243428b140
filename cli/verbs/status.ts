import type { FreezesView, WorkloadsView } from "#contracts/api";
import { asking } from "../asking.ts";
import { resolveWorkload } from "../names.ts";
import { printable } from "../render/printable.ts";
import { renderStatus } from "../render/status.ts";
import { readWorkloads } from "../workloads.ts";

/** `lookout status [WORKLOAD…]` */
export const addStatus = asking({
  name: "status",
  tells: "what runs, what waits, and why",
  takes: [["[workload...]", "[cluster/]namespace/[kind/]name; all when none is named"]],
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout status", "every workload that takes part"],
    ["lookout status shop/api", "one of them"],
    ["lookout status --output name", "their names, one a line"],
  ],
  async answer({ server, flags, look }, asked: readonly string[]) {
    const view = await readWorkloads(server);
    const shown = only(asked, view);
    const freezes = flags.output === "table" ? (await server.get<FreezesView>("/v1/freezes", "freezes")).freezes : [];
    return {
      value: shown,
      text: () => renderStatus(printable(shown), printable(freezes), server.label, look),
      names: () => shown.workloads.map(({ workload }) => workload),
    };
  },
});

function only(asked: readonly string[], view: WorkloadsView): WorkloadsView {
  if (asked.length === 0) return view;
  const known = view.workloads.map(({ workload }) => workload);
  const keys = new Set(asked.map((text) => resolveWorkload(text, known)));
  return { ...view, workloads: view.workloads.filter(({ workload }) => keys.has(workload)) };
}
