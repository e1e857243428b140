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
      because: "has faults only in other contexts",
      text: kubeConfig({
        clusters: [{ name: "c", cluster: { server: "https://k8s.test" } }, { name: "other" }],
        users: [
          { name: "u", user: { token: "hunter2" } },
          { name: "other", user: { "token-file": "/nosuch" } },
        ],
      }),
      says: "",
    },
    { because: "is whole", text: kubeConfig({}), says: "" },
  ])("that $because is reported without its content", async ({ text, context, says }) => {
    const file = join(folder, "kubeconfig");
    await writeFile(file, text);

    expect(said(file, context)).toBe(says);
  });
});

/** What is said of a file with this user, or with these fields of its cluster. */
async function saidOf(parts: { readonly user?: unknown; readonly cluster?: object }): Promise<string> {
  const file = join(folder, "fields");
  const { user = { token: "hunter2" }, cluster = {} } = parts;
  await writeFile(
    file,
    kubeConfig({
      clusters: [{ name: "c", cluster: { server: "https://k8s.test", ...cluster } }],
      users: [{ name: "u", user }],
    }),
  );
  return said(file);
}

describe("a kubeconfig user", () => {
  const others = "give the user a token, a client certificate or a credential plugin (exec)";
  const noCredential = "has no credential, so its requests would be anonymous";
  const remedy = "give the user a token, a tokenFile, a client certificate or a credential plugin (exec)";
  const unknown = (field: string) => ` (Lookout and kubectl do not know its field ${field})`;

  it.each<{ user: unknown; says: string }>([
    { user: undefined, says: "" },
    { user: { tokenFile: "token" }, says: "" },
    { user: { username: "ana", password: "hunter2" }, says: "" },
    { user: { username: "ana" }, says: "" },
    { user: { "client-certificate": "c.pem", "client-key": "k.pem" }, says: "" },
    { user: { "client-certificate-data": "aGk=", "client-key-data": "aGk=" }, says: "" },
    { user: { exec: { command: "plugin", interactiveMode: "IfAvailable" } }, says: "" },
    { user: { "auth-provider": { name: "oidc", config: { "id-token": "hunter2" } } }, says: "" },
    { user: { token: "hunter2", "auth-provider": null }, says: "" },
    {
      user: { token: "hunter2", as: "ana", "as-uid": "7", "as-groups": ["ops"], "as-user-extra": { a: ["b"] } },
      says: "",
    },
    { user: null, says: `${noCredential}: ${remedy}` },
    { user: {}, says: `${noCredential}: ${remedy}` },
    { user: { token: "", tokenFile: "" }, says: `${noCredential}: ${remedy}` },
    { user: { as: "ana" }, says: `${noCredential}: ${remedy}` },
    { user: { password: "hunter2" }, says: `${noCredential}: ${remedy}` },
    { user: { "client-key": "k.pem" }, says: `${noCredential}: ${remedy}` },
    {
      user: { "token-file": "/run/token" },
      says: `${noCredential} (Lookout and kubectl do not know its field token-file; did you mean tokenFile?): ${remedy}`,
    },
    { user: { kerberos: "hunter2" }, says: `${noCredential}${unknown("kerberos")}: ${remedy}` },
    { user: { "a\u001b[31mb": "hunter2" }, says: `${noCredential}${unknown("a\ufffd[31mb")}: ${remedy}` },
    { user: "hunter2", says: "has no fields: expected a mapping" },
    { user: { token: 12_345 }, says: "has an invalid token: expected a text (put a number in quotes)" },
    { user: { token: "t", "as-groups": "ops" }, says: "has an invalid as-groups: expected a list of texts" },
    {
      user: { token: "t", "as-user-extra": { a: "b" } },
      says: "has an invalid as-user-extra: expected a mapping to lists of texts",
    },
    { user: { exec: "plugin" }, says: "has an invalid exec: expected a mapping with a command" },
    { user: { "auth-provider": "oidc" }, says: "has an invalid auth-provider: expected a mapping with a name" },
    {
      user: { "client-certificate": "c.pem", "client-certificate-data": "aGk=", "client-key": "k.pem" },
      says: "has client-certificate and client-certificate-data: remove one of them, because kubectl allows only one",
    },
    {
      user: { "client-certificate": "c.pem", "client-key": "k.pem", "client-key-data": "aGk=" },
      says: "has client-key and client-key-data: remove one of them, because kubectl allows only one",
    },
    {
      user: { "client-certificate-data": "aGk=" },
      says: "has a client certificate without a key: add client-key or client-key-data",
    },
    {
      user: { tokenFile: "token", password: "hunter2" },
      says: "has a token and a username or password: remove one of them, because kubectl allows only one",
    },
    {
      user: { exec: { command: "plugin" }, "auth-provider": { name: "oidc" } },
      says: "has exec and auth-provider: remove one of them, because kubectl allows only one",
    },
    {
      user: { exec: { command: "plugin", interactiveMode: "Always" } },
      says: "has an exec with interactiveMode: Always, and Lookout has no terminal for its questions: set IfAvailable or Never, or use a plugin that asks nothing",
    },
    ...[{ "as-uid": "7" }, { "as-groups": ["ops"] }, { "as-user-extra": { a: ["b"] } }].map((field) => ({
      user: { token: "hunter2", ...field },
      says: "has as-uid, as-groups or as-user-extra without as: name the user to impersonate in as",
    })),
    ...["hunter2\n", "Bearer hunter2", "hünter2"].map((token) => ({
      user: { token },
      says: "has a token with blanks, line breaks or special characters: write only the token",
    })),
    ...[{ as: "ana\r\nx: y" }, { as: "ana", "as-groups": ["\n"] }, { as: "ana", "as-user-extra": { a: ["ü"] } }].map(
      (fields) => ({
        user: { token: "hunter2", ...fields },
        says: "has a field as, as-uid, as-groups or as-user-extra with characters that a request can't carry: use printable ASCII",
      }),
    ),
    {
      user: { "auth-provider": { name: "kerberos", config: { key: "hunter2" } } },
      says: `has the auth-provider "kerberos", which Lookout does not know: ${others}`,
    },
    {
      user: { "auth-provider": { name: "gcp", config: { "cmd-path": "sleep" } } },
      says: 'has the auth-provider "gcp", which kubectl removed in version 1.26: use the credential plugin gke-gcloud-auth-plugin (exec)',
    },
    {
      user: { "auth-provider": { name: "azure", config: {} } },
      says: 'has the auth-provider "azure", which kubectl removed in version 1.26: use the credential plugin kubelogin (exec)',
    },
    {
      user: { "auth-provider": { config: { tokenFile: "/run/token" } } },
      says: `has an auth-provider without a name, which Lookout does not know: ${others}`,
    },
    {
      user: { "auth-provider": { name: "oidc", config: { exec: { command: "sleep" } } } },
      says: `has the auth-provider "oidc" with a program in its config: ${others}`,
    },
  ])("that is $user is accepted, or reported by its field without its secrets", async ({ user, says }) => {
    expect(await saidOf({ user })).toBe(says === "" ? "" : `the user "u" of the kubeconfig FILE ${says}`);
  });
});

