import { serverVerb } from "../server-verb.ts";
import { exitCodes } from "../failure.ts";
import { workloadParams } from "../names.ts";
import { findWorkload, type PlaceFlags } from "../scopes.ts";
import { renderExplanation } from "../render/explain.ts";
import { explainTag } from "../render/explain-tag.ts";
import { printable } from "../render/printable.ts";

/** `lookout explain WORKLOAD [TAG]` */
export const addExplain = serverVerb<[workload: string, tag?: string], PlaceFlags>({
  name: "explain",
  description: "explain a workload: desired image, gates and rejected tags",
  parameters: [
    ["<workload>", "[cluster/]namespace/[kind/]name"],
    ["[tag]", "explain this tag first; exit 1 if the repository does not have the tag"],
  ],
  scope: "place",
  formats: ["text", "json", "yaml"],
  wide: true,
  examples: [
    ["lookout explain shop/api", "show the desired image and the closed gates"],
    ["lookout explain prod/shop/api 1.5.0", "explain the tag 1.5.0 first"],
    ["lookout explain shop/sts/db --output json", "print all details, with every rejected tag"],
  ],
  async answer({ server, flags, style }, workload, tag) {
    const key = await findWorkload(server, workload, flags);
    const view = await server.ask("explainWorkload", { params: workloadParams(key) });
    const known = tag === undefined || explainTag(view, tag, style).known;
    return {
      value: view,
      text: () => renderExplanation(printable(view), tag, style),
      exitCode: known ? exitCodes.done : exitCodes.notSo,
    };
  },
});
