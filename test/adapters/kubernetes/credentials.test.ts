import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { stringify } from "yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { credentialPlugin } from "#adapters/kubernetes/credential-plugin";
import { expired } from "#adapters/kubernetes/expiry";
import { clusterOfContext, clusterOfKubeConfig } from "#adapters/kubernetes/kubeconfig";
import { hangingScript, type ProgramFolder, programFolder, untilGone } from "#test/adapters/programs";
import { apiServer, type ApiUser, sendJson } from "./api-server.ts";

const signal = new AbortController().signal;
const remedy = 'log in again, or test the login: kubectl --context "loaded-context" get --raw /version';
const namespace = { metadata: { name: "kube-system", uid: "u-1" } };

let programs: ProgramFolder;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  programs = await programFolder();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await programs.remove();
});

/** A server that lets in who sends one of the tokens, and what it was sent. */
async function serverFor(tokens: readonly string[]) {
  const sent: (string | undefined)[] = [];
  const server = await apiServer((request, response) => {
    sent.push(request.headers.authorization);
    const known = tokens.some((token) => request.headers.authorization === `Bearer ${token}`);
    sendJson(response, known ? 200 : 401, known ? namespace : { reason: "Unauthorized", message: "Unauthorized" });
  });
  closing.push(() => server.close());
  return { ...server, sent };
}

/** A cluster at a server, with a user. */
function clusterAs(host: string, user: Partial<ApiUser>) {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: "c", server: `http://${host}`, skipTLSVerify: true },
    { name: "u", ...user },
  );
  const cluster = clusterOfContext({ name: "prod", kubeConfig });
  closing.push(() => cluster.close());
  return cluster;
}

const pluginUser = () => ({
  exec: {
    apiVersion: "client.authentication.k8s.io/v1beta1",
    command: join(programs.path, "plugin"),
    args: ["get-token"],
    env: [{ name: "REGION", value: "north" }],
  },
});
const plugin = () => `the credential plugin ${join(programs.path, "plugin")}`;
const credential = (status: object) => `echo '${JSON.stringify({ kind: "ExecCredential", status })}'`;

describe("a credential plugin of a kubeconfig", () => {
  it("runs once for all requests, as in kubectl", async () => {
    const server = await serverFor(["canary"]);
    await programs.write(
      "plugin",
      `echo "$1 $REGION $KUBERNETES_EXEC_INFO" >> '${programs.path}/seen'\n${credential({ token: "canary" })}`,
    );
    const cluster = clusterAs(server.host, pluginUser());

    const answers = await Promise.all([1, 2, 3].map(() => cluster.identity(signal)));

    expect(answers).toEqual(answers.map(() => ({ kind: "identity", uid: "u-1" })));
    expect(await readFile(join(programs.path, "seen"), "utf8")).toBe(
      'get-token north {"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{"interactive":false}}\n',
    );
  });

  it("runs again when the server rejects its token", async () => {
    const server = await serverFor(["second"]);
    await programs.write(
      "plugin",
      `[ -e '${programs.path}/ran' ] && ${credential({ token: "second" })} || ${credential({ token: "first" })}\ntouch '${programs.path}/ran'`,
    );
    const cluster = clusterAs(server.host, pluginUser());

    const answers = [await cluster.identity(signal), await cluster.identity(signal)];

    expect(answers.map(({ kind }) => kind)).toEqual(["identity", "identity"]);
    expect(server.sent).toEqual(["Bearer first", "Bearer second", "Bearer second"]);
  });

  it.each([
    { because: "fails", script: "echo canary >&2; echo canary; exit 3", says: "failed (exit 3)" },
    { because: "prints no JSON", script: "echo canary", says: "answered without a token and without a certificate" },
    {
      because: "prints no credential",
      script: credential({ canary: 1 }),
      says: "answered without a token and without a certificate",
    },
    {
      because: "prints without end",
      script: "while :; do echo canarycanarycanary; done",
      says: "printed more than 64 KiB",
    },
  ])("that $because is denied without a request: a remedy, without its output", async ({ script, says }) => {
    const server = await serverFor([]);
    await programs.write("plugin", script);

    expect(await clusterAs(server.host, pluginUser()).identity(signal)).toEqual({
      kind: "denied",
      detail: `no credentials for ${server.host}: ${plugin()} ${says}; ${remedy}`,
    });
    expect(server.sent).toEqual([]);
  });

  it("that is missing is denied", async () => {
    const server = await serverFor([]);

    expect(await clusterAs(server.host, pluginUser()).identity(signal)).toEqual({
      kind: "denied",
      detail: `no credentials for ${server.host}: ${plugin()} was not found; ${remedy}`,
    });
  });

  it("that hangs is killed with its children", async () => {
    const child = join(programs.path, "child");
    await programs.write("plugin", hangingScript(child));

    expect(await credentialPlugin(pluginUser().exec, 2_000)(false)).toEqual({
      kind: "problem",
      text: `${plugin()} did not answer within 2 s`,
    });
    await untilGone(child);
  });

  it("that gives an expired token is named when the server refuses it", async () => {
    const server = await serverFor([]);
    await programs.write("plugin", credential({ token: "canary", expirationTimestamp: "2026-01-02T03:04:05Z" }));

    expect(await clusterAs(server.host, pluginUser()).identity(signal)).toEqual({
      kind: "denied",
      detail: `${server.host} does not accept the credential (401): it expired at 2026-01-02T03:04:05.000Z; ${remedy}`,
    });
  });
});

