import type { ExplanationView } from "#contracts/api/workloads";
import { serverVerb } from "../server-verb.ts";
import { exitCodes } from "../failure.ts";
import { findWorkload, workloadPath } from "../names.ts";
import { renderExplanation } from "../render/explain.ts";
import { explainTag } from "../render/explain-tag.ts";
import { printable } from "../render/printable.ts";

/** `lookout explain WORKLOAD [TAG]` */
export const addExplain = serverVerb({
  name: "explain",
  description: "explain why a workload runs its images: every gate, every rejected tag",
  parameters: [
    ["<workload>", "[cluster/]namespace/[kind/]name"],
    ["[tag]", "explain this tag first; exit 1 when the repository does not have it"],
  ],
  formats: ["text", "json", "yaml"],
  wide: true,
  examples: [
    ["lookout explain shop/api", "its desired image, and the gates that hold it"],
    ["lookout explain prod/shop/api 1.5.0", "why 1.5.0 is selected or rejected"],
    ["lookout explain shop/sts/db --output json", "all details, with every rejected tag"],
  ],
  async answer({ server, style }, workload: string, tag: string | undefined) {
    const key = await findWorkload(server, workload);
    const view = await server.get<ExplanationView>(`${workloadPath(key)}/explanation`, "selections");
    const known = tag === undefined || explainTag(view, tag, style).known;
    return {
      value: view,
      text: () => renderExplanation(printable(view), tag, style),
      exitCode: known ? exitCodes.done : exitCodes.notSo,
    };
  },
});
