import type { LiftRequest, LiftView } from "#contracts/api/workloads";
import { asking } from "../asking.ts";
import { userOf } from "../context.ts";
import { findWorkload, workloadPath } from "../names.ts";
import { paintMark } from "../render/look.ts";

/** `lookout lift WORKLOAD` */
export const addLift = asking<[workload: string], { readonly by?: string }>({
  name: "lift",
  tells: "let updates of a workload go on: lifts the hold after a person's rollback, and refused digests",
  takes: [["<workload>", "[cluster/]namespace/[kind/]name"]],
  options: (command) => command.option("--by <name>", "who wants it (default: USER)"),
  formats: ["text", "json", "yaml"],
  examples: [["lookout lift shop/api", "its policy is asked again at once"]],
  async answer({ server, world, flags: { by }, look }, workload) {
    const key = await findWorkload(server, workload);
    const request: LiftRequest = { by: by ?? userOf(world) };
    const view = await server.post<LiftView>(`${workloadPath(key)}/lift`, "refusals", request);
    return { value: view, text: () => `${paintMark("✓", look)} ${key}: ${lifted(view)}\n` };
  },
});

function lifted({ hold, refusals }: LiftView): string {
  const refused = `${refusals} refused ${refusals === 1 ? "digest" : "digests"}`;
  if (hold && refusals > 0) return `the hold and ${refused} are lifted. Its policy is asked again.`;
  if (hold) return "the hold is lifted. Its policy is asked again.";
  if (refusals > 0) return `${refused} ${refusals === 1 ? "is" : "are"} lifted. Its policy is asked again.`;
  return "there was nothing to lift.";
}