describe("an unusable kubeconfig user", () => {
  const identityAs = (server: string, user: Partial<ApiUser>) => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromClusterAndUser({ name: "c", server, skipTLSVerify: false }, { name: "u", ...user });
    const cluster = clusterOfContext({ name: "prod", kubeConfig });
    closing.push(() => cluster.close());
    return cluster.identity(signal);
  };

  it.each([
    { keyFile: "/nosuch/key", says: "does not exist" },
    { keyFile: "/dev/null/key", says: "can't be read (ENOTDIR)" },
  ])("whose key file $says is reported with the path", async ({ keyFile, says }) => {
    expect(await identityAs("https://k8s.test", { certData: "", keyFile })).toEqual({
      kind: "denied",
      detail: `no credentials for k8s.test: ${keyFile} ${says}; ${remedy}`,
    });
  });

  it("for an http:// server is reported", async () => {
    expect(await identityAs("http://k8s.test", { token: "canary" })).toEqual({
      kind: "denied",
      detail: `no credentials for k8s.test: the server in the kubeconfig has an http:// URL, and Lookout sends credentials only to https://; ${remedy}`,
    });
  });
});

describe("a refused credential", () => {
  const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;

  it.each([
    {
      because: "a token that is over",
      token: jwt({ exp: 1_767_323_045 }),
      says: ": its token expired at 2026-01-02T03:04:05.000Z",
    },
    { because: "a token that is not", token: jwt({ exp: 32_503_680_000 }), says: "" },
    { because: "a token that does not tell", token: "canary", says: "" },
  ])("is reported with a remedy: $because", async ({ token, says }) => {
    const server = await serverFor([]);

    expect(await clusterAs(server.host, { token }).identity(signal)).toEqual({
      kind: "denied",
      detail: `${server.host} does not accept the credential (401)${says}; ${remedy}`,
    });
  });

  it("is read again from the kubeconfig after a renewal", async () => {
    const server = await serverFor(["second"]);
    const file = join(programs.path, "kubeconfig");
    await writeKubeConfig(file, server.host, "first");
    const cluster = clusterOfKubeConfig({ name: "prod", file });
    closing.push(() => cluster.close());

    const before = await cluster.identity(signal);
    await writeKubeConfig(file, server.host, "second");
    const after = await cluster.identity(signal);

    expect(before).toEqual({
      kind: "denied",
      detail:
        `${server.host} does not accept the credential (401); log in again, or test the login: ` +
        `kubectl --kubeconfig "${file}" --context "x" get --raw /version`,
    });
    expect(after.kind).toBe("identity");
  });

  it("is not replaced by a credential of another server, nor from an unreadable file", async () => {
    const [server, other] = [await serverFor(["second"]), await serverFor(["second"])];
    const file = join(programs.path, "kubeconfig");
    await writeKubeConfig(file, server.host, "first");
    const cluster = clusterOfKubeConfig({ name: "prod", file });
    closing.push(() => cluster.close());
    await writeKubeConfig(file, other.host, "second");
    const turned = await cluster.identity(signal);
    await writeFile(file, "{");
    const broken = await cluster.identity(signal);

    expect([turned.kind, broken.kind]).toEqual(["denied", "denied"]);
    expect(new Set([...server.sent, ...other.sent])).toEqual(new Set(["Bearer first"]));
  });
});

/** Of a key that was thrown away; good from the start of 2025 to 2026-01-02 03:04:05. */
const certificate = `-----BEGIN CERTIFICATE-----
MIHCMHYCAQEwBQYDK2VwMA4xDDAKBgNVBAMMA2FuYTAeFw0yNTAxMDEwMDAwMDBa
Fw0yNjAxMDIwMzA0MDVaMA4xDDAKBgNVBAMMA2FuYTAqMAUGAytlcAMhAKM2EoFw
juBSzeKD6e3J5ksK+POo+LEPaTEdlxB7SGBeMAUGAytlcANBAPdRLyv+4T85c0xZ
DNOvE4x3gYZcH7Le6uCvtwsoZUiQkB4GKhlRuqvnNbQBZHvMWleqIJdxb0N0cAo9
r+5Fmg0=
-----END CERTIFICATE-----
`;

describe("an expired client certificate", () => {
  it("is reported with its end", () => {
    expect(expired({ certificate }, new Date("2026-01-02T03:04:05Z"))).toBe(
      "its client certificate expired at 2026-01-02T03:04:05.000Z",
    );
    expect(expired({ certificate }, new Date("2026-01-02T03:04:04Z"))).toBeUndefined();
    expect(expired({ certificate: "no certificate", token: "a.b.c" }, new Date())).toBeUndefined();
  });
});

async function writeKubeConfig(file: string, host: string, token: string): Promise<void> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: `http://${host}`, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  await writeFile(`${file}.new`, stringify(config));
  await rename(`${file}.new`, file);
}
