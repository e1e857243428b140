import { describe, expect, it } from "vitest";
import { type ConfigurationSources, loadConfiguration } from "#runtime/local/configuration";

const defaults = {
  clusters: [],
  receivers: [],
  registries: [],
  registryPolicy: "any",
  tiers: [],
  accounts: [],
  definitions: false,
  freezes: [],
  kinds: [],
  people: [],
  approvers: [],
  owners: [],
  namesAreProved: [],
  observe: [],
  budgets: [],
  channels: [],
  checks: [],
  defaults: { semver: "any", nodePlatforms: "ignore" },
  limits: { settle: 10_000, windowSpread: 30_000, maxConcurrentRollouts: 25 },
  listen: { host: "127.0.0.1", port: 4040 },
  dataDir: ".lookout",
};

async function load(files: Readonly<Record<string, string>>, more: Partial<ConfigurationSources> = {}) {
  const {
    written: _written,
    absentFiles: _absent,
    ...loaded
  } = await loadConfiguration({
    environment: { HOME: "/home/ana" },
    readFile: async (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return text;
    },
    ...more,
  });
  return loaded;
}

describe("the configuration file", () => {
  it("may be missing at its usual place", async () => {
    expect(await load({})).toEqual({ configuration: defaults });
  });

  it.each(["", "\n", "# nothing yet\n", "---\n", "clusters:\n"])("may be empty: %j", async (text) => {
    expect(await load({ "lookout.yaml": text })).toEqual({
      file: "lookout.yaml",
      configuration: defaults,
    });
  });

  it("must exist when it is named", async () => {
    await expect(load({}, { file: "other.yaml" })).rejects.toThrow(
      "the configuration other.yaml does not exist: name a readable file with --config",
    );
  });

  it("must be readable when it exists", async () => {
    const readFile = () => Promise.reject(Object.assign(new Error("denied"), { code: "EACCES" }));
    await expect(load({}, { readFile })).rejects.toThrow("the configuration lookout.yaml can't be read (EACCES)");
  });

  it("is parsed with anchors and comments", async () => {
    const text = [
      "clusters:",
      "  - name: prod # the real one",
      "    namespaces: &shop { allow: [shop] }",
      "  - name: stage",
      "    namespaces: *shop",
    ].join("\n");
    expect((await load({ "lookout.yaml": text })).configuration.clusters).toEqual([
      { name: "prod", namespaces: { allow: ["shop"] } },
      { name: "stage", namespaces: { allow: ["shop"] } },
    ]);
  });
});

describe("a path of the configuration file", () => {
  const text = [
    "clusters:",
    "  - { name: home, kubeconfig: ~/.kube/config }",
    "  - { name: beside, kubeconfig: clusters/beside }",
    "  - { name: absolute, kubeconfig: /etc/kube/config }",
    "receivers:",
    "  - { name: build, kind: generic, secretFile: secrets/build }",
    "registries:",
    "  - { host: ghcr.io, username: robot, passwordFile: secrets/ghcr }",
  ].join("\n");

  it("is relative to the folder of the file", async () => {
    const { file, configuration } = await load(
      { "/etc/lookout/lookout.yaml": text },
      { file: "/etc/lookout/lookout.yaml" },
    );
    expect(file).toBe("/etc/lookout/lookout.yaml");
    expect(configuration).toEqual({
      ...defaults,
      clusters: [
        { name: "home", kubeconfig: "/home/ana/.kube/config" },
        { name: "beside", kubeconfig: "/etc/lookout/clusters/beside" },
        { name: "absolute", kubeconfig: "/etc/kube/config" },
      ],
      receivers: [{ name: "build", kind: "generic", secretFile: "/etc/lookout/secrets/build" }],
      registries: [{ name: "ghcr.io", host: "ghcr.io", username: "robot", passwordFile: "/etc/lookout/secrets/ghcr" }],
      accounts: [],
      definitions: false,
      freezes: [],
      kinds: [],
      dataDir: "/etc/lookout/.lookout",
    });
  });

  it("can't be in the user's folder if that is unknown", async () => {
    await expect(load({ "lookout.yaml": text }, { environment: {} })).rejects.toThrow(
      "the path ~/.kube/config of lookout.yaml can't be resolved: the variable HOME is not set",
    );
  });
});

describe("an invalid configuration file", () => {
  it("is rejected with all of its problems, each with its place", async () => {
    const text = [
      "clusters:",
      "  - name: prod",
      "    contxt: prod-admin",
      "  - context: stage",
      "receivers:",
      "  - name: Build",
      "    kind: generic",
      "    secretEnv: BUILD_SECRET",
      "limits: { settle: 10x }",
    ].join("\n");
    await expect(load({ "lookout.yaml": text })).rejects.toMatchObject({
      name: "PermanentError",
      message: [
        "the configuration lookout.yaml has 4 problems:",
        "  lookout.yaml:3:5  clusters[0].contxt: is not a known key here; did you mean context?",
        "  lookout.yaml:4:5  clusters[1].name: is missing; expected a name of lower-case letters, digits and dashes",
        '  lookout.yaml:6:5  receivers[0].name "Build": expected a name of at most 63 lower-case letters, digits and dashes, with no dash at its ends',
        '  lookout.yaml:9:11  limits.settle "10x": not a duration: "x" is not a unit (expected for example 10m, 1h30m or 2d)',
      ].join("\n"),
    });
  });

  it.each([
    { because: "it is a list", text: "- a\n", place: "1:1  the file a list: expected the keys of lookout.yaml" },
    { because: "a key is there twice", text: "listen: a:1\nlisten: a:2\n", place: "2:1  Map keys must be unique" },
    { because: "a bracket is open", text: "clusters: [\n", place: "2:1  Flow sequence" },
    { because: "an anchor is missing", text: "clusters: *all\n", place: "1:1  Unresolved alias" },
    { because: "a tag is not known", text: "listen: !env LISTEN\n", place: "1:9  Unresolved tag" },
    {
      because: "there are two documents",
      text: "listen: a:1\n---\nlisten: a:2\n",
      place: "2:1  Source contains multiple documents",
    },
    {
      because: "it is indented with a tab",
      text: "limits:\n\tsettle: 1s\n",
      place: "2:1  Tabs are not allowed as indentation",
    },
    {
      because: "a key is a word of JavaScript",
      text: "__proto__: { listen: a:1 }\n",
      place: "1:1  __proto__: is not a known key",
    },
    {
      because: "keys are merged",
      text: "limits:\n  <<: { settle: 1s }\n",
      place: '2:3  limits["<<"]: is not a known key',
    },
  ])("is rejected when $because", async ({ text, place }) => {
    await expect(load({ "lookout.yaml": text })).rejects.toThrow(
      `the configuration lookout.yaml has a problem:\n  lookout.yaml:${place}`,
    );
  });

  it("is rejected when its aliases grow without end", async () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let n = 1; n < 9; n++)
      lines.push(`a${n}: &a${n} [${Array.from({ length: 10 }, () => `*a${n - 1}`).join(", ")}]`);
    await expect(load({ "lookout.yaml": lines.join("\n") })).rejects.toThrow("Excessive alias count");
  });
});
