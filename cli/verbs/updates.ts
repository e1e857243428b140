import { serverVerb } from "../server-verb.ts";
import { printable } from "../render/printable.ts";
import { renderUpdates, updateName } from "../render/updates.ts";
import { readUpdates } from "../workloads.ts";

/** `lookout updates` */
export const addUpdates = serverVerb({
  name: "updates",
  description: "list open updates and each workload's last finished update",
  formats: ["table", "json", "yaml", "name"],
  examples: [
    ["lookout updates", "list updates, the newest first"],
    ["lookout updates --output json", "list updates with sources, times and digests"],
  ],
  async answer({ server, style }) {
    const view = await readUpdates(server);
    return {
      value: view,
      text: () => renderUpdates(printable(view), style),
      names: () => view.updates.map(updateName),
    };
  },
});
