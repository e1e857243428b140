import { type AccessOptions, accessEntrySubjects, clusterManifests } from "#cli/manifests/cluster-manifests";
import type { ControlPlane } from "./bed/control-plane.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";

/**
 * Applies the manifests of `lookout cluster manifests`, and waits until the policy is in force.
 *
 * @param without - a kind whose manifests are left out
 */
export async function giveAccess(
  plane: ControlPlane,
  options: Partial<AccessOptions> = {},
  without?: string,
): Promise<void> {
  const all = clusterManifests({ subjects: accessEntrySubjects, deletePods: true, readNodes: true, ...options });
  const manifests = all.filter(({ object }) => (object as { readonly kind: string }).kind !== without);
  const probe = ["deployment", "probe-of-the-policy"] as const;
  await plane.apply([...manifests.map(({ object }) => object), deploymentManifest(probe[1], "probe", 0)]);
  const asLookout = ["--kubeconfig", plane.kubeconfigFor("lookout")];
  await until("the policy is in force", async () => {
    const forbidden = plane.kubectl(...asLookout, "label", "--dry-run=server", ...probe, "team=red");
    const answer = await forbidden.catch((error: unknown) => String(error));
    return answer.includes("ValidatingAdmissionPolicy") ? true : undefined;
  });
  await plane.kubectl("delete", ...probe);
}
