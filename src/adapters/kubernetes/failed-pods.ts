import { V1DeleteOptions } from "@kubernetes/client-node/dist/gen/models/V1DeleteOptions.js";
import type { PodsDeleted } from "#ports/cluster";
import type { Connection } from "./connection.ts";
import type { Pod, StatefulSet } from "./objects.ts";
import { refusal } from "./outcome.ts";
import { isLeaving, isOwnedBy, isReady } from "./pods.ts";
import { brokenInTheWay } from "./stateful-set-health.ts";

/**
 * Answers the pods of a StatefulSet that stand in the way of its template: broken, or not ready and made to run one of these images.
 *
 * Once the controller has seen the template, pods of that very template are left out: they would only be made anew.
 */
export function failedPods(set: StatefulSet, images: readonly string[], pods: readonly Pod[]): readonly Pod[] {
  const broken = brokenInTheWay(set, pods);
  const observed = (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0);
  return pods.filter((pod) => {
    const ofTemplate = observed && pod.metadata.labels?.["controller-revision-hash"] === set.status?.updateRevision;
    const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
    const runsOne = containers.some(({ image }) => image !== undefined && images.includes(image));
    const failed = isOwnedBy(pod, set.metadata.uid) && !isLeaving(pod) && !isReady(pod) && !ofTemplate && runsOne;
    return failed || broken.includes(pod);
  });
}

/** Deletes pods one after the other, each only under the uid that was read. One that was replaced or is gone already is not counted. */
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
