import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clusterOfKubeConfig } from "#adapters/kubernetes/kubeconfig";
import { type ProgramFolder, programFolder } from "#test/adapters/programs";
import { apiServer, sendJson } from "./api-server.ts";

const signal = new AbortController().signal;

let programs: ProgramFolder;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  programs = await programFolder();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await programs.remove();
});

/** The headers that kubectl's fields decide, in the order and number of their lines. */
function identityHeaders(raw: readonly string[]): readonly string[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 && /^(authorization|accept-encoding|impersonate)/i.test(name)
      ? [`${name.toLowerCase()}: ${raw[index + 1] ?? ""}`]
      : [],
  );
}

/** A cluster of a kubeconfig in the programs' folder, and the requests that its server got. */
async function clusterFor(user: object, cluster: object = {}, isAccepted: (headers: string) => boolean = () => true) {
  const requests: (readonly string[])[] = [];
  const server = await apiServer((request, response) => {
    const headers = identityHeaders(request.rawHeaders);
    requests.push(headers);
    if (isAccepted(headers.join("\n"))) sendJson(response, 200, { metadata: { name: "kube-system", uid: "u-1" } });
    else sendJson(response, 401, { reason: "Unauthorized", message: "Unauthorized" });
  });
  const file = join(programs.path, "kubeconfig");
  await writeFile(
    file,
    stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "c", cluster: { server: `http://${server.host}`, "insecure-skip-tls-verify": true, ...cluster } },
      ],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const opened = clusterOfKubeConfig({ name: "prod", file });
  closing.push(
    () => opened.close(),
    () => server.close(),
  );
  const remedy = `log in again, or test the login: kubectl --kubeconfig "${file}" --context "x" get --raw /version`;
  return { cluster: opened, requests, host: server.host, remedy };
}

