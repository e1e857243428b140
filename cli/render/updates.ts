import type { UpdatesView, UpdateView } from "#contracts/api/workloads";
import type { Style } from "./style.ts";
import { stateText, updateState } from "./state.ts";
import { renderTable } from "./table.ts";

/** Returns an update's name: `prod/shop/deployment/api/17`. */
export function updateName({ workload, seq }: Pick<UpdateView, "workload" | "seq">): string {
  return `${workload}/${seq}`;
}

/** Returns a table of the open updates, and of the last finished update of each workload. */
export function renderUpdates({ updates }: UpdatesView, style: Style): string {
  if (updates.length === 0) return "Lookout has no update: no policy has selected a new image.\n";
  const rows = updates.map((update) => [
    update.workload,
    String(update.seq),
    update.wants.map((image) => `${image.container} ${image.tag ?? "another digest"}`).join(", "),
    stateText(updateState(update, style), style),
  ]);
  return renderTable(["WORKLOAD", "UPDATE", "WANTS", "STATE"], rows, style);
}
