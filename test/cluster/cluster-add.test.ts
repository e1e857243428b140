import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenRenewals } from "#runtime/local/account/token-renewal";
import { openClusters } from "#runtime/local/world";
import { definitionsOf } from "#cli/manifests/definitions/index";
import { epochMs } from "#domain/shared/time";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { freePorts } from "./bed/ports.ts";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { startLookout } from "./lookout.ts";
import { printedPolicy } from "./seed-definitions.ts";

const command = new URL("../../bin/lookout.js", import.meta.url).pathname;
const secret = "s3cret-of-the-receiver";
const never = new AbortController().signal;

let plane: ControlPlane;
let registry: Registry;
let port = 0;
let folder: string;

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  const notify = {
    url: `http://127.0.0.1:${port}/webhooks/registry`,
    headers: { Authorization: `Bearer ${secret}` },
  };
  [plane, registry, folder] = await Promise.all([
    startControlPlane(),
    startRegistry({ notify }),
    mkdtemp(join(tmpdir(), "lookout-cluster-add-")),
  ]);
});

afterAll(async () => {
  await Promise.all([plane.stop(), registry.stop(), rm(folder, { recursive: true, force: true })]);
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in the folder, without a server in the environment. */
async function lookout(typed: string, input = ""): Promise<Ran> {
  const { LOOKOUT_SERVER: _, LOOKOUT_STACK: __, ...env } = process.env;
  const child = spawn(process.execPath, [command, ...typed.split(" ")], { cwd: folder, env });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(input);
  const code = await new Promise<number>((resolve) => child.once("close", (exit) => resolve(exit ?? 1)));
  return { code, out, err };
}

const asAdmin = () => `--kubeconfig ${plane.kubeconfig}`;
const asNobody = () => `--kubeconfig ${plane.kubeconfigFor("nobody")}`;
const inFolder = (...names: readonly string[]) => join(folder, ...names);
const kubeconfig = () => inFolder(".lookout/kubeconfigs/prod.yaml");
const tokenFile = () => inFolder(".lookout/kubeconfigs/prod.token");

/** Returns all objects of Lookout in the cluster. */
async function objects(): Promise<string> {
  const kinds =
    "ns,clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,sa,roles,rolebindings";
  const all = await plane.kubectl("get", kinds, "-A", "-o", "name");
  return all
    .split("\n")
    .filter((name) => name.includes("lookout"))
    .join("\n");
}

const own = [
  "namespace/lookout",
  "clusterrole.rbac.authorization.k8s.io/lookout",
  "clusterrolebinding.rbac.authorization.k8s.io/lookout",
  "validatingadmissionpolicy.admissionregistration.k8s.io/lookout-images-only",
  "validatingadmissionpolicybinding.admissionregistration.k8s.io/lookout-images-only",
  "serviceaccount/lookout",
  "role.rbac.authorization.k8s.io/lookout-token",
  "rolebinding.rbac.authorization.k8s.io/lookout-token",
].join("\n");

const crds = (definitionsOf() as readonly { readonly metadata: { readonly name: string } }[]).map(
  ({ metadata }) => metadata.name,
);

const yamlBefore = "# Our clusters\nlisten: 127.0.0.1:0 # any port\nclusters: [] # none yet\n";
const entry = "clusters:\n  - name: prod\n    kubeconfig: .lookout/kubeconfigs/prod.yaml\n  # none yet\n";

describe("an own cluster", () => {
  it("is refused to a user who lacks the rights, with the rights and the manifests for an admin", async () => {
    const { code, err } = await lookout(`cluster add prod ${asNobody()} --yes`);

    expect({ code, err }).toMatchObject({ code: 4 });
    expect(err).toContain("Lookout may not get the namespace kube-system (403 Forbidden");

    await plane.kubectl("create", "clusterrole", "reader", "--verb=get", "--resource=*.*,namespaces,serviceaccounts");
    await plane.kubectl("create", "clusterrolebinding", "reader", "--clusterrole=reader", "--user=nobody");
    const reader = await lookout(`cluster add prod ${asNobody()} --yes`);
    expect(reader.code).toBe(4);
    expect(reader.err).toContain(
      "lacks rights for this: create namespaces, patch namespaces, create serviceaccounts, patch serviceaccounts, create clusterroles,",
    );
    expect(reader.err).toContain("lookout cluster manifests --service-account lookout/lookout --renew-token");
    expect({ objects: await objects(), files: await readdir(folder) }).toEqual({ objects: "", files: [] });
    await plane.kubectl("delete", "clusterrolebinding,clusterrole", "reader");
  });

  it("is shown before it is added, and a no changes nothing", async () => {
    const shown = await lookout(`cluster add prod ${asAdmin()} --dry-run`);
    const refused = await lookout(`cluster add prod ${asAdmin()}`, "n\n");

    expect(shown).toMatchObject({ code: 0, err: "" });
    expect(shown.out).toContain("  Namespace lookout\n  ServiceAccount lookout/lookout\n  ClusterRole lookout\n");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("Create this in the cluster of the context test-bed? [y/N]");
    expect({ objects: await objects(), files: await readdir(folder) }).toEqual({ objects: "", files: [] });
  });

  it("is not added to a state folder that can't be used", async () => {
    await writeFile(inFolder("taken"), "");
    const { code, err } = await lookout(`cluster add prod ${asAdmin()} --data taken --yes`);
    await rm(inFolder("taken"));

    expect(code).toBe(2);
    expect(err).toContain(
      `✗ the folder ${inFolder("taken/kubeconfigs")} cannot be used for Lookout's state (ENOTDIR): a file is in its place\n  Name another folder with --data FOLDER.\n`,
    );
    expect({ objects: await objects(), files: await readdir(folder) }).toEqual({ objects: "", files: [] });
  });

  it("is added once, with private files and the comments of lookout.yaml", async () => {
    await writeFile(inFolder("lookout.yaml"), yamlBefore);
    const first = await lookout(`cluster add prod ${asAdmin()} --token-life 10m`, "y\n");
    const files = async () => [
      await readFile(inFolder("lookout.yaml"), "utf8"),
      await readFile(kubeconfig(), "utf8"),
      await readFile(tokenFile(), "utf8"),
    ];
    const before = await files();
    const second = await lookout(`cluster add prod ${asAdmin()} --yes`);
    const modes = await Promise.all([kubeconfig(), tokenFile()].map(async (path) => (await stat(path)).mode & 0o777));

    expect(first).toMatchObject({ code: 0 });
    expect(first.out).toMatch(
      /^✓ Cluster prod is in lookout.yaml. Keep .lookout\/kubeconfigs\/prod.yaml out of version control.\n✓ Lookout has access to cluster prod \(kube-system: [0-9a-f-]+\), with all rights for updates.\nTo start Lookout: {2}lookout start\n$/,
    );
    expect({ code: second.code, files: await files() }).toEqual({ code: 0, files: before });
    expect(before[0]).toBe(`# Our clusters\nlisten: 127.0.0.1:0 # any port\n${entry}`);
    expect(modes).toEqual([0o600, 0o600]);
    expect((await objects()).split("\n").sort()).toEqual(own.split("\n").sort());
  });

  it("is not added a second time from a half-done state, but finished", async () => {
    await plane.kubectl("delete", "clusterrolebinding", "lookout");
    await rm(kubeconfig());
    const { code } = await lookout(`cluster add prod ${asAdmin()} --yes`);

    expect(code).toBe(0);
    expect((await objects()).split("\n").sort()).toEqual(own.split("\n").sort());
  });

  it("keeps its name from another cluster", async () => {
    const text = await readFile(kubeconfig(), "utf8");
    await writeFile(kubeconfig(), text.replace(/identity: .*/, "identity: another"));
    const { code, err } = await lookout(`cluster add prod ${asAdmin()} --yes`);
    await writeFile(kubeconfig(), text);

    expect({ code, err }).toEqual({
      code: 2,
      err: "✗ The name prod belongs to another cluster.\n  Choose another name, or first remove it:  lookout cluster remove prod\n",
    });
  });

  it("does not take over the objects of another account", async () => {
    const { code, err } = await lookout(`cluster add other ${asAdmin()} --namespace tools --yes`);

    expect(code).toBe(2);
    expect(err).toContain(
      "✗ The cluster already has objects that this command did not create for tools/lookout: ClusterRole lookout, ClusterRoleBinding lookout, ValidatingAdmissionPolicy lookout-images-only, ValidatingAdmissionPolicyBinding lookout-images-only.",
    );
  });

  it("has an account that may update images and renew its own token, and nothing else", async () => {
    const as = (...words: readonly string[]) =>
      plane.kubectl("--kubeconfig", kubeconfig(), ...words).then(
        (out) => out,
        (error: unknown) => String(error),
      );
    await plane.kubectl("create", "serviceaccount", "neighbour", "--namespace", "lookout");

    expect(await as("create", "token", "lookout", "--namespace", "lookout")).toMatch(/^ey/);
    expect(await as("create", "token", "neighbour", "--namespace", "lookout")).toContain("forbidden");
    expect(await as("get", "secrets", "-A")).toContain("forbidden");
    expect(await as("auth", "can-i", "list", "deployments", "-A")).toContain("yes");
    await plane.kubectl("delete", "serviceaccount", "neighbour", "--namespace", "lookout");
  });

  it("gets updates from a process with this account alone", async () => {
    const process = await startLookout({ kubeconfig: kubeconfig(), registry: registry.host, port, secret });
    try {
      await registry.push("shop/api:1.0.0", { seed: "1.0.0" });
      const manifest = deploymentManifest("api", `${registry.host}/shop/api:1.0.0`, 1);
      const annotations = { "lookout.dev/enabled": "true" };
      await plane.apply([{ ...manifest, metadata: { ...manifest.metadata, annotations } }]);
      await process.fact("WorkloadTracked", "default/api");
      const digest = await registry.push("shop/api:1.1.0", { seed: "1.1.0" });
      await process.fact("RolloutSucceeded", "default/api");

      expect(
        await plane.kubectl("get", "deployment", "api", "-o", "jsonpath={.spec.template.spec.containers[0].image}"),
      ).toBe(`${registry.host}/shop/api:1.1.0@${digest}`);
      expect(await process.run("cluster", "check", "test")).toEqual({
        code: 0,
        out: expect.stringMatching(
          /^✓ Lookout has access to cluster test .*, with all rights for updates.\n$/,
        ) as unknown,
      });
    } finally {
      await process.stop();
    }
  });

  it("has a token that the process renews after half of its life, and then uses", async () => {
    const notices: string[] = [];
    const clusters = [{ name: "prod", kubeconfig: kubeconfig() }];
    const old = await readFile(tokenFile(), "utf8");
    const opened = await openClusters(clusters, {});
    const renewAfter = (minutes: number) =>
      tokenRenewals({
        clusters: () => clusters,
        now: () => epochMs(Date.now() + minutes * 60_000),
        notice: (text) => notices.push(text),
      })();
    try {
      const cluster = opened.cluster("prod");
      await cluster?.identity(never);
      await renewAfter(1);
      expect({ notices, token: await readFile(tokenFile(), "utf8") }).toEqual({ notices: [], token: old });

      await renewAfter(6);
      const renewed = await readFile(tokenFile(), "utf8");
      expect(notices).toEqual([expect.stringMatching(/^the token of cluster prod is renewed, and valid until 2/)]);
      expect(lifeOf(renewed)).toBe(600);
      expect({ isNew: renewed !== old, mode: (await stat(tokenFile())).mode & 0o777 }).toEqual({
        isNew: true,
        mode: 0o600,
      });
      const used = await until("a request uses the new token", async () => {
        await cluster?.identity(never);
        return (await readFile(plane.auditLog, "utf8")).includes(
          `kubernetes.io/credential-id":["JTI=${idOf(renewed)}"]`,
        )
          ? true
          : undefined;
      });
      expect(used).toBe(true);
    } finally {
      await opened.close();
    }
  });

  it("has an expired token that only an admin renews", async () => {
    await writeFile(tokenFile(), "expired");
    const alone = await lookout("cluster renew prod");
    const helped = await lookout(`cluster renew prod ${asAdmin()}`);

    expect(alone.code).toBe(4);
    expect(alone.err).toContain("To renew it with your own rights:  lookout cluster renew prod --context test-bed");
    expect(helped).toMatchObject({ code: 0 });
    expect(helped.out).toMatch(/^✓ The token of cluster prod is renewed, and valid until 2\d{3}-/);
    expect(await lookout("cluster renew prod")).toMatchObject({ code: 0 });
  });

  it("is the cluster of a pod with this account, whose token is read again", async () => {
    const mounted = inFolder("serviceaccount");
    await mkdir(mounted);
    await cp(plane.certificateAuthority, join(mounted, "ca.crt"));
    await writeFile(join(mounted, "token"), await readFile(tokenFile()));
    const { hostname, port: apiPort } = new URL(plane.server);
    const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: apiPort };
    const opened = await openClusters([{ name: "in-cluster", inCluster: true }], environment, mounted);
    try {
      const cluster = opened.cluster("in-cluster");
      expect(await cluster?.rights(never)).toEqual({ kind: "rights", missing: [] });
      expect(await cluster?.list(undefined, never)).toMatchObject({ kind: "workloads", complete: true });

      await writeFile(join(mounted, "token"), "rotated-away");
      await until("the old token is no longer used", async () =>
        (await cluster?.identity(never))?.kind === "denied" ? true : undefined,
      );
      await writeFile(join(mounted, "token"), await readFile(tokenFile()));
      expect(await cluster?.identity(never)).toMatchObject({ kind: "identity" });
    } finally {
      await opened.close();
      await rm(mounted, { recursive: true });
    }
  });

  it("is what a process in a pod starts with, and not the demo", async () => {
    const { hostname, port: apiPort } = new URL(plane.server);
    const env = { ...process.env, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: apiPort };
    const words = [command, "start", "--data", inFolder("pod"), "--listen", "127.0.0.1:0", "--output", "json"];
    const child = spawn(process.execPath, words, { cwd: tmpdir(), env: { ...env, LOOKOUT_CLUSTER_NAME: "mine" } });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const ended = new Promise((resolve) => child.once("close", resolve));
    try {
      const started = await until("it starts", async () => out.split("\n").find((line) => line.includes('"Started"')));

      expect(JSON.parse(started)).toMatchObject({ name: "Started", clusters: ["mine"] });
    } finally {
      child.kill("SIGTERM");
      await ended;
      await rm(inFolder("pod"), { recursive: true, force: true });
    }
  });

  it("has a check that names a credential which is too strong", async () => {
    const process = await startLookout({ kubeconfig: plane.kubeconfig, registry: registry.host, port, secret });
    try {
      const { code, out } = await process.run("cluster", "check", "test");

      expect(code).toBe(0);
      expect(out.split("\n").slice(1)).toEqual([
        "! Its credential may also do everything (cluster-admin), which Lookout never needs.",
        "  To give Lookout its own account:  lookout cluster add test --context CONTEXT",
        "",
      ]);
    } finally {
      await process.stop();
    }
  });

  it("takes over an entry of the same cluster, and keeps its other keys", async () => {
    const file = inFolder("same.yaml");
    const before = await readFile(inFolder("lookout.yaml"), "utf8");
    await writeFile(
      file,
      `clusters:\n  - name: same\n    kubeconfig: ${plane.kubeconfig}\n    context: test-bed\n    namespaces: {deny: [a]}\n`,
    );
    const { code } = await lookout(`cluster add same --config same.yaml ${asAdmin()} --yes`);

    expect({ code, text: await readFile(file, "utf8") }).toEqual({
      code: 0,
      text: "clusters:\n  - name: same\n    kubeconfig: .lookout/kubeconfigs/same.yaml\n    namespaces: {deny: [a]}\n",
    });
    expect(await readFile(inFolder("lookout.yaml"), "utf8")).toBe(before);
    expect(await lookout("cluster remove same --config same.yaml --keep-cluster-objects --yes")).toMatchObject({
      code: 0,
      out: "✓ Cluster same is removed.\n",
    });
    expect(await readdir(folder)).not.toContain("same.yaml");
  });

  it("gets the kinds of definitions and the rights on them, and keeps the objects of an earlier controller", async () => {
    const [imagePolicies] = definitionsOf();
    await plane.apply([imagePolicies ?? {}]);
    await plane.kubectl("wait", "--for=condition=Established", "crd", "--all");
    await plane.kubectl("apply", "-f", "-", { input: printedPolicy });
    const shown = await lookout(`cluster add prod ${asAdmin()} --definitions --dry-run`);
    const added = await lookout(`cluster add prod ${asAdmin()} --definitions --yes`);
    await plane.kubectl("wait", "--for=condition=Established", "crd", "--all");
    const can = (...words: readonly string[]) =>
      plane.kubectl("auth", "can-i", ...words, "-A", "--as=system:serviceaccount:lookout:lookout").catch(() => "no");

    expect(shown.out).toContain(
      `  CustomResourceDefinition ${crds[0] ?? ""}   (exists, and is replaced; its objects stay)\n  CustomResourceDefinition ${crds[1] ?? ""}\n`,
    );
    expect(shown.out).toContain("--service-account lookout/lookout --renew-token --definitions\n");
    expect(added).toMatchObject({ code: 0 });
    expect(added.out).toContain(
      "with all rights for updates.\n! Lookout ignores definitions until lookout.yaml has this line:  definitions: true\n",
    );
    expect(await plane.kubectl("get", "imagepolicies", "-A", "-o", "name")).toContain("imagepolicy");
    expect(await can("list", "serviceimages")).toContain("yes");
    expect(await can("patch", "imagepolicies", "--subresource=status")).toContain("yes");
    expect(await can("patch", "imagepolicies")).toContain("no");
  });

  it("keeps the rights on definitions while lookout.yaml counts them, and loses them afterwards", async () => {
    const text = await readFile(inFolder("lookout.yaml"), "utf8");
    await writeFile(inFolder("lookout.yaml"), `${text}definitions: true\n`);
    const counted = await lookout(`cluster add prod ${asAdmin()} --yes`);
    const rules = () => plane.kubectl("get", "clusterrole", "lookout", "-o", "jsonpath={.rules[*].resources}");
    const withRights = await rules();
    await writeFile(inFolder("lookout.yaml"), text);
    const without = await lookout(`cluster add prod ${asAdmin()} --yes`);

    expect(counted).toMatchObject({ code: 0 });
    expect(counted.out).not.toContain("ignores definitions");
    expect(withRights).toContain("imagepolicies/status");
    expect(without).toMatchObject({ code: 0 });
    expect(await rules()).not.toContain("imagepolicies");
    expect(without.out).toContain(
      "  Or, if lookout cluster add created the account:  lookout cluster add prod --context CONTEXT --definitions\n",
    );
  });

  it("is not removed without access, and says what stays", async () => {
    await plane.stopApiServer();
    const { code, err } = await lookout(`cluster remove prod ${asAdmin()} --yes`);
    const added = await lookout(`cluster add new ${asAdmin()} --yes`);
    await plane.startApiServer();

    expect({ code, added: added.code }).toEqual({ code: 3, added: 3 });
    expect(err).toContain("lookout cluster remove prod --keep-cluster-objects");
    expect(err).toContain("kubectl delete -n lookout -l lookout.dev/cluster-add=lookout serviceaccount,clusterrole,");
    expect(await readFile(inFolder("lookout.yaml"), "utf8")).toContain("name: prod");
  });

  it("keeps its namespace while others use it", async () => {
    await plane.kubectl("create", "secret", "generic", "of-others", "--namespace", "lookout");
    const { out } = await lookout(`cluster remove prod ${asAdmin()} --dry-run`);
    await plane.kubectl("delete", "secret", "of-others", "--namespace", "lookout");

    expect(out).toContain("! Namespace lookout stays: it has secrets.\n");
  });

  it("leaves nothing after its removal: in the cluster, in lookout.yaml and on the disk", async () => {
    const { code, out } = await lookout(`cluster remove prod ${asAdmin()} --yes`);

    expect({ code, out }).toEqual({ code: 0, out: "✓ Cluster prod is removed.\n" });
    await until("the namespace is gone", async () => ((await objects()) === "" ? true : undefined));
    expect(await readFile(inFolder("lookout.yaml"), "utf8")).toBe(yamlBefore);
    expect(await readdir(inFolder(".lookout"))).toEqual([]);
    expect(await lookout("cluster remove prod")).toMatchObject({ code: 2 });
    // Without the kinds, their objects would be gone.
    expect(await plane.kubectl("get", "imagepolicies", "-A", "-o", "name")).toContain("imagepolicy");
  });
});

function claimsOf(token: string): { readonly iat: number; readonly exp: number; readonly jti: string } {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as ReturnType<typeof claimsOf>;
}

function lifeOf(token: string): number {
  const { iat, exp } = claimsOf(token);
  return exp - iat;
}

function idOf(token: string): string {
  return claimsOf(token).jti;
}
