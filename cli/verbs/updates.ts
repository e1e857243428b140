import { asking } from "../asking.ts";
import { printable } from "../render/printable.ts";
import { renderUpdates, updateName } from "../render/updates.ts";
import { readUpdates } from "../workloads.ts";

/** `lookout updates` */
export const addUpdates = asking({
  name: "updates",
  tells: "every update that is open, and the last that ended of each workload",
  formats: ["table", "json", "yaml", "name"],
  examples: [
    ["lookout updates", "the newest first"],
    ["lookout updates --output json", "with sources, times and digests"],
  ],
  async answer({ server, look }) {
    const view = await readUpdates(server);
    return {
      value: view,
      text: () => renderUpdates(printable(view), look),
      names: () => view.updates.map(updateName),
    };
  },
});
