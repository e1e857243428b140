import { describe, expect, it } from "vitest";
import { withClusterEntry, withoutClusterEntry } from "#contracts/config/cluster-entries";
import { checkConfiguration } from "#contracts/config/file";

const kubeconfig = ".lookout/kubeconfigs/prod.yaml";
const add = (text: string) => withClusterEntry(text, { name: "prod", kubeconfig });
const entry = `  - name: prod\n    kubeconfig: ${kubeconfig}\n`;

const files = [
  { file: "an empty file", before: "", after: `clusters:\n${entry}` },
  { file: "a comment", before: "# ours\n", after: `# ours\n\nclusters:\n${entry}` },
  { file: "an empty section", before: "clusters:\n", after: `clusters:\n${entry}`, emptied: "" },
  {
    file: "an empty list between comments",
    before: "# ours\nclusters: []\nlisten: 127.0.0.1:1 # here\n",
    after: `# ours\nclusters:\n${entry}listen: 127.0.0.1:1 # here\n`,
    emptied: "# ours\nclusters: []\nlisten: 127.0.0.1:1 # here\n",
  },
  {
    file: "another cluster and registries, with lists that are not indented",
    before:
      "# ours\nclusters:\n# the first\n- name: dev # small\n  context: dev\n\nregistries:\n- {host: a.example, insecure: true}\n",
    after: `# ours\nclusters:\n# the first\n- name: dev # small\n  context: dev\n- name: prod\n  kubeconfig: ${kubeconfig}\n\nregistries:\n- {host: a.example, insecure: true}\n`,
  },
  {
    file: "clusters in one line",
    before: 'clusters: [{name: "dev"}]\n',
    after: `clusters:\n  - {name: "dev"}\n${entry}`,
    emptied: 'clusters:\n  - {name: "dev"}\n',
  },
];

describe("the entry of lookout cluster add", () => {
  it.each(files)("is added to $file, once, and removed again", ({ before, after, emptied = before }) => {
    expect({ added: add(before), again: add(after) }).toEqual({ added: after, again: after });
    expect(withoutClusterEntry(after, "prod")?.replace(/\n+$/, "\n")).toBe(emptied);
    expect(checkConfiguration(after).ok).toBe(true);
  });

  it("changes the kubeconfig of an entry with the same name, and keeps its other keys", () => {
    expect(add("clusters:\n  - name: prod\n    context: mine\n    namespaces: {deny: [lab]} # noisy\n")).toBe(
      `clusters:\n  - name: prod\n    namespaces: {deny: [lab]} # noisy\n    kubeconfig: ${kubeconfig}\n`,
    );
  });

  it.each(["clusters: everything\n", "- a list\n", "clusters: [a]\n", "x: &a []\nclusters: *a\n"])(
    "is not added to a file of another form: %j",
    (text) => {
      expect(add(text)).toBeUndefined();
    },
  );

  it("is not removed under another name", () => {
    expect(withoutClusterEntry(`clusters:\n${entry}`, "dev")).toBe(`clusters:\n${entry}`);
  });
});
