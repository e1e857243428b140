import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfiguration } from "#contracts/config/configuration";
import { registryConditions } from "#domain/definitions/registry-status";
import { epochMs } from "#domain/shared/time";
import { printedRegistry, wholeRegistry } from "#test/cluster/seed-definitions";
import "#test/property-runs";
import { lines, lookout } from "../world.ts";

const piped = (text: string) => ({
  async *stdin() {
    yield text.slice(0, 7);
    yield text.slice(7);
  },
});
const imported = (text: string, ...flags: readonly string[]) =>
  lookout(["registry", "import", "-f", "-", ...flags], {}, piped(text));

const objectOf = (spec: object, name = "one", namespace = "shop") => ({
  apiVersion: "registry.lookout.dev/v1alpha1",
  kind: "ImageRegistry",
  metadata: { name, namespace },
  spec,
});
const listOf = (...items: readonly object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items });

interface Printed {
  readonly registries: readonly { readonly name: string; readonly [key: string]: unknown }[];
  readonly notes: readonly { readonly object: string; readonly field: string; readonly message: string }[];
}

/** Returns the entries for programs. */
async function answerFor(...items: readonly object[]): Promise<Printed & { readonly exitCode: number }> {
  const { stdout, stderr, exitCode } = await imported(listOf(...items), "-o", "json");
  expect(stderr).toBe("");
  return { ...(JSON.parse(stdout) as Printed), exitCode };
}

/** Returns the entry of an object, and its notes as text. */
async function entryOf(spec: object) {
  const { registries, notes } = await answerFor(objectOf(spec));
  const [{ name: _, ...entry } = { name: "" }] = registries;
  return { entry, notes: notes.map(({ field, message }) => `${field}: ${message}`) };
}

const credential = "write username with passwordEnv, passwordFile, passwordParameter or passwordId";

