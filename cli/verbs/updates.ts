import { serverVerb } from "../server-verb.ts";
import { printable } from "../render/printable.ts";
import { renderUpdates, updateName } from "../render/updates.ts";
import { isKeyIn, type PlaceFlags, readScopes, scopeParameter } from "../scopes.ts";
import { readUpdates } from "../workloads.ts";

/** `lookout updates` */
export const addUpdates = serverVerb<[words: readonly string[]], PlaceFlags>({
  name: "updates",
  description: "list open updates and each workload's last finished update",
  parameters: [["[scope...]", scopeParameter]],
  scope: "place",
  formats: ["table", "json", "yaml", "name"],
  examples: [
    ["lookout updates", "list updates, the newest first"],
    ["lookout updates --output json", "list updates with sources, times and digests"],
  ],
  async answer({ server, flags, style }, words) {
    const scopes = await readScopes(server, words, flags);
    const all = await readUpdates(server);
    const view = {
      ...all,
      updates: all.updates.filter(({ workload }) => scopes.some((scope) => isKeyIn(scope, workload))),
    };
    return {
      value: view,
      text: () => renderUpdates(printable(view), style),
      names: () => view.updates.map(updateName),
    };
  },
});
