import type { UnblockRequest, UnblockView } from "#contracts/api/workloads";
import { asking } from "../asking.ts";
import { userOf } from "../context.ts";
import { findWorkload, workloadPath } from "../names.ts";
import { paintMark } from "../render/look.ts";

/** `lookout unblock WORKLOAD` */
export const addUnblock = asking<[workload: string], { readonly by?: string }>({
  name: "unblock",
  tells: "let updates of a workload go on: ends the hold after a user's rollback, and unblocks digests",
  takes: [["<workload>", "[cluster/]namespace/[kind/]name"]],
  options: (command) => command.option("--by <name>", "who wants it (default: USER)"),
  formats: ["text", "json", "yaml"],
  examples: [["lookout unblock shop/api", "its policy is asked again at once"]],
  async answer({ server, world, flags: { by }, look }, workload) {
    const key = await findWorkload(server, workload);
    const request: UnblockRequest = { by: by ?? userOf(world) };
    const view = await server.post<UnblockView>(`${workloadPath(key)}/unblock`, "refusals", request);
    return { value: view, text: () => `${paintMark("✓", look)} ${key}: ${unblocked(view)}\n` };
  },
});

function unblocked({ hold, refusals }: UnblockView): string {
  const digests = `${refusals} blocked ${refusals === 1 ? "digest" : "digests"}`;
  if (hold && refusals > 0) return `the hold has ended, and ${digests} may be tried again. Its policy is asked again.`;
  if (hold) return "the hold has ended. Its policy is asked again.";
  if (refusals > 0) return `${digests} may be tried again. Its policy is asked again.`;
  return "nothing is blocked or held after a rollback.";
}