describe("lookout registry import", () => {
  it("prints entries of lookout.yaml, and says in comments what has no key", async () => {
    const { stdout, stderr, exitCode } = await imported(`${printedRegistry}---\n${wholeRegistry}`);

    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toBe(
      lines(
        "# lookout.yaml: merge these entries into yours, then run: lookout config check",
        "registries:",
        "  # default/ecr-production (stdin:2)",
        "  #   spec.checkInterval: is left out: each sweep checks the registry",
        "  - name: ecr-production",
        "    host: 123456789012.dkr.ecr.eu-central-1.amazonaws.com",
        "  # default/harbor (stdin:18)",
        `  #   spec.auth.secretRef: Lookout never reads Secrets: ${credential}`,
        `  #   spec.auth.serviceAccountRef: is not used: ${credential}`,
        "  #   spec.tls.caSecretRef: Lookout never reads Secrets: write caFile or caParameter",
        "  #   spec.ecr: is left out: the type is harbor",
        "  #   spec.dockerHub: is left out: the type is harbor",
        "  #   spec.gcr: is left out: the type is harbor",
        "  #   spec.acr: is left out: the type is harbor",
        "  #   spec.generic: is left out: the type is harbor",
        "  - name: harbor",
        "    host: harbor.example.com",
        "    repositories:",
        "      - shop",
        "    rateLimiting:",
        "      requestsPerSecond: 10",
        "      burst: 20",
        "    scan:",
        "      minInterval: 1m",
        "      defaultInterval: 5m",
        "    circuitBreaker:",
        "      enabled: true",
        "      failureThreshold: 5",
        "      timeout: 5m",
      ),
    );
    expect(parseConfiguration(parse(stdout))).toMatchObject({ ok: true });
  });

  it.each([
    [
      { type: "ecr", ecr: { region: "cn-north-1", accountId: "123456789012" } },
      { host: "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn" },
    ],
    [
      { type: "harbor", harbor: { url: "http://Harbor.example.com:8080/", project: "shop" } },
      { host: "harbor.example.com:8080", repositories: ["shop"], insecure: true },
    ],
    [
      { type: "dockerhub", dockerHub: { organization: "acme" } },
      { host: "docker.io", repositories: ["acme"] },
    ],
    [{ type: "dockerhub" }, { host: "docker.io" }],
    [
      { type: "gcr", gcr: { project: "acme" } },
      { host: "us.gcr.io", repositories: ["acme"] },
    ],
    [
      { type: "gcr", gcr: { project: "acme", location: "europe-west1" } },
      { host: "europe-west1-docker.pkg.dev", repositories: ["acme"] },
    ],
    [
      { type: "acr", acr: { subscriptionId: "s", resourceGroup: "g", registryName: "Acme" } },
      { host: "acme.azurecr.io" },
    ],
    [{ type: "quay" }, { host: "quay.io" }],
    [{ type: "generic", generic: { url: "https://10.0.0.7:443" } }, { host: "10.0.0.7" }],
    [
      { type: "quay", scan: { defaultInterval: "1h30m0s" }, circuitBreaker: { enabled: false }, rateLimiting: {} },
      {
        host: "quay.io",
        rateLimiting: { requestsPerSecond: 10, burst: 20 },
        scan: { minInterval: "1m", defaultInterval: "1h30m" },
        circuitBreaker: { enabled: false, failureThreshold: 5, timeout: "5m" },
      },
    ],
  ])("reads %j", async (spec, entry) => {
    expect(await entryOf(spec)).toEqual({ entry, notes: [] });
  });

  it.each([
    [{ auth: { secretRef: { name: "login" } } }, `spec.auth.secretRef: Lookout never reads Secrets: ${credential}`],
    [
      { auth: { workloadIdentity: { enabled: true } } },
      `spec.auth.workloadIdentity: Lookout has no identity there: ${credential}`,
    ],
    [
      { tls: { insecureSkipVerify: true } },
      "spec.tls.insecureSkipVerify: no key skips the check of a certificate: write caFile or caParameter for its authority",
    ],
    [{ scan: { tagLimit: 50 } }, "spec.scan.tagLimit: is left out: Lookout reads all tags"],
    [{ scan: { minInterval: "10s" } }, "spec.scan.minInterval: lookout.yaml allows at least 1m"],
    [{ circuitBreaker: { timeout: "2h" } }, "spec.circuitBreaker.timeout: lookout.yaml allows at most 1h"],
    [
      { circuitBreaker: { failureThreshold: 101 } },
      "spec.circuitBreaker.failureThreshold: lookout.yaml allows at most 100",
    ],
    [{ rateLimitng: {} }, "spec.rateLimitng: is left out: it is unknown; did you mean rateLimiting?"],
    [{ dockerHub: {} }, "spec.dockerHub: is left out: the type is quay"],
  ])("notes %j", async (more, note) => {
    expect((await entryOf({ type: "quay", ...more })).notes).toEqual([note]);
  });

  it("never prints a credential in an address", async () => {
    const { stdout } = await imported(
      listOf(objectOf({ type: "generic", generic: { url: "https://me:s3cret@r.test/v2" } })),
    );

    expect(stdout).toContain("    host: r.test\n");
    expect(stdout).toContain(`  #   spec.generic.url: its credential is left out: ${credential}\n`);
    expect(stdout).not.toMatch(/s3cret|me@|me:s/);
  });

  it("writes one entry for each registry, with a name of its own", async () => {
    const { registries, notes, exitCode } = await answerFor(
      objectOf({ type: "quay" }, "main", "a"),
      objectOf({ type: "quay" }, "other", "b"),
      objectOf({ type: "dockerhub" }, "main", "b"),
    );

    expect(registries).toEqual([
      { name: "main", host: "quay.io" },
      { name: "b:main", host: "docker.io" },
    ]);
    expect(notes).toEqual([
      {
        object: "b/other",
        field: "spec",
        message: "is the same registry as main: write main into lookout.dev/registry",
      },
      {
        object: "b/main",
        field: "metadata.name",
        message: "an earlier object has this name: write b:main into lookout.dev/registry",
      },
    ]);
    expect(exitCode).toBe(0);
  });

  it.each([
    [{ type: "ecr" }, "spec.ecr", "is missing: write an entry with the host of the images (the type is ecr)"],
    [
      { type: "ecr", ecr: { region: "eu-west-1" } },
      "spec.ecr",
      "has no account of 12 digits: write an entry with host: ACCOUNT.dkr.ecr.REGION.amazonaws.com",
    ],
    [
      { type: "harbor", harbor: { url: "https://harbor" } },
      "spec.harbor",
      "names no host of images, which has a dot or a port: write an entry with that host",
    ],
    [
      { type: "harbor", harbor: { url: "https://" } },
      "spec.harbor",
      "has no valid url: write an entry with the host of the images",
    ],
    [
      { type: "dockerhub", dockerHub: { organization: "Acme Inc" } },
      "spec.dockerHub",
      "names a project that no image can have: write an entry with repositories",
    ],
  ])("ends with 1 and a note if %j names no registry", async (spec, field, message) => {
    expect(await answerFor(objectOf(spec))).toEqual({
      registries: [],
      notes: [{ object: "shop/one", field, message }],
      exitCode: 1,
    });
    expect((await imported(listOf(objectOf(spec)))).stdout).toContain(
      "\nregistries: []\n  # shop/one (stdin:1 items[0])\n",
    );
  });

  it("passes over objects of other kinds, also Secrets", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, data: { password: "aHVzaA==" } };
    const { stdout, exitCode } = await imported(listOf(secret, objectOf({ type: "quay" })));

    expect({ exitCode, names: stdout.match(/name: .*/g) }).toEqual({ exitCode: 0, names: ["name: one"] });
    expect(stdout).not.toContain("aHVzaA");
  });

  const quay = objectOf({ type: "quay" });
  it.each([
    [[], "", "✗ A file is missing: add -f registries.yaml, or -f - for stdin."],
    [["-f", "missing.yaml"], "", "✗ missing.yaml: the file does not exist."],
    [["-f", "-"], "", "✗ stdin contains no ImageRegistry."],
    [["-f", "-"], listOf(), "✗ stdin contains no ImageRegistry."],
    [["-f", "-"], JSON.stringify({ kind: "Deployment", apiVersion: "apps/v1" }), "✗ stdin contains no ImageRegistry."],
    [["-f", "-"], JSON.stringify({ ...quay, apiVersion: "other.dev/v1" }), "✗ stdin contains no ImageRegistry."],
    [["-f", "-"], "a: [", "✗ stdin:1: "],
    [["-f", "-"], `${printedRegistry}---\n- 1\n`, "✗ stdin:17: expected a Kubernetes object."],
    [
      ["-f", "-"],
      listOf(quay, { ...quay, apiVersion: "registry.lookout.dev/v1" }),
      '✗ stdin:1 items[1]: apiVersion: expected registry.lookout.dev/v1alpha1, not "registry.lookout.dev/v1".',
    ],
    [["-f", "-"], listOf({ ...quay, spec: undefined }), "✗ stdin:1 items[0]: spec: is missing; expected an object."],
    [["-f", "-"], listOf({ ...quay, metadata: { name: "A B" } }), "✗ stdin:1 items[0]: metadata.name: "],
    [
      ["-f", "-"],
      listOf(objectOf({ type: "ECR" })),
      '✗ stdin:1 items[0]: spec.type: expected ecr or harbor or dockerhub or gcr or acr or quay or generic, not "ECR".',
    ],
    [
      ["-f", "-"],
      listOf(quay, objectOf({ type: "quay", rateLimiting: { requestsPerSecond: 101 } })),
      "✗ stdin:1 items[1]: spec.rateLimiting.requestsPerSecond: expected at most 100, not 101.",
    ],
    [
      ["-f", "-"],
      listOf(objectOf({ type: "quay", rateLimiting: { burst: "20" } })),
      '✗ stdin:1 items[0]: spec.rateLimiting.burst: expected a number, not "20".',
    ],
    [
      ["-f", "-"],
      listOf(objectOf({ type: "quay", scan: { minInterval: "5 minutes" } })),
      '✗ stdin:1 items[0]: spec.scan.minInterval: "5 minutes": not a duration: " minutes" is not a unit',
    ],
    [
      ["-f", "-"],
      listOf(objectOf({ type: "dockerhub", dockerHub: { organization: "x".repeat(256) } })),
      "✗ stdin:1 items[0]: spec.dockerHub.organization: expected at most 255 characters",
    ],
  ])("ends with 2 for %j of %s", async (typed, text, complaint) => {
    const { stdout, stderr, exitCode } = await lookout(["registry", "import", ...typed], {}, piped(text));

    expect(stderr).toContain(complaint);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  });
});

