import type { ClusterManifest } from "../manifests/admission-policy.ts";

/** Returns manifests as one YAML text. Each manifest follows a comment about its purpose. */
export async function manifestsText(manifests: readonly ClusterManifest[]): Promise<string> {
  const { Document, isScalar, visit } = await import("yaml");
  const texts = manifests.map(({ about, object }) => {
    const document = new Document(object);
    // A list of scalars is written in one line.
    visit(document, { Seq: (_, list) => void (list.flow = list.items.every((item) => isScalar(item))) });
    return (
      about.map((line) => `# ${line}\n`).join("") + document.toString({ lineWidth: 0, flowCollectionPadding: false })
    );
  });
  return texts.join("---\n");
}
