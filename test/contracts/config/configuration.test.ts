import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { receiverKinds } from "#contracts/config/receiver-kinds";
import { parseConfiguration } from "#contracts/config/configuration";

const defaults = {
  clusters: [],
  receivers: [],
  registries: [],
  registryPolicy: "any",
  accounts: [],
  definitions: false,
  freezes: [],
  kinds: [],
  defaults: { semver: "any", nodePlatforms: "ignore" },
  limits: { settle: 10_000, windowSpread: 30_000, maxConcurrentRollouts: 25 },
  listen: { host: "127.0.0.1", port: 4040 },
  people: [],
  approvers: [],
  owners: [],
  namesAreProved: [],
  observe: [],
  tiers: [],
  budgets: [],
  channels: [],
  checks: [],
  dataDir: "./.lookout",
};

/** Path, value and message of each problem. */
function problemsOf(input: unknown): readonly string[] {
  const parsed = parseConfiguration(input);
  return parsed.ok ? [] : parsed.problem.map(({ path, value, message }) => [path, value ?? "–", message].join(" | "));
}

describe("a configuration", () => {
  it.each([
    { reapply: "ask", parsed: { kind: "ask" } },
    { reapply: "after 90m", parsed: { kind: "after", time: 5_400_000 } },
  ])("may have $reapply as default of reapply", ({ reapply, parsed }) => {
    expect(parseConfiguration({ defaults: { reapply } })).toEqual({
      ok: true,
      value: { ...defaults, defaults: { ...defaults.defaults, reapply: parsed } },
    });
  });

  it("may have a default of pullGrace", () => {
    expect(parseConfiguration({ defaults: { pullGrace: "5m" } })).toEqual({
      ok: true,
      value: { ...defaults, defaults: { ...defaults.defaults, pullGrace: 300_000 } },
    });
  });

  it("may name the field managers of deploy tools", () => {
    const appliers = ["deploy-bot", "spinnaker-*", "My Deployer", "kubectl-deploy"];
    expect(parseConfiguration({ defaults: { appliers } })).toEqual({
      ok: true,
      value: { ...defaults, defaults: { ...defaults.defaults, appliers } },
    });
  });

  it.each([
    { because: "nothing is written", input: null },
    { because: "it is empty", input: {} },
    {
      because: "its sections are empty",
      input: { clusters: null, receivers: null, registries: [], limits: null, listen: null },
    },
  ])("has only defaults when $because", ({ input }) => {
    expect(parseConfiguration(input)).toEqual({ ok: true, value: defaults });
  });

  it("is parsed with every key", () => {
    const input = {
      clusters: [
        {
          name: "prod",
          kubeconfig: "~/.kube/prod",
          context: "prod-admin",
          namespaces: { allow: ["shop"], deny: ["pay"] },
        },
        { name: "stage" },
      ],
      receivers: [
        { name: "harbour", kind: "distribution", registry: "Registry.Example.COM", secretEnv: "HARBOUR_SECRET" },
        { name: "build", kind: "generic", secretFile: "secrets/build" },
      ],
      channels: [],
      checks: [],
      registries: [
        { host: "localhost:5000", aliases: ["registry:5000", "mirror.example.com"], insecure: true },
        {
          name: "harbor-shop",
          host: "harbor.example.com",
          repositories: ["shop", "base/alpine"],
          namespaces: ["shop", "prod/shop-eu", "stage/*"],
          allowPrivateNetwork: true,
          caFile: "harbor.pem",
          proxy: "http://proxy.example.com:3128",
        },
        { host: "ghcr.io", username: "robot", passwordEnv: "GHCR_PASSWORD" },
      ],
      people: [
        { name: "ana", email: "ana@example.com", iam: "arn:aws:iam::111122223333:role/ops/ana" },
        { name: "ben", iam: ["AWSReservedSSO_Ops_0123/ben", "deploy/ben"], tokenHash: `sha256:${"0".repeat(64)}` },
      ],
      approvers: [{ namespaces: ["shop-*", "prod/pay"], people: ["ana", "ben"], needed: 2, deadline: "24h" }],
      owners: ["ana"],
      namesAreProved: ["arn:aws:iam::111122223333:role/deploy"],
      observe: [],
      tiers: [],
      defaults: { semver: "minor", nodePlatforms: "ignore" },
      limits: { settle: "1m30s", windowSpread: "0" },
      budgets: [
        {
          namespaces: ["team-*", "*/lab"],
          evaluations: 5,
          requestsPerMinute: 300,
          cpuSecondsPerMinute: 10,
          memoryMiB: 16,
        },
      ],
      listen: "[::1]:0",
      dataDir: "/var/lib/lookout",
    };
    expect(parseConfiguration(input)).toEqual({
      ok: true,
      value: {
        ...input,
        receivers: [{ ...input.receivers[0], registry: "registry.example.com" }, input.receivers[1]],
        registries: input.registries.map((registry) => ({ name: registry.host, ...registry })),
        registryPolicy: "any",
        channels: [],
        checks: [],
        accounts: [],
        definitions: false,
        freezes: [],
        kinds: [],
        people: [{ ...input.people[0], iam: ["arn:aws:iam::111122223333:role/ops/ana"] }, input.people[1]],
        approvers: [
          { ...input.approvers[0], deadline: 86_400_000, notTheAuthor: false, required: false, byAnnotation: false },
        ],
        limits: { settle: 90_000, windowSpread: 0, maxConcurrentRollouts: 25 },
        listen: { host: "::1", port: 0 },
      },
    });
  });
});

