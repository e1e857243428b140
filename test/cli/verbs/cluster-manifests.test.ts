import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { lookout } from "../world.ts";

interface Shown {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
  readonly subjects?: readonly object[];
  readonly spec?: { readonly matchConditions?: readonly { readonly expression: string }[] };
}

async function shown(...flags: readonly string[]): Promise<readonly Shown[]> {
  const { stdout, stderr, exitCode } = await lookout(["cluster", "manifests", ...flags], {});
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Shown);
}

/** Who is given the rights, and whose writes the policy judges. */
function judged(all: readonly Shown[]) {
  return {
    subjects: all.find(({ kind }) => kind === "ClusterRoleBinding")?.subjects,
    judges: all
      .find(({ kind }) => kind === "ValidatingAdmissionPolicy")
      ?.spec?.matchConditions?.map(({ expression }) => expression),
  };
}

const apiGroup = "rbac.authorization.k8s.io";

describe("lookout cluster manifests", () => {
  it("prints rights and policy for the names of an EKS access entry", async () => {
    const all = await shown();

    expect(all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ClusterRole lookout",
      "ClusterRoleBinding lookout",
      "ValidatingAdmissionPolicy lookout-images-only",
      "ValidatingAdmissionPolicyBinding lookout-images-only",
    ]);
    expect(judged(all)).toEqual({
      subjects: [
        { apiGroup, kind: "User", name: "lookout" },
        { apiGroup, kind: "Group", name: "lookout" },
      ],
      judges: [
        'request.userInfo.username in ["lookout"] || request.userInfo.?groups.orValue([]).exists(g, g in ["lookout"])',
      ],
    });
  });

  it("grants no write but patch, on named resources only", async () => {
    const rules = (await shown()).flatMap(({ rules = [] }) => rules);

    expect([...new Set(rules.flatMap(({ verbs }) => verbs))]).toEqual(["get", "list", "watch", "patch"]);
    expect(JSON.stringify(rules)).not.toMatch(/\*|secrets/);
  });

  it("allows deleting pods only on request", async () => {
    const rightsOf = async (...flags: readonly string[]) =>
      (await shown(...flags))
        .flatMap(({ rules = [] }) => rules)
        .filter(({ verbs }) => verbs.includes("delete"))
        .map(({ resources }) => resources);

    expect(await rightsOf()).toEqual([]);
    expect(await rightsOf("--delete-pods")).toEqual([["pods"]]);
  });

  it("allows listing nodes only on request", async () => {
    const rightsOf = async (...flags: readonly string[]) =>
      (await shown(...flags)).flatMap(({ rules = [] }) => rules).filter(({ resources }) => resources.includes("nodes"));

    expect(await rightsOf()).toEqual([]);
    expect(await rightsOf("--read-nodes")).toEqual([{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }]);
  });

  it("defines the kinds that declare updates only on request, with rights on their status alone", async () => {
    const own = new Set((await shown()).flatMap(({ rules = [] }) => rules).map((rule) => JSON.stringify(rule)));
    const { stdout } = await lookout(["cluster", "manifests", "--definitions"], {});
    const all = await shown("--definitions");
    const rules = all.flatMap(({ rules = [] }) => rules).filter((rule) => !own.has(JSON.stringify(rule)));

    expect(all.slice(0, 4).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "CustomResourceDefinition imagepolicies.operator.technomad.dev",
      "CustomResourceDefinition serviceimages.services.azurehealthcareapis.com",
      "CustomResourceDefinition imageregistries.registry.lookout.dev",
      "ClusterRole lookout",
    ]);
    expect(rules.map(({ resources, verbs }) => `${verbs.join(" ")}: ${resources.join(" ")}`)).toEqual([
      "get list watch: imagepolicies",
      "patch: imagepolicies/status",
      "get list watch: serviceimages",
      "patch: serviceimages/status",
      "get list watch: imageregistries",
      "patch: imageregistries/status",
    ]);
    expect(stdout).toContain("# Deleting a definition deletes all its objects.\n");
    expect(stdout).not.toMatch(/: [&*]\w|secrets|finalizers\]/);
  });

  it("creates the named service account, and limits it", async () => {
    const all = await shown("--service-account", "tools/lookout");

    expect(all.slice(0, 2).map(({ kind, metadata }) => ({ kind, ...metadata }))).toEqual([
      { kind: "Namespace", name: "tools" },
      { kind: "ServiceAccount", name: "lookout", namespace: "tools" },
    ]);
    expect(judged(all)).toEqual({
      subjects: [{ kind: "ServiceAccount", namespace: "tools", name: "lookout" }],
      judges: ['request.userInfo.username in ["system:serviceaccount:tools:lookout"]'],
    });
  });

  it("accepts names of other users and groups with any characters", async () => {
    expect(judged(await shown("--user", 'it\'s "L"', "--group", "images"))).toEqual({
      subjects: [
        { apiGroup, kind: "User", name: 'it\'s "L"' },
        { apiGroup, kind: "Group", name: "images" },
      ],
      judges: [
        String.raw`request.userInfo.username in ["it's \"L\""] || request.userInfo.?groups.orValue([]).exists(g, g in ["images"])`,
      ],
    });
  });

  it("prints one list for programs", async () => {
    const { stdout } = await lookout(["cluster", "manifests", "--output", "json"], {});

    expect(JSON.parse(stdout)).toEqual({ apiVersion: "v1", kind: "List", items: await shown() });
  });

  it.each([
    { flag: "--group", name: "system:authenticated" },
    { flag: "--user", name: "system:kube-scheduler" },
    { flag: "--user", name: " " },
  ])("rejects $flag $name, which would limit the cluster itself", async ({ flag, name }) => {
    const { exitCode, stdout, stderr } = await lookout(["cluster", "manifests", flag, name], {});

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(`✗ "${name}" can't be Lookout's`);
  });

  it.each(["lookout", "a/b/c", "UPPER/lookout", "/x"])("rejects the service account %s", async (text) => {
    const { exitCode, stderr } = await lookout(["cluster", "manifests", "--service-account", text], {});

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `✗ "${text}" is not a service account: expected NAMESPACE/NAME.\n`,
    });
  });
});

