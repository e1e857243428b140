import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterOfKubeConfig } from "#adapters/kubernetes/kubeconfig";
import { PermanentError } from "#ports/errors";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-kubeconfig-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const kubeConfig = (parts: object) =>
  JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://k8s.test" } }],
    users: [{ name: "u", user: { token: "hunter2" } }],
    contexts: [
      { name: "x", context: { cluster: "c", user: "u" } },
      { name: "lost", context: { cluster: "gone", user: "u" } },
      { name: "nobody", context: { cluster: "c", user: "alice" } },
      { name: "anybody", context: { cluster: "c" } },
    ],
    "current-context": "x",
    ...parts,
  });

/** What is said of a file, whose path is written FILE. */
function said(file: string, context?: string): string {
  try {
    clusterOfKubeConfig({ name: "prod", file, ...(context === undefined ? {} : { context }) });
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(PermanentError);
    return (error as Error).message.replaceAll(file, "FILE");
  }
}

describe("a kubeconfig", () => {
  it("that is missing, or is a folder, is reported", async () => {
    await mkdir(join(folder, "folder"));

    expect(said(join(folder, "nosuch"))).toBe("the kubeconfig FILE of cluster prod does not exist");
    expect(said(join(folder, "folder"))).toBe("the kubeconfig FILE of cluster prod is a folder");
  });

  it.each([
    { because: "is empty", text: " \n", says: "the kubeconfig FILE of cluster prod is empty" },
    {
      because: "is broken YAML",
      text: "users:\n- name: u\n  user: {token: hunter2\n",
      says: "the kubeconfig FILE of cluster prod is not YAML: check line 4",
    },
    {
      because: "is something else",
      text: "# nothing",
      says: "the kubeconfig FILE of cluster prod is not a kubeconfig: expected a file of kind Config",
    },
    {
      because: "has no such context",
      text: kubeConfig({}),
      context: "y",
      says: 'the kubeconfig FILE has no context "y". Its contexts: x, lost, nobody, anybody',
    },
    {
      because: "has no current context",
      text: kubeConfig({ "current-context": undefined }),
      says: "the kubeconfig FILE has no current context. Its contexts: x, lost, nobody, anybody",
    },
    {
      because: "has a context of an unknown cluster",
      text: kubeConfig({}),
      context: "lost",
      says: 'the context "lost" of the kubeconfig FILE names the cluster "gone", which the file does not contain',
    },
    {
      because: "has a context of an unknown user",
      text: kubeConfig({}),
      context: "nobody",
      says: 'the context "nobody" of the kubeconfig FILE names the user "alice", which the file does not contain',
    },
    {
      because: "has a context without a user",
      text: kubeConfig({}),
      context: "anybody",
      says: 'the context "anybody" of the kubeconfig FILE names no user: kubectl config set-context anybody --user USER --kubeconfig FILE',
    },
    {
      because: "has a user of an unknown auth provider",
      text: kubeConfig({
        users: [{ name: "u", user: { "auth-provider": { name: "kerberos", config: { key: "hunter2" } } } }],
      }),
      says: 'the user "u" of the kubeconfig FILE has the auth-provider "kerberos", which Lookout does not know: give the user a token, a client certificate or a credential plugin (exec)',
    },
    {
      because: "has a user whose auth provider starts a program",
      text: kubeConfig({
        users: [{ name: "u", user: { "auth-provider": { name: "gcp", config: { "cmd-path": "sleep" } } } }],
      }),
      says: 'the user "u" of the kubeconfig FILE has the auth-provider "gcp", which starts a program without a time limit: give the user a token, a client certificate or a credential plugin (exec)',
    },
    {
      because: "has a user of an auth provider with an empty file and no name",
      text: kubeConfig({ users: [{ name: "u", user: { "auth-provider": { config: { tokenFile: "" } } } }] }),
      says: 'the user "u" of the kubeconfig FILE has an auth-provider without a name, which Lookout does not know: give the user a token, a client certificate or a credential plugin (exec)',
    },
    {
      because: "has a user whose auth provider is left empty",
      text: kubeConfig({ users: [{ name: "u", user: { "auth-provider": null } }] }),
      says: "",
    },
    { because: "is whole", text: kubeConfig({}), says: "" },
  ])("that $because is reported without its content", async ({ text, context, says }) => {
    const file = join(folder, "kubeconfig");
    await writeFile(file, text);

    expect(said(file, context)).toBe(says);
  });
});