describe("a problem of a configuration", () => {
  it.each([
    {
      because: "a key is misspelt",
      input: { clusters: [{ name: "a" }, { name: "b", contxt: "x" }] },
      expected: ["clusters[1].contxt | – | is not a known key here; did you mean context?"],
    },
    {
      because: "a section is misspelt, even when it is empty",
      input: { clustres: null },
      expected: ["clustres | – | is not a known key here; did you mean clusters?"],
    },
    {
      because: "a default is no step of a version",
      input: { defaults: { semver: "patch" } },
      expected: ['defaults.semver | "patch" | expected any, major or minor'],
    },
    {
      because: "a key is like no other",
      input: { limits: { parallel: 3 } },
      expected: [
        "limits.parallel | – | is not a known key here; known are settle, windowSpread, maxConcurrentRollouts",
      ],
    },
    {
      because: "a name is missing",
      input: { clusters: [{ context: "x" }] },
      expected: ["clusters[0].name | – | is missing; expected a name of lower-case letters, digits and dashes"],
    },
    {
      because: "a name is in capitals",
      input: { clusters: [{ name: "Prod" }] },
      expected: [
        'clusters[0].name | "Prod" | expected a name of at most 63 lower-case letters, digits and dashes, with no dash at its ends',
      ],
    },
    {
      because: "a name is a number",
      input: { clusters: [{ name: 1 }] },
      expected: ["clusters[0].name | 1 | expected a name of lower-case letters, digits and dashes"],
    },
    {
      because: "a value is left empty",
      input: { clusters: [{ name: "a", namespaces: { allow: null } }] },
      expected: ["clusters[0].namespaces.allow | null | expected a list of namespaces"],
    },
    {
      because: "a cluster of EKS has two names",
      input: {
        clusters: [
          { name: "a", eks: { name: "prod" } },
          { name: "b", eks: { name: "prod", region: "eu-west-1" } },
          { name: "c", eks: { name: "prod" } },
        ],
      },
      expected: ["clusters[2].eks | – | is also the cluster of entry [0] of this list"],
    },
    {
      because: "a cluster of EKS has two names, with two roles of its account",
      input: {
        clusters: [
          { name: "a", eks: { name: "prod", roleArn: "arn:aws:iam::210987654321:role/lookout" } },
          { name: "b", eks: { name: "prod", roleArn: "arn:aws:iam::321098765432:role/lookout" } },
          { name: "c", eks: { name: "prod", roleArn: "arn:aws:iam::210987654321:role/other" } },
        ],
      },
      expected: ["clusters[2].eks | – | is also the cluster of entry [0] of this list"],
    },
    {
      because: "an access entry is asked for that the stack creates anyway",
      input: { clusters: [{ name: "a", eks: { name: "prod", accessEntry: true } }] },
      expected: [
        "clusters[0].eks.accessEntry | true | expected false, or no accessEntry: by default, the stack creates the access entry",
      ],
    },
    {
      because: "two clusters have one name",
      input: { clusters: [{ name: "a" }, { name: "b" }, { name: "a" }] },
      expected: ['clusters[2].name | "a" | is already the name of entry [0] of this list'],
    },
    {
      because: "two registries are one host",
      input: { registries: [{ host: "ghcr.io" }, { host: "GHCR.IO" }] },
      expected: ['registries[1].host | "GHCR.IO" | is already the host of entry [0] of this list'],
    },
    {
      because: "two registries have one name, or the same repositories of one host",
      input: {
        registries: [
          { host: "a.example.com", repositories: ["shop"] },
          { name: "a.example.com", host: "b.example.com" },
          { name: "again", host: "a.example.com", repositories: ["pay", "shop"] },
          { name: "rest", host: "a.example.com" },
        ],
      },
      expected: [
        'registries[1].name | "a.example.com" | is already the name of entry [0] of this list',
        'registries[2].repositories[1] | "shop" | is already a prefix of entry [0] of this list',
      ],
    },
    {
      because: "a registry's repositories, namespaces and proxy are none",
      input: {
        registries: [
          {
            host: "a.example.com",
            repositories: ["/shop"],
            namespaces: ["*"],
            proxy: "http://user:hunter2@proxy.example.com",
          },
        ],
      },
      expected: [
        'registries[0].repositories[0] | "/shop" | expected the beginning of a repository\'s path, such as "shop" or "shop/api", with no slash at its ends',
        'registries[0].namespaces[0] | "*" | expected "NAMESPACE", "CLUSTER/NAMESPACE" or "CLUSTER/*"',
        'registries[0].proxy | …@proxy.example.com" | expected the address of a proxy without a password, such as "http://proxy.example.com:3128"',
      ],
    },
    {
      because: "an alias is no host",
      input: { registries: [{ host: "c.example.com", aliases: ["c/d"] }] },
      expected: [
        'registries[0].aliases[0] | "c/d" | expected a registry\'s host as in image references, "host.example" or "host:port", without a scheme',
      ],
    },
    {
      because: "a host is an alias of two registries, or of itself",
      input: {
        registries: [
          { host: "a.example.com", aliases: ["Mirror.example.com"] },
          {
            host: "b.example.com",
            aliases: ["ok.example.com", "mirror.example.com", "a.example.com", "b.example.com"],
          },
        ],
      },
      expected: [
        'registries[1].aliases[1] | "mirror.example.com" | is already a host of entry [0] of this list',
        'registries[1].aliases[2] | "a.example.com" | is already a host of entry [0] of this list',
        'registries[1].aliases[3] | "b.example.com" | is already a host of entry [1] of this list',
      ],
    },
    {
      because: "a kind is unknown",
      input: { receivers: [{ name: "a", kind: "docker", secretEnv: "A" }] },
      expected: [
        `receivers[0].kind | "docker" | expected ${Object.keys(receiverKinds).join(", ")}; did you mean dockerhub?`,
      ],
    },
    {
      because: "a receiver has no secret",
      input: { receivers: [{ name: "a", kind: "generic" }] },
      expected: ["receivers[0] | – | needs one of secretEnv, secretFile, secretParameter, secretId, or tokens"],
    },
    {
      because: "a receiver has two secrets",
      input: { receivers: [{ name: "a", kind: "generic", secretEnv: "A", secretFile: "a" }] },
      expected: ["receivers[0] | – | needs one of secretEnv, secretFile, secretParameter, secretId, or tokens"],
    },
    {
      because: "a user has no password",
      input: { registries: [{ host: "ghcr.io", username: "robot" }] },
      expected: [
        "registries[0] | – | needs username together with one of passwordEnv, passwordFile, passwordParameter, passwordId, or none of them",
      ],
    },
    {
      because: "a password has no user",
      input: { registries: [{ host: "ghcr.io", passwordEnv: "A" }] },
      expected: [
        "registries[0] | – | needs username together with one of passwordEnv, passwordFile, passwordParameter, passwordId, or none of them",
      ],
    },
    {
      because: "limits of a registry are out of bounds, or misspelt",
      input: {
        registries: [
          {
            host: "a.example.com",
            rateLimiting: { requestsPerSecond: 0, burst: "many" },
            circuitBreaker: { timeout: "2h", failureTreshold: 3 },
          },
          { host: "b.example.com", rateLimit: {} },
        ],
      },
      expected: [
        "registries[0].rateLimiting.requestsPerSecond | 0 | expected a whole number from 1 to 1000",
        'registries[0].rateLimiting.burst | "many" | expected a whole number from 1 to 2000',
        'registries[0].circuitBreaker.timeout | "2h" | must be from 1s to 1h',
        "registries[0].circuitBreaker.failureTreshold | – | is not a known key here; did you mean failureThreshold?",
        "registries[1].rateLimit | – | is not a known key here; did you mean rateLimiting?",
      ],
    },
    {
      because: "a registry has keys of an ImageRegistry",
      input: {
        registries: [
          {
            host: "a.example.com",
            type: "ecr",
            circuitBreaker: { failureThreshold: 3, successThreshold: 2 },
            scan: { tagLimit: 100, sortBy: "pushedAt" },
            tls: { insecureSkipVerify: true },
            auth: { secretRef: { name: "hunter2" } },
          },
        ],
      },
      expected: [
        "registries[0].scan.tagLimit | – | is a key of ImageRegistry, and not a known key here; remove it: Lookout reads all tags",
        "registries[0].scan.sortBy | – | is a key of ImageRegistry, and not a known key here; remove it: lookout.dev/policy of a workload sorts its tags",
        "registries[0].circuitBreaker.successThreshold | – | is a key of ImageRegistry, and not a known key here; remove it: the first answer ends the pause",
        "registries[0].type | – | is a key of ImageRegistry, and not a known key here; remove it: the host shows the kind of a registry",
        "registries[0].tls | – | is a key of ImageRegistry, and not a known key here; write caFile or caParameter for its authority; no key skips the check of a certificate",
        "registries[0].auth | – | is a key of ImageRegistry, and not a known key here; write username with passwordEnv, passwordFile, passwordParameter or passwordId, or roleArn for ECR",
      ],
    },
    {
      because: "a registry has the form of an ImageRegistry",
      input: {
        registries: [{ apiVersion: "v1alpha1", kind: "ImageRegistry", metadata: {}, spec: {}, status: {} }],
      },
      expected: [
        'registries[0].host | – | is missing; expected a registry\'s host as in image references, "host.example" or "host:port", without a scheme',
        "registries[0].apiVersion | – | is a key of ImageRegistry, and not a known key here; write the members of spec as keys of the entry",
        "registries[0].kind | – | is a key of ImageRegistry, and not a known key here; write the members of spec as keys of the entry",
        "registries[0].metadata | – | is a key of ImageRegistry, and not a known key here; write metadata.name as name",
        "registries[0].spec | – | is a key of ImageRegistry, and not a known key here; write its members as keys of the entry",
        "registries[0].status | – | is a key of ImageRegistry, and not a known key here; remove it: lookout registry list shows the state",
      ],
    },
    {
      because: "keys of an ImageRegistry are somewhere else",
      input: { clusters: [{ name: "a", tls: {} }], limits: { tagLimit: 1 } },
      expected: [
        "clusters[0].tls | – | is not a known key here; known are name, kubeconfig, context, inCluster, eks, network, namespaces, nodePlatforms, mode, tier",
        "limits.tagLimit | – | is not a known key here; known are settle, windowSpread, maxConcurrentRollouts",
      ],
    },
    {
      because: "a registry is a URL",
      input: { registries: [{ host: "https://robot:hunter2@ghcr.io" }] },
      expected: [
        'registries[0].host | …@ghcr.io" | expected a registry\'s host as in image references, "host.example" or "host:port", without a scheme',
      ],
    },
    {
      because: "reapply has no known form",
      input: { defaults: { reapply: "after -1h" } },
      expected: [
        'defaults.reapply | "after -1h" | expected a duration above zero: after 1h ("-1h": not a duration: it is negative (expected for example 10m, 1h30m or 2d))',
      ],
    },
    ...["", "*", " deploy", "deploy ", "de*ploy", "deploy**", "deploy\n", "x".repeat(129)].map((name) => ({
      because: `an applier is ${JSON.stringify(name)}`,
      input: { defaults: { appliers: ["deploy-bot", name] } },
      expected: [
        expect.stringMatching(
          /^defaults\.appliers\[1\] \| .* \| expected a field manager of at most 128 printable characters, with \* only at its end$/s,
        ) as string,
      ],
    })),
    {
      because: "an applier is no text",
      input: { defaults: { appliers: [4] } },
      expected: [
        "defaults.appliers[0] | 4 | expected a field manager of at most 128 printable characters, with * only at its end",
      ],
    },
    {
      because: "an applier stands for people",
      input: { defaults: { appliers: ["kubectl", "kubectl-e*", "kube*"] } },
      expected: [
        ["[0]", '"kubectl"', "kubectl"],
        ["[1]", '"kubectl-e*"', "kubectl-edit"],
        ["[2]", '"kube*"', "kubectl"],
      ].map(
        ([at = "", value = "", person = ""]) =>
          `defaults.appliers${at} | ${value} | expected a manager that only your deploy tool uses: this name also means ${person}, with which people change images. Give the tool its own, for example kubectl apply --field-manager=deploy-bot`,
      ),
    },
    {
      because: "an applier is Lookout",
      input: { defaults: { appliers: ["lookout"] } },
      expected: [
        'defaults.appliers[0] | "lookout" | expected a manager that only your deploy tool uses: this name also means lookout, the manager of Lookout\'s own writes. Give the tool its own, for example kubectl apply --field-manager=deploy-bot',
      ],
    },
    {
      because: "there are too many appliers",
      input: { defaults: { appliers: Array.from({ length: 21 }, (_, at) => `bot-${at}`) } },
      expected: ["defaults.appliers | a list | expected at most 20 field managers"],
    },
    {
      because: "pullGrace is too long",
      input: { defaults: { pullGrace: "2d" } },
      expected: ['defaults.pullGrace | "2d" | expected 1s to 1h, such as 60s'],
    },
    {
      because: "a duration has an unknown unit",
      input: { limits: { settle: "10x" } },
      expected: ['limits.settle | "10x" | not a duration: "x" is not a unit (expected for example 10m, 1h30m or 2d)'],
    },
    {
      because: "a duration is a number",
      input: { limits: { settle: 10 } },
      expected: ['limits.settle | 10 | expected a duration such as "10s", "1m30s" or "2h"'],
    },
    {
      because: "a port is beyond the last",
      input: { listen: "127.0.0.1:65536" },
      expected: ['listen | "127.0.0.1:65536" | expected "host:port", for example "127.0.0.1:4040" or "[::1]:4040"'],
    },
    {
      because: "a section is no list",
      input: { clusters: { name: "a" } },
      expected: ["clusters | a mapping | expected a list of clusters"],
    },
    { because: "it is a list", input: [], expected: [" | a list | expected the keys of lookout.yaml"] },
  ])("names its place and the expected value when $because", ({ input, expected }) => {
    expect(problemsOf(input)).toEqual(expected);
  });

  it("does not hide other problems", () => {
    const input = {
      clusters: [{ name: "A" }, { name: "b", nmae: 1 }],
      receivers: [{ kind: "generic", secretEnv: "A" }],
      listen: 1,
    };
    expect(problemsOf(input).map((line) => line.split(" | ")[0])).toEqual([
      "clusters[0].name",
      "clusters[1].nmae",
      "receivers[0].name",
      "listen",
    ]);
  });

  it.each([
    {
      because: "a password under a key that is not known",
      input: { registries: [{ host: "ghcr.io", password: "hunter2!" }] },
    },
    {
      because: "a secret in the place of its variable",
      input: { receivers: [{ name: "a", kind: "generic", secretEnv: "hunter2!" }] },
    },
    {
      because: "a password in the place of its variable",
      input: { registries: [{ host: "ghcr.io", username: "a", passwordEnv: "hunter2!" }] },
    },
  ])("does not show $because", ({ input }) => {
    expect(problemsOf(input)).toHaveLength(1);
    expect(JSON.stringify(parseConfiguration(input))).not.toContain("hunter2");
  });

  it("shows only the beginning of a long value", () => {
    const [line = ""] = problemsOf({ listen: "x".repeat(10_000) });
    expect(line.length).toBeLessThan(200);
  });
});

describe("any configuration", () => {
  const anyEntry = fc.oneof(
    fc.dictionary(
      fc.constantFrom("name", "kind", "host", "secretEnv", "username", "namespaces", "__proto__"),
      fc.jsonValue(),
    ),
    fc.jsonValue(),
  );
  const sections = fc.constantFrom("clusters", "receivers", "registries", "limits", "listen", "dataDir", "constructor");

  it("is accepted or has problems, without an exception", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.dictionary(sections, fc.oneof(fc.array(anyEntry), anyEntry)), fc.jsonValue()),
        (input) => {
          const parsed = parseConfiguration(input);
          if (!parsed.ok) expect(parsed.problem).not.toEqual([]);
        },
      ),
    );
  });
});
