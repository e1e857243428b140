import type { ClusterManifest } from "#contracts/kubernetes/admission-policy";

/** Writes manifests as one YAML file, each with what it is for above it. */
export async function manifestsText(manifests: readonly ClusterManifest[]): Promise<string> {
  const { Document, isScalar, visit } = await import("yaml");
  const texts = manifests.map(({ about, object }) => {
    const document = new Document(object);
    // A list of words stands in one line.
    visit(document, { Seq: (_, list) => void (list.flow = list.items.every((item) => isScalar(item))) });
    return (
      about.map((line) => `# ${line}\n`).join("") + document.toString({ lineWidth: 0, flowCollectionPadding: false })
    );
  });
  return texts.join("---\n");
}
