import { V1DeleteOptions } from "@kubernetes/client-node/dist/gen/models/V1DeleteOptions.js";
import type { PodsDeleted } from "#ports/cluster";
import type { Connection } from "./connection.ts";
import type { Pod } from "./objects.ts";
import { refusal } from "./outcome.ts";

/**
 * Deletes pods one after the other, and returns the number of deleted pods. Each request names the
 * uid that was read, so a new pod of the same name stays.
 */
export async function deletePods(api: Connection, pods: readonly Pod[], signal: AbortSignal): Promise<PodsDeleted> {
  let deleted = 0;
  for (const { metadata } of pods) {
    const { name, namespace = "", uid } = metadata;
    const body = Object.assign(new V1DeleteOptions(), { preconditions: { uid } });
    const answer = await api.send(
      ({ core }) => core.deleteNamespacedPodWithHttpInfo({ name, namespace, body }),
      signal,
    );
    if (answer.kind === "answered" && answer.status < 300) deleted += 1;
    else if (answer.kind !== "answered" || (answer.status !== 404 && answer.status !== 409))
      return refusal(answer, "delete pods", api.host);
  }
  return { kind: "deleted", pods: deleted };
}