describe("a request with a kubeconfig user", () => {
  const gzip = "accept-encoding: gzip";

  it.each([
    { because: "a token", user: { token: "canary" }, sent: [gzip, "authorization: Bearer canary"] },
    {
      because: "a username and a password",
      user: { username: "ana", password: "canary" },
      sent: [gzip, `authorization: Basic ${btoa("ana:canary")}`],
    },
    {
      because: "a username alone",
      user: { username: "ana" },
      sent: [gzip, `authorization: Basic ${btoa("ana:")}`],
    },
    {
      because: "impersonation",
      user: {
        token: "canary",
        as: "system:serviceaccount:shop:robot",
        "as-uid": "7",
        "as-groups": ["ops", "on call"],
        "as-user-extra": { "example.com/scope": ["read", "write"] },
      },
      sent: [
        gzip,
        "impersonate-user: system:serviceaccount:shop:robot",
        "impersonate-uid: 7",
        "impersonate-group: ops",
        "impersonate-group: on call",
        "impersonate-extra-example.com%2Fscope: read",
        "impersonate-extra-example.com%2Fscope: write",
        "authorization: Bearer canary",
      ],
    },
    {
      because: "a token and a plugin, which kubectl does not ask then",
      user: { token: "canary", exec: { command: "no-such-plugin" } },
      sent: [gzip, "authorization: Bearer canary"],
    },
    {
      because: "a cluster without compression",
      user: { token: "canary" },
      cluster: { "disable-compression": true },
      sent: ["accept-encoding: identity", "authorization: Bearer canary"],
    },
  ])("carries $because", async ({ user, cluster, sent }) => {
    const world = await clusterFor(user, cluster);

    expect((await world.cluster.identity(signal)).kind).toBe("identity");
    expect(world.requests.map((headers) => headers.map((line) => line.replace("%2f", "%2F")))).toEqual([
      sent.map((line) => line.replace(/^(impersonate-extra[^:]*)/, (name) => name.toLowerCase().replace("%2f", "%2F"))),
    ]);
  });

  it("carries the token of a tokenFile beside the kubeconfig, also after it changed", async () => {
    let valid = "first";
    const { cluster, requests } = await clusterFor({ tokenFile: "secrets/token" }, {}, (headers) =>
      headers.includes(`Bearer ${valid}`),
    );
    await mkdir(join(programs.path, "secrets"));
    await writeFile(join(programs.path, "secrets", "token"), "first\n");
    const before = await cluster.identity(signal);
    valid = "second";
    await writeFile(join(programs.path, "secrets", "token"), "second");
    const after = await cluster.identity(signal);

    expect([before.kind, after.kind]).toEqual(["identity", "identity"]);
    expect(requests.map(([, authorization]) => authorization)).toEqual([
      "authorization: Bearer first",
      "authorization: Bearer first",
      "authorization: Bearer second",
    ]);
  });

  it("prefers the token of a readable tokenFile to the field token, as kubectl does", async () => {
    const file = join(programs.path, "token");
    const { cluster, requests } = await clusterFor({ token: "field", tokenFile: file }, {}, (headers) =>
      headers.includes("Bearer file"),
    );
    const before = await cluster.identity(signal);
    await writeFile(file, "file");
    const after = await cluster.identity(signal);

    expect([before.kind, after.kind]).toEqual(["denied", "identity"]);
    expect(requests.map(([, authorization]) => authorization)).toEqual([
      "authorization: Bearer field",
      "authorization: Bearer file",
    ]);
  });

  it("still carries the last token while its file is gone, until the server rejects it", async () => {
    const file = join(programs.path, "token");
    let valid = "first";
    const { cluster, host, remedy } = await clusterFor({ tokenFile: file }, {}, (headers) =>
      headers.includes(`Bearer ${valid}`),
    );
    await writeFile(file, "first");
    const before = await cluster.identity(signal);
    await rm(file);
    const without = await cluster.identity(signal);
    valid = "second";
    const rejected = await cluster.identity(signal);

    expect([before.kind, without.kind]).toEqual(["identity", "identity"]);
    expect(rejected).toEqual({
      kind: "denied",
      detail: `no credentials for ${host}: the tokenFile ${file} does not exist; ${remedy}`,
    });
  });

  it.each([
    { because: "does not exist", says: "does not exist" },
    { because: "is empty", content: " \n", says: "is empty" },
    { because: "has other text", content: "token: canary", says: "contains more than a token" },
    { because: "is a folder", folder: true, says: "can't be read (EISDIR)" },
  ])("is never anonymous when the tokenFile $because", async ({ content, folder, says }) => {
    const file = join(programs.path, "token");
    if (folder === true) await mkdir(file);
    if (content !== undefined) await writeFile(file, content);
    const { cluster, requests, host, remedy } = await clusterFor({ tokenFile: file });

    expect(await cluster.identity(signal)).toEqual({
      kind: "denied",
      detail: `no credentials for ${host}: the tokenFile ${file} ${says}; ${remedy}`,
    });
    expect(requests).toEqual([]);
  });

  it("is never anonymous when an OIDC token can't be renewed", async () => {
    const jwt = `e30.${Buffer.from(JSON.stringify({ exp: 1 })).toString("base64url")}.signature`;
    const { cluster, requests, host, remedy } = await clusterFor({
      "auth-provider": { name: "oidc", config: { "id-token": jwt } },
    });

    expect(await cluster.identity(signal)).toEqual({
      kind: "denied",
      detail: `no credentials for ${host}: the auth-provider oidc of the kubeconfig's user u has no valid id-token, and can't renew it; ${remedy}`,
    });
    expect(requests).toEqual([]);
  });
});

describe("a credential plugin", () => {
  const answer = `echo '${JSON.stringify({ kind: "ExecCredential", status: { token: "canary" } })}'`;

  it("beside the kubeconfig gets the cluster that it asks for", async () => {
    await programs.write("plugin", `printf %s "$KUBERNETES_EXEC_INFO" > '${programs.path}/seen'\n${answer}`);
    const { cluster, host } = await clusterFor(
      { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "./plugin", provideClusterInfo: true } },
      {
        "tls-server-name": "k8s",
        "disable-compression": true,
        extensions: [
          { name: "other", extension: {} },
          { name: "client.authentication.k8s.io/exec", extension: { audience: "k8s" } },
        ],
      },
    );

    expect((await cluster.identity(signal)).kind).toBe("identity");
    expect(JSON.parse(await readFile(join(programs.path, "seen"), "utf8"))).toEqual({
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          server: `http://${host}`,
          "tls-server-name": "k8s",
          "insecure-skip-tls-verify": true,
          "disable-compression": true,
          config: { audience: "k8s" },
        },
      },
    });
  });

  it("that is missing is reported with its hint for the installation", async () => {
    const { cluster, host, remedy } = await clusterFor({
      exec: { command: "no-such-plugin", installHint: "Install it:\n  brew install \u001b[31mplugin\n" },
    });

    expect(await cluster.identity(signal)).toEqual({
      kind: "denied",
      detail: `no credentials for ${host}: the credential plugin no-such-plugin was not found: Install it:   brew install \ufffd[31mplugin; ${remedy}`,
    });
  });
});
