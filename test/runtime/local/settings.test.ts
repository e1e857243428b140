import { describe, expect, it } from "vitest";
import { SettingsView } from "#contracts/api/process";
import { chooseConfiguration, type StartFlags } from "#runtime/local/chosen-configuration";

const file = `# lookout.yaml
clusters:
  - name: local
    kubeconfig: old
  - name: prod
    namespaces:
      allow: [shop, pay]
receivers:
  - name: hub
    kind: distribution
    secretEnv: HUB_SECRET
  - name: build
    kind: generic
    secretFile: secrets/build
registries:
  - host: registry.example.com
    username: lookout
    passwordEnv: REGISTRY_PASSWORD
limits:
`;

const secrets = { HUB_SECRET: "hub-hunter2", LOOKOUT_WEBHOOK_SECRET: "hook-hunter2", REGISTRY_PASSWORD: "" };

async function choose(text: string | undefined, flags: StartFlags = {}, environment: Record<string, string> = {}) {
  return chooseConfiguration(flags, {
    environment: { HOME: "/home/ana", ...environment },
    readFile: async () => {
      if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return text;
    },
  });
}

/** Returns the settings that do not depend on the machine of the test. */
async function settingsOf(...asked: Parameters<typeof choose>) {
  const { settings } = (await choose(...asked)).settings;
  return settings
    .filter(({ setting }) => !/kubeconfig of clusters|docker/.test(setting))
    .map(({ setting, value, source, place }) => [setting, value, place ?? source]);
}

const defaults = [
  ["registryPolicy", "any", "default"],
  ["definitions", "false", "default"],
  ["defaults.semver", "any", "default"],
  ["defaults.nodePlatforms", "ignore", "default"],
  ["limits.settle", "10s", "default"],
  ["limits.windowSpread", "30s", "default"],
  ["limits.maxConcurrentRollouts", "25", "default"],
];

const demoDefaults = [
  ["registryPolicy", "any", "default"],
  ["definitions", "false", "default"],
  ["defaults.semver", "any", "default"],
  ["defaults.nodePlatforms", "ignore", "default"],
  ["limits.settle", "1s", "default"],
  ["limits.windowSpread", "0s", "default"],
  ["limits.maxConcurrentRollouts", "25", "default"],
];

it("shows the settings of channels with their defaults, and never a secret", async () => {
  const text =
    "channels:\n  - { name: audit, kind: webhook, address: https://a.example.com/, events: [failures], secretEnv: KEY }\n";

  expect((await settingsOf(text, {}, { KEY: "whsec_hunter2" })).filter(([key]) => /^channels/.test(key ?? ""))).toEqual(
    [
      ["channels[0].name", "audit", "lookout.yaml:2:7"],
      ["channels[0].events", "failures", "lookout.yaml:2:68"],
      ["channels[0].workloads", "all", "default"],
      ["channels[0].kind", "webhook", "lookout.yaml:2:20"],
      ["channels[0].address", "https://a.example.com/", "lookout.yaml:2:35"],
      ["channels[0].format", "structured", "default"],
      ["channels[0].secret", "set from the variable KEY", "lookout.yaml:2:88"],
    ],
  );
});

