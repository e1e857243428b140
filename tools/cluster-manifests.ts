import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { manifestsText } from "#cli/render/manifests";
import { clusterManifests } from "#cli/manifests/cluster-manifests";

/** The file with the manifests of Lookout's rights, for readers without an installation. */
export const rightsFile = fileURLToPath(new URL("../examples/rbac.yaml", import.meta.url));

const head = `# All rights of Lookout in a cluster, for a kubeconfig that uses the ServiceAccount. This command prints the same objects:
#   lookout cluster manifests --service-account lookout/lookout
# docs/cluster-access.md describes the flags --user, --group, --delete-pods and --read-nodes.
`;

/** Returns the manifests of Lookout's rights, as an example. */
export async function rightsText(): Promise<string> {
  const subjects = [{ kind: "ServiceAccount", namespace: "lookout", name: "lookout" }] as const;
  return `${head}\n${await manifestsText(clusterManifests({ subjects, deletePods: false, readNodes: false }))}`;
}

if (import.meta.main) await writeFile(rightsFile, await rightsText());