describe("a kubeconfig cluster", () => {
  it.each([
    { cluster: { "certificate-authority": "ca.pem", "tls-server-name": "k8s", "disable-compression": true }, says: "" },
    { cluster: { "proxy-url": "socks5://proxy:1080" }, says: "" },
    { cluster: { "insecure-skip-tls-verify": true, "proxy-url": "http://proxy:3128" }, says: "" },
    { cluster: { server: "" }, says: "has no server" },
    ...["k8s.test:6443", "ftp://k8s.test", "k8s"].map((server) => ({
      cluster: { server },
      says: "has a server that is not an https:// URL: write https://HOST:PORT",
    })),
    { cluster: { server: 1 }, says: "has an invalid server: expected a text (put a number in quotes)" },
    {
      cluster: { "certificate-authority": "ca.pem", "certificate-authority-data": "aGk=" },
      says: "has certificate-authority and certificate-authority-data: remove one of them, because kubectl allows only one",
    },
    {
      cluster: { "certificate-authority-data": "aGk=", "insecure-skip-tls-verify": true },
      says: "has a certificate authority and insecure-skip-tls-verify: remove one of them, because kubectl allows only one",
    },
    {
      cluster: { "insecure-skip-tls-verify": "true" },
      says: "has an invalid insecure-skip-tls-verify: expected true or false",
    },
    { cluster: { "disable-compression": 1 }, says: "has an invalid disable-compression: expected true or false" },
    ...["ftp://ana:hunter2@proxy", "proxy:3128", "socks4://proxy"].map((url) => ({
      cluster: { "proxy-url": url },
      says: "has a proxy-url that is not an http://, https:// or socks5:// URL",
    })),
  ])("with $cluster is accepted, or reported by its field", async ({ cluster, says }) => {
    expect(await saidOf({ cluster })).toBe(says === "" ? "" : `the cluster "c" of the kubeconfig FILE ${says}`);
  });
});