describe("the settings in effect", () => {
  it("are the defaults and the demo without any setting", async () => {
    expect(await settingsOf(undefined)).toEqual([
      ["clusters", "the demo cluster", "default"],
      ...demoDefaults,
      ["listen", "127.0.0.1:4040", "default"],
      ["dataDir", "./.lookout", "default"],
    ]);
  });

  it("show their places in the file, and secrets only as set", async () => {
    expect(await settingsOf(file, {}, secrets)).toEqual([
      ["clusters[0].name", "local", "lookout.yaml:3:5"],
      ["clusters[0].kubeconfig", "old", "lookout.yaml:4:5"],
      ["clusters[1].name", "prod", "lookout.yaml:5:5"],
      ["clusters[1].namespaces.allow", "shop, pay", "lookout.yaml:7:7"],
      ["receivers[0].name", "hub", "lookout.yaml:9:5"],
      ["receivers[0].kind", "distribution", "lookout.yaml:10:5"],
      ["receivers[0].secret", "set from the variable HUB_SECRET", "lookout.yaml:11:5"],
      ["receivers[1].name", "build", "lookout.yaml:12:5"],
      ["receivers[1].kind", "generic", "lookout.yaml:13:5"],
      ["receivers[1].secret", "set from the file secrets/build", "lookout.yaml:14:5"],
      ["registries[0].host", "registry.example.com", "lookout.yaml:16:5"],
      ["registries[0].username", "lookout", "lookout.yaml:17:5"],
      ["registries[0].password", "not set: the variable REGISTRY_PASSWORD is empty", "lookout.yaml:18:5"],
      ...defaults,
      ["listen", "127.0.0.1:4040", "default"],
      ["dataDir", "./.lookout", "default"],
    ]);
  });

  it("prefer a flag over the environment, and the environment over the file", async () => {
    const environment = { LOOKOUT_DATA: "env-data" };
    const flags = { listen: "127.0.0.1:0", kubeconfig: "/kube", context: "kind" };
    const text = "clusters:\n  - name: local\nlisten: 127.0.0.1:1\ndataDir: file-data\n";

    expect(await settingsOf(text, flags, environment)).toEqual([
      ...defaults,
      ["listen", "127.0.0.1:0", "--listen"],
      ["dataDir", "env-data", "LOOKOUT_DATA"],
      ["clusters.local.kubeconfig", "/kube", "--kubeconfig"],
      ["clusters.local.context", "kind", "--context"],
    ]);
    expect((await choose(text, { ...flags, dataDir: "/flag-data" }, environment)).configuration).toMatchObject({
      clusters: [{ name: "local", kubeconfig: "/kube", context: "kind" }],
      listen: { host: "127.0.0.1", port: 0 },
      dataDir: "/flag-data",
    });
  });

  it("have the demo's limits if the file sets none", async () => {
    const text = "limits:\n  settle: 7s\n  maxConcurrentRollouts: 2\n";

    expect((await settingsOf(text)).slice(5, 8)).toEqual([
      ["limits.settle", "7s", "lookout.yaml:2:3"],
      ["limits.windowSpread", "0s", "default"],
      ["limits.maxConcurrentRollouts", "2", "lookout.yaml:3:3"],
    ]);
    expect((await choose(text)).configuration.limits).toEqual({
      settle: 7_000,
      windowSpread: 0,
      maxConcurrentRollouts: 2,
    });
    expect((await choose(`${text}clusters:\n  - name: prod\n`)).configuration.limits.windowSpread).toBe(30_000);
  });

  it("are the cluster of the pod in a pod without a cluster, and never the demo", async () => {
    const pod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

    expect(await settingsOf(undefined, {}, pod)).toEqual([
      ["clusters.in-cluster.inCluster", "true", "KUBERNETES_SERVICE_HOST"],
      ...defaults,
      ["listen", "127.0.0.1:4040", "default"],
      ["dataDir", "./.lookout", "default"],
    ]);
    expect((await choose(undefined, {}, pod)).configuration.clusters).toEqual([
      { name: "in-cluster", inCluster: true },
    ]);
    expect((await choose(undefined, {}, { ...pod, LOOKOUT_CLUSTER_NAME: "prod" })).configuration.clusters).toEqual([
      { name: "prod", inCluster: true },
    ]);
    expect((await choose("clusters:\n  - name: a\n", {}, pod)).configuration.clusters).toEqual([{ name: "a" }]);
    await expect(choose(undefined, {}, { ...pod, LOOKOUT_CLUSTER_NAME: "No Name" })).rejects.toThrow(
      'LOOKOUT_CLUSTER_NAME "No Name" is not the name of a cluster: expected lower-case letters, digits and dashes',
    );
  });

  it("report that a secret's file is missing", async () => {
    const { settings } = await chooseConfiguration(
      {},
      {
        environment: { HOME: "/home/ana" },
        readFile: async (path) => {
          if (path === "lookout.yaml") return file;
          throw Object.assign(new Error("no such file"), { code: "ENOENT" });
        },
      },
    );

    expect(settings.settings.find(({ setting }) => setting === "receivers[1].secret")?.value).toBe(
      "not set: the file secrets/build does not exist",
    );
  });

  it("show where AWS keeps secrets, without reading them", async () => {
    const text = [
      "receivers:",
      "  - { name: hub, kind: generic, secretParameter: /lookout/hub }",
      "  - { name: build, kind: generic, secretId: lookout/build }",
      "accounts: ['123456789012']",
    ].join("\n");

    expect((await settingsOf(text)).filter(([setting]) => /secret|accounts/.test(setting ?? ""))).toEqual([
      ["receivers[0].secret", "read from the parameter /lookout/hub of SSM", "lookout.yaml:2:33"],
      ["receivers[1].secret", "read from the secret lookout/build of Secrets Manager", "lookout.yaml:3:35"],
      ["accounts", "123456789012", "lookout.yaml:4:1"],
    ]);
  });

  it("have the receivers of a secret in the environment", async () => {
    const rows = await settingsOf("", {}, secrets);

    expect(rows).toContainEqual([
      "receivers.generic.secret",
      "set from the variable LOOKOUT_WEBHOOK_SECRET",
      "LOOKOUT_WEBHOOK_SECRET",
    ]);
    expect((await choose("", {}, secrets)).environmentReceivers).toEqual([
      { name: "distribution", kind: "distribution", secret: "hook-hunter2" },
      { name: "generic", kind: "generic", secret: "hook-hunter2" },
    ]);
  });

  it.each([file, "", undefined])("hold no secret, and fit their schema", async (text) => {
    const { settings } = await choose(text, {}, secrets);

    expect(JSON.stringify(settings)).not.toContain("hunter2");
    expect(SettingsView.parse(settings)).toEqual(settings);
  });

  it("reject an invalid address", async () => {
    await expect(choose("", { listen: "nowhere" })).rejects.toThrow('--listen "nowhere": expected HOST:PORT');
  });
});
