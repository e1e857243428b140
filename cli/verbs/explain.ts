import type { ExplanationView } from "#contracts/api/workloads";
import { asking } from "../asking.ts";
import { exitCodes } from "../failure.ts";
import { findWorkload, workloadPath } from "../names.ts";
import { renderExplanation } from "../render/explain.ts";
import { explainTag } from "../render/explain-tag.ts";
import { printable } from "../render/printable.ts";

/** `lookout explain WORKLOAD [TAG]` */
export const addExplain = asking({
  name: "explain",
  tells: "why a workload runs what it runs: every gate, every rejected tag",
  takes: [
    ["<workload>", "[cluster/]namespace/[kind/]name"],
    ["[tag]", "why this tag is selected, or not; exit 1 when no policy of the workload saw it"],
  ],
  formats: ["text", "json", "yaml"],
  wide: true,
  examples: [
    ["lookout explain shop/api", "what it wants, and what stands in the way"],
    ["lookout explain prod/shop/api 1.5.0", "why 1.5.0 is selected, or not"],
    ["lookout explain shop/sts/db --output json", "everything, with every rejected tag"],
  ],
  async answer({ server, look }, workload: string, tag: string | undefined) {
    const key = await findWorkload(server, workload);
    const view = await server.get<ExplanationView>(`${workloadPath(key)}/explanation`, "selections");
    const known = tag === undefined || explainTag(view, tag, look).known;
    return {
      value: view,
      text: () => renderExplanation(printable(view), tag, look),
      exitCode: known ? exitCodes.done : exitCodes.notSo,
    };
  },
});