describe("the kinds of other operators in lookout.yaml", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lookout-manifests-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  const printed = (...flags: readonly string[]) =>
    lookout(["cluster", "manifests", "--output", "json", ...flags], {}, { cwd });

  it("are read, watched and patched", async () => {
    await writeFile(join(cwd, "lookout.yaml"), "kinds: [argo-rollouts, clone-sets]\n");

    const { stdout, exitCode } = await printed();
    const { items } = JSON.parse(stdout) as { readonly items: readonly Shown[] };

    expect(exitCode).toBe(0);
    expect(items.flatMap(({ rules = [] }) => rules)).toEqual(
      expect.arrayContaining([
        { apiGroups: ["argoproj.io"], resources: ["rollouts"], verbs: ["get", "list", "watch", "patch"] },
        { apiGroups: ["apps.kruise.io"], resources: ["clonesets"], verbs: ["get", "list", "watch", "patch"] },
      ]),
    );
  });

  it("come from the file of --config, which must be valid", async () => {
    await writeFile(join(cwd, "other.yaml"), "kinds: [argo-rollout]\n");

    const { stdout, stderr, exitCode } = await printed("--config", "other.yaml");

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain("other.yaml:1:9");
    expect(stderr).toContain("did you mean argo-rollouts?");
  });
});

describe("the lookout.yaml of clusters that lookout cluster add added", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lookout-manifests-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  /** Writes the kubeconfig of an account, as `lookout cluster add` does. */
  async function added(cluster: string, account?: { readonly namespace: string; readonly name: string }) {
    const extension = { ...account, identity: "d7fbc4e0" };
    const extensions = account === undefined ? [] : [{ name: "lookout.dev/account", extension }];
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "one",
      clusters: [{ name: "one", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "lookout", user: { tokenFile: `${cluster}.token` } }],
      contexts: [{ name: "one", context: { cluster: "one", user: "lookout", extensions } }],
    };
    await writeFile(join(cwd, `${cluster}.yaml`), JSON.stringify(kubeconfig));
    return `  - { name: ${cluster}, kubeconfig: ${cluster}.yaml }\n`;
  }

  async function printed(...flags: readonly string[]) {
    const { stdout, stderr } = await lookout(["cluster", "manifests", ...flags], {}, { cwd });
    expect(stderr).toBe("");
    return parseAllDocuments(stdout).map((document) => document.toJS() as Shown);
  }
  const names = (all: readonly Shown[]) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const own = { namespace: "lookout", name: "lookout" };
  const rights = [
    "ClusterRole lookout",
    "ClusterRoleBinding lookout",
    "Role lookout-token",
    "RoleBinding lookout-token",
    "ValidatingAdmissionPolicy lookout-images-only",
    "ValidatingAdmissionPolicyBinding lookout-images-only",
  ];

  it("gives the rights to their account, which stays, and may renew its token", async () => {
    await writeFile(
      join(cwd, "lookout.yaml"),
      `clusters:\n${await added("test", own)}${await added("prod", own)}definitions: true\n`,
    );
    const all = await printed();

    expect(names(all)).toEqual(rights);
    expect(judged(all)).toMatchObject({
      subjects: [{ kind: "ServiceAccount", namespace: "lookout", name: "lookout" }],
      judges: ['request.userInfo.username in ["system:serviceaccount:lookout:lookout"]'],
    });
    expect(JSON.stringify(all[0])).toContain('"imagepolicies/status"');
    expect(names(await printed("--definitions")).slice(3)).toEqual(rights);
  });

  it.each([
    { what: "a cluster has another account", account: { namespace: "tools", name: "lookout" } },
    { what: "a cluster has a kubeconfig of a person", account: undefined },
  ])("gives them to the names of an access entry, if $what", async ({ account }) => {
    const clusters = `clusters:\n${await added("test", own)}${await added("prod", account)}`;
    await writeFile(join(cwd, "lookout.yaml"), clusters);

    expect(judged(await printed()).subjects).toEqual([
      { apiGroup, kind: "User", name: "lookout" },
      { apiGroup, kind: "Group", name: "lookout" },
    ]);
  });
});
