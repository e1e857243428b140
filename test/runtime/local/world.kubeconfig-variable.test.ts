import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openClusters } from "#runtime/local/world";

describe("KUBECONFIG for a cluster without a file", () => {
  const open = (KUBECONFIG: string) => openClusters([{ name: "prod" }], { KUBECONFIG });
  const missing = join(import.meta.dirname, "no-such-kubeconfig");

  it("may name one file", async () => {
    const message = `the kubeconfig ${missing} of cluster prod does not exist`;

    await expect(open(missing)).rejects.toThrow(message);
    await expect(open(`:${missing}:`)).rejects.toThrow(message);
  });

  it("is rejected with a remedy when it names several files, which kubectl would merge", async () => {
    await expect(open("/a/one:/b/two")).rejects.toThrow(
      "KUBECONFIG names 2 files (/a/one, /b/two), but Lookout reads only one: name one file as kubeconfig of the cluster prod in lookout.yaml, or with --kubeconfig; to merge the files: kubectl config view --flatten > FILE",
    );
  });
});
