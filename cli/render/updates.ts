import type { UpdatesView, UpdateView } from "#contracts/api/workloads";
import type { Look } from "./look.ts";
import { stateText, updateState } from "./state.ts";
import { renderTable } from "./table.ts";

/** Names an update: `prod/shop/deployment/api/17`. */
export function updateName({ workload, seq }: Pick<UpdateView, "workload" | "seq">): string {
  return `${workload}/${seq}`;
}

/** Writes the updates that are open, and the last that ended of each workload. */
export function renderUpdates({ updates }: UpdatesView, look: Look): string {
  if (updates.length === 0) return "No update yet: nothing was pushed that a workload's policy selects.\n";
  const rows = updates.map((update) => [
    update.workload,
    String(update.seq),
    update.wants.map((image) => `${image.container} ${image.tag ?? "another digest"}`).join(", "),
    stateText(updateState(update, look), look),
  ]);
  return renderTable(["WORKLOAD", "UPDATE", "WANTS", "STATE"], rows, look);
}