describe("any ImageRegistry", () => {
  const often = <Value>(usual: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: fc.anything() });
  const word = often(fc.constantFrom("shop", "a.b", "r.test:5000", "eu-west-1", "123456789012", "Acme", "us"));
  const url = often(fc.constantFrom("https://r.test", "http://r.test:5000/x", "https://u:p@[::1]:8443", "https://x"));
  const span = often(fc.constantFrom("0s", "1.5s", "1m", "5m0s", "90m", "999h", "5"));
  const number = (most: number) => often(fc.integer({ min: 1, max: most }));
  const some = <Shape extends object>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) =>
    fc.record(shape, { requiredKeys: [] });
  const spec = fc
    .tuple(
      fc.record({ type: often(fc.constantFrom("ecr", "harbor", "dockerhub", "gcr", "acr", "quay", "generic")) }),
      some({
        ecr: fc.record({ region: word, accountId: word }),
        harbor: fc.record({ url, project: word }),
        generic: fc.record({ url }),
        gcr: fc.record({ project: word, location: word }),
        acr: fc.record({ subscriptionId: word, resourceGroup: word, registryName: word }),
        dockerHub: some({ organization: word }),
        rateLimiting: some({ requestsPerSecond: number(100), burst: number(200) }),
        circuitBreaker: some({ enabled: often(fc.boolean()), failureThreshold: number(1_000), timeout: span }),
        scan: some({ minInterval: span, defaultInterval: span, tagLimit: number(200) }),
      }),
    )
    .map(([type, more]) => ({ ...type, ...more }));
  const name = fc.constantFrom("a", "b", "docker.io", "r.test");
  const objects = fc.array(fc.tuple(spec, name, fc.constantFrom("a", "b")), { minLength: 1, maxLength: 5 });

  it("gives entries that lookout.yaml accepts, or a fault with its place", async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(objects, async (all) => {
        const text = listOf(...all.map(([written, own, namespace]) => objectOf(written, own, namespace)));
        const { stdout, stderr, exitCode } = await imported(text);

        seen.add(exitCode);
        if (exitCode === 2) {
          expect(stderr).toMatch(/^✗ stdin:1 items\[\d+\]: spec/);
          return;
        }
        const read = parseConfiguration(parse(stdout));
        expect(read).toMatchObject({ ok: true });
        expect(stdout.match(/^ {2}- name: /gm) ?? []).toHaveLength(read.ok ? read.value.registries.length : -1);
      }),
    );
    expect([...seen].sort()).toEqual([0, 1, 2]);
  });

  it("is ready with its own entry, if it has one", async () => {
    await fc.assert(
      fc.asyncProperty(spec, async (written) => {
        const { stdout, exitCode } = await imported(listOf(objectOf(written, "a")));
        const read = parseConfiguration(exitCode === 0 ? parse(stdout) : {});
        if (exitCode !== 0 || !read.ok) return;

        const [ready] = registryConditions(
          { name: "a", namespace: "shop", spec: written },
          read.value.registries,
          {},
          epochMs(0),
        );
        expect(ready).toMatchObject({ type: "Ready", status: "True" });
      }),
    );
  });
});
