import type { Chance } from "#test/model/chance";
import type { Installation } from "#test/model/world/installation";
import type { Member } from "./members.ts";

/**
 * Replaces one pod of a workload, as after the end of its node. The new pod pulls its tags again, so it
 * may run other digests than the other pods.
 */
export function aNodeEnds(members: readonly Member[], { cluster, say }: Installation, nodes: Chance): void {
  const { workload } = nodes.pick(members);
  const stored = cluster.objects.find(workload);
  const pods = stored?.pods ?? [];
  if (stored === undefined || pods.length === 0) return;
  const { name } = nodes.pick(pods);
  say(() => `a node ends, and the pod ${name} of ${workload.name} is replaced`);
  cluster.objects.deletePods(stored, [name]);
}
