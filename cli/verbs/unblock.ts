import type { UnblockRequest, UnblockView } from "#contracts/api/workloads";
import { serverVerb } from "../server-verb.ts";
import { userOf } from "../context.ts";
import { findWorkload, workloadPath } from "../names.ts";
import { paintMark } from "../render/style.ts";

/** `lookout unblock WORKLOAD` */
export const addUnblock = serverVerb<[workload: string], { readonly by?: string }>({
  name: "unblock",
  description: "end the hold of a workload after a revert, and unblock its digests",
  parameters: [["<workload>", "[cluster/]namespace/[kind/]name"]],
  options: (command) => command.option("--by <name>", "your name in the history (default: USER)"),
  formats: ["text", "json", "yaml"],
  examples: [["lookout unblock shop/api", "continue the updates of a workload"]],
  async answer({ server, world, flags: { by }, style }, workload) {
    const key = await findWorkload(server, workload);
    const request: UnblockRequest = { by: by ?? userOf(world) };
    const view = await (await server.asPerson()).post<UnblockView>(`${workloadPath(key)}/unblock`, "blocked", request);
    return { value: view, text: () => `${paintMark("✓", style)} ${key}: ${unblocked(view)}\n` };
  },
});

function unblocked({ hold, blocked, rejected }: UnblockView): string {
  const stays = `The rejected ${rejected === 1 ? "digest stays" : "digests stay"} blocked. A decider can run lookout approvals ask.`;
  const note = rejected === 0 ? "" : ` ${stays}`;
  const digests = `${blocked} blocked ${blocked === 1 ? "digest" : "digests"}`;
  if (!hold && blocked === 0) return rejected === 0 ? "the workload has no hold and no blocked digest." : stays;
  const ended = [...(hold ? ["the hold has ended"] : []), ...(blocked > 0 ? [`${digests} may be tried again`] : [])];
  return `${ended.join(", and ")}. Lookout evaluates the policy again.${note}`;
}
