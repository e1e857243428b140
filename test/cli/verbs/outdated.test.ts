import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { outdatedImages } from "#app/outdated/outdated-images";
import { memoryCluster } from "#adapters/memory/cluster";
import { type MemoryRegistry, memoryRegistry } from "#adapters/memory/registry";
import { addOutdatedWith } from "#cli/verbs/outdated";
import { Failure, formatFailure } from "#cli/failure";
import type { World } from "#cli/world";
import { parseSettings } from "#domain/settings/settings";
import { epochMs } from "#domain/shared/time";
import { builtInKinds, kindSpecs, type WorkloadKind } from "#domain/workload/kinds";
import type { WorkloadLists } from "#ports/cluster";
import type { RegistryRefusal, RepositoryName } from "#ports/registry";
import { loadPatternCompiler } from "#runtime/patterns";
import { aLive, aLiveContainer } from "#test/domain/builders";
import { lines, lookout, now } from "../world.ts";

const host = "registry.example.com";
const day = 24 * 60 * 60 * 1_000;

interface Image {
  readonly workload: string;
  readonly kind?: WorkloadKind;
  readonly images: readonly string[];
  readonly initImages?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A cluster and registries in memory, and the requests that the registries got. */
interface Stage {
  readonly registry: MemoryRegistry;
  readonly asked: string[];
  /** The pauses that the command made, in milliseconds. */
  readonly pauses: number[];
  readonly run: (...typed: readonly string[]) => Promise<Said>;
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

interface Surroundings {
  /** The answer of `listKind` instead of the cluster's. */
  readonly refuse?: (
    kind: WorkloadKind,
    namespace: string | undefined,
  ) => Awaited<ReturnType<WorkloadLists["listKind"]>> | undefined;
  /** The answers of repositories instead of their tags, one for each request. */
  readonly refusals?: Readonly<Record<string, RegistryRefusal[]>>;
  readonly columns?: number;
  readonly isErrorTerminal?: boolean;
}

function stage(workloads: readonly Image[], surroundings: Surroundings = {}): Stage {
  const { refuse = () => undefined, refusals = {}, columns, isErrorTerminal = false } = surroundings;
  const cluster = memoryCluster({ name: "local", clock: { now: () => now } });
  for (const { workload, kind = "Deployment", images, initImages = [], annotations = {} } of workloads) {
    const [namespace = "", name = ""] = workload.split("/");
    const named = (prefix: string) => (image: string, index: number) => ({ name: `${prefix}${index || ""}`, image });
    const spec = { containers: images.map(named("app")), initContainers: initImages.map(named("init")) };
    const template = { spec };
    cluster.apply({
      kind,
      metadata: { name, namespace, annotations },
      spec: kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { template },
    });
  }
  const registry = memoryRegistry();
  const asked: string[] = [];
  const pauses: number[] = [];
  const lists: WorkloadLists = {
    listKind: async (kind, namespace, signal) => refuse(kind, namespace) ?? cluster.listKind(kind, namespace, signal),
  };
  const tags = async (name: RepositoryName, signal: AbortSignal) => {
    asked.push(`${name.registry}/${name.repository}`);
    return refusals[`${name.registry}/${name.repository}`]?.shift() ?? registry.tags(name, signal);
  };
  const run = async (...typed: readonly string[]): Promise<Said> => {
    const [stdout, stderr]: [string[], string[]] = [[], []];
    let exitCode = 0;
    const world = {
      environment: {},
      cwd: "/nowhere",
      now: () => now,
      columns,
      isTerminal: columns !== undefined,
      isErrorTerminal,
      timeZone: "Europe/Berlin",
      stdout: { write: (text: string) => stdout.push(text) },
      stderr: { write: (text: string) => stderr.push(text) },
    } as unknown as World;
    const add = addOutdatedWith((_, question, signal) =>
      outdatedImages(
        {
          lists,
          kinds: builtInKinds.map((kind) => ({ kind, plural: kindSpecs[kind].plural })),
          registry: { ...registry, tags },
          rules: { registryPolicy: "any", registries: [] },
          aliases: new Map(),
          pause: (ms) => Promise.resolve(pauses.push(ms)),
        },
        question,
        signal,
      ),
    );
    const program = new Command().exitOverride();
    add(program, { world, setExitCode: (code) => void (exitCode = code), run: () => Promise.resolve(0) });
    try {
      await program.parseAsync(["outdated", ...typed], { from: "user" });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      stderr.push(formatFailure(error));
      exitCode = error.exitCode;
    }
    return { stdout: stdout.join(""), stderr: stderr.join(""), exitCode };
  };
  return { registry, asked, pauses, run };
}

/** A shop with a version, a flavour, a tag that moves, a tag without order, and an init container. */
function shop(surroundings?: Surroundings): Stage {
  const here = stage(
    [
      { workload: "shop/api", images: [`${host}/api:1.4.0`] },
      { workload: "shop/web", images: ["nginx:1.27-alpine"], initImages: [`${host}/api:1.6.1`] },
      { workload: "shop/bff", kind: "StatefulSet", images: [`${host}/bff`] },
      { workload: "shop/report", kind: "CronJob", images: ["quay.io/x/report:sha-1f3a9c2"] },
      { workload: "pay/ledger", kind: "DaemonSet", images: [`${host}/ledger:3.1.0`] },
    ],
    surroundings,
  );
  const push = (registry: string, repository: string, ...tags: readonly string[]) =>
    tags.forEach((tag, index) =>
      here.registry.push(registry, repository, tag, { createdAt: epochMs(now - (90 - 10 * index) * day) }),
    );
  push(host, "api", "1.4.0", "1.4.2", "1.6.1", "2.0.0");
  push("docker.io", "library/nginx", "1.27-alpine", "1.29-alpine", "1.29");
  push(host, "bff", "latest");
  push("quay.io", "x/report", "sha-1f3a9c2", "sha-abc1234");
  push(host, "ledger", "3.1.0");
  return here;
}

describe("lookout outdated", () => {
  it("lists each image with its newest patch, minor and major, and changes nothing", async () => {
    const { run } = shop();

    expect(await run("-n", "shop")).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: lines(
        "WORKLOAD               IMAGE                      RUNS          PATCH   MINOR         MAJOR   NOTE",
        "shop/cronjob/report    quay.io/x/report           sha-1f3a9c2   ?       ?             ?       not a version tag; its order: lookout outdated shop/cronjob/report --annotate",
        "shop/deployment/api    registry.example.com/api   1.4.0         1.4.2   1.6.1         2.0.0",
        "shop/deployment/web    docker.io/library/nginx    1.27-alpine   –       1.29-alpine   –",
        "                       registry.example.com/api   1.6.1         –       –             2.0.0   init container",
        "shop/statefulset/bff   registry.example.com/bff   latest        –       –             –       moves: follow its digest",
        "5 images, 3 behind, 1 not compared. Nothing was changed. To let Lookout update them: lookout outdated -n shop --annotate",
      ),
    });
  });

  it("asks each repository once, although many workloads use it", async () => {
    const names = Array.from({ length: 40 }, (_, index) => ({
      workload: `shop/w${index}`,
      images: [`${host}/api:1.4.0`],
    }));
    const { run, registry, asked } = stage(names);
    registry.push(host, "api", "1.5.0");

    const { stdout } = await run("--output", "name");

    expect(asked).toEqual([`${host}/api`]);
    expect(stdout.split("\n")).toHaveLength(41);
  });

  it("names only the workloads that are behind with --output name", async () => {
    expect((await shop().run("-o", "name")).stdout).toBe("shop/deployment/api\nshop/deployment/web\n");
  });

  it("lists only the named workloads, and fails for an unknown one", async () => {
    const { run } = shop();

    expect((await run("pay", "shop/api", "-o", "json")).stdout).toContain("pay/daemonset/ledger");
    expect(await run("shop/nothing")).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: lines(
        '✗ No workload "shop/nothing" is in the cluster.',
        "  Lookout reads deployments, statefulsets, daemonsets, cronjobs. To list all:  lookout outdated",
      ),
    });
  });

  it("shows the ages of the running and the newest image with --age", async () => {
    const { run } = shop();

    expect((await run("shop/api", "shop/bff", "--age")).stdout).toBe(
      lines(
        "WORKLOAD               IMAGE                      RUNS     PATCH   MINOR   MAJOR   AGE    AGE OF NEWEST   NOTE",
        "shop/deployment/api    registry.example.com/api   1.4.0    1.4.2   1.6.1   2.0.0   90 d   60 d",
        "shop/statefulset/bff   registry.example.com/bff   latest   –       –       –       90 d   –               moves: follow its digest",
        "2 images, 1 behind. Nothing was changed. To let Lookout update them: lookout outdated shop/api shop/bff --annotate",
      ),
    );
  });

  it("answers in JSON with whole tags and instants", async () => {
    const { stdout } = await shop().run("shop/api", "--age", "-o", "json");

    expect(JSON.parse(stdout)).toEqual({
      images: [
        {
          workload: "shop/deployment/api",
          container: "app",
          list: "containers",
          image: `${host}/api`,
          tag: "1.4.0",
          state: "behind",
          patch: "1.4.2",
          minor: "1.6.1",
          major: "2.0.0",
          createdAt: "2026-08-23T18:45:53.000Z",
          newestCreatedAt: "2026-09-22T18:45:53.000Z",
        },
      ],
      refused: [],
    });
  });

  it("shows progress on stderr of a terminal, and nowhere else", async () => {
    expect((await shop({ isErrorTerminal: true }).run("shop/api")).stderr).toBe("\r1 of 1 repositories read\r\u001b[K");
    expect((await shop().run("shop/api")).stderr).toBe("");
  });

  it("shortens long tags on a terminal, and wraps the notes", async () => {
    const long = `1.4.0-${"x".repeat(100)}`;
    const { run, registry } = stage([{ workload: "shop/api", images: [`${host}/api:${long}`] }], { columns: 120 });
    registry.push(host, "api", long);

    expect((await run()).stdout).toContain(`1.4.0-${"x".repeat(24)}…`);
    expect((await run("--wide")).stdout).toContain(long);
  });
});

describe("lookout outdated --annotate", () => {
  it("prints commands that let Lookout update the images, with their effect", async () => {
    const { run } = shop();

    expect((await run("-n", "shop", "--context", "my cluster", "--annotate")).stdout).toBe(
      lines(
        "# shop/cronjob/report",
        "#   follows the last pushed of the tags of app like ^sha-[0-9a-f]{7,40}$",
        "kubectl annotate --context 'my cluster' -n shop cronjob/report lookout.dev/enabled=true lookout.dev/policy=regex 'lookout.dev/tag-pattern=^sha-[0-9a-f]{7,40}$'",
        "# shop/deployment/api",
        "#   takes app from 1.4.0 to 2.0.0; to keep its major number, add 'lookout.dev/semver-range=^1'",
        "kubectl annotate --context 'my cluster' -n shop deployment/api lookout.dev/enabled=true",
        "# shop/deployment/web",
        "#   takes app from 1.27-alpine to 1.29-alpine",
        "kubectl annotate --context 'my cluster' -n shop deployment/web lookout.dev/enabled=true",
        "# shop/statefulset/bff",
        "#   follows the digest of app",
        "kubectl annotate --context 'my cluster' -n shop statefulset/bff lookout.dev/enabled=true lookout.dev/policy=digest",
      ),
    );
  });

  it("leaves out containers that Lookout can't update, and names workloads without annotations to add", async () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const { run, registry } = stage([
      { workload: "shop/mixed", images: [`${host}/api:1.4.0`, `${host}/proxy@${digest}`, `${host}/web:stable`] },
      { workload: "shop/fixed", images: [`${host}/proxy@${digest}`] },
      { workload: "shop/known", images: [`${host}/api:1.4.0`], annotations: { "lookout.dev/enabled": "true" } },
      { workload: "shop/never", images: [`${host}/api:1.4.0`], annotations: { "lookout.dev/enabled": "false" } },
    ]);
    for (const tag of ["1.4.0", "1.5.0"]) registry.push(host, "api", tag);
    registry.push(host, "web", "stable");

    expect(JSON.parse((await run("--annotate", "-o", "json")).stdout)).toEqual({
      workloads: [
        {
          workload: "shop/deployment/mixed",
          annotations: {
            "lookout.dev/enabled": "true",
            "lookout.dev/container.app1.enabled": "false",
            "lookout.dev/container.app2.policy": "digest",
          },
          notes: [
            "takes app from 1.4.0 to 1.5.0",
            "leaves app1 out: the image of app1 has only a digest: name a tag first",
            "follows the digest of app2",
          ],
        },
      ],
      left: [
        { workload: "shop/deployment/fixed", why: "the image of app has only a digest: name a tag first" },
        { workload: "shop/deployment/known", why: "Lookout already updates it" },
        { workload: "shop/deployment/never", why: "lookout.dev/enabled is false" },
      ],
    });
  });

  it("prints only annotations that Lookout reads without a problem", async () => {
    const tags = [
      "1.4.0",
      "sha-1f3a9c2",
      "stable",
      "build-511",
      "main-20260105-abc1234",
      "20240606",
      "bookworm-20241016-slim",
    ];
    const { run, registry } = stage(
      tags.map((tag, index) => ({
        workload: `shop/w${index}`,
        images: [`${host}/w${index}:${tag}`, `${host}/api:1.4.0`],
      })),
    );
    tags.forEach((tag, index) => registry.push(host, `w${index}`, tag));
    registry.push(host, "api", "1.5.0");

    const { workloads } = JSON.parse((await run("--annotate", "-o", "json")).stdout) as {
      workloads: { workload: string; annotations: Record<string, string> }[];
    };

    const compile = await loadPatternCompiler();
    const problems = workloads.flatMap(({ workload, annotations }) => {
      const index = Number(workload.replace(/^.*w/, ""));
      const containers = [`${host}/w${index}:${tags[index] ?? ""}`, `${host}/api:1.4.0`].map((image, place) => ({
        list: "containers" as const,
        name: `app${place || ""}`,
        image,
      }));
      return parseSettings(annotations, containers, compile).problems;
    });
    expect({ workloads: workloads.length, problems }).toEqual({ workloads: tags.length, problems: [] });
  });
});

describe("lookout outdated with bad input", () => {
  it("ends with 2 without a kubeconfig, and says how to name one", async () => {
    expect(await lookout(["outdated", "--kubeconfig", "nowhere"], {})).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: lines(
        "✗ the kubeconfig /nowhere/nowhere of cluster local does not exist.",
        "  To name another cluster:  lookout outdated --kubeconfig FILE --context NAME",
      ),
      asked: [],
    });
  });

  it("says why an image has no answer, and goes on with the others", async () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const { run, registry } = stage(
      [
        { workload: "shop/a", images: [`${host}/api:1.4.0`] },
        { workload: "shop/b", images: ["down.example.com/x:1.0.0"] },
        { workload: "shop/c", images: ["private.example.com/x:1.0.0"] },
        { workload: "shop/d", images: [`${host}/x@${digest}`] },
        { workload: "shop/e", images: ["shop/UPPER:1"] },
        { workload: "shop/f", images: [`${host}/gone:1.0.0`] },
        { workload: "shop/g", images: [`${host}/api:1.3.0`] },
        { workload: "shop/h", images: ["inner.example.com/x:1.0.0"] },
      ],
      {
        refusals: {
          "down.example.com/x": [{ kind: "unreachable", detail: "down.example.com refused the connection" }],
          "private.example.com/x": [{ kind: "denied", detail: "private.example.com answered 401" }],
          "inner.example.com/x": [
            {
              kind: "not-allowed",
              detail:
                "inner.example.com has an address that is not public; to allow the address, set allowPrivateNetwork in an entry of inner.example.com in lookout.yaml",
            },
          ],
        },
      },
    );
    for (const tag of ["1.4.0", "1.5.0"]) registry.push(host, "api", tag);

    expect(await run()).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: lines(
        "WORKLOAD            IMAGE                       RUNS             PATCH   MINOR   MAJOR   NOTE",
        "shop/deployment/a   registry.example.com/api    1.4.0            –       1.5.0   –",
        "shop/deployment/b   down.example.com/x          1.0.0            ?       ?       ?       registry can't be reached",
        "shop/deployment/c   private.example.com/x       1.0.0            ?       ?       ?       registry rejects the credential",
        "shop/deployment/d   registry.example.com/x      @ aaaaaaaaaaaa   ?       ?       ?       only a digest: name a tag to compare",
        "shop/deployment/e   shop/UPPER:1                ?                ?       ?       ?       not an image reference",
        "shop/deployment/f   registry.example.com/gone   1.0.0            ?       ?       ?       repository not found",
        "shop/deployment/g   registry.example.com/api    1.3.0            –       1.5.0   –       the registry no longer has the running tag",
        "shop/deployment/h   inner.example.com/x         1.0.0            ?       ?       ?       lookout.yaml does not allow the registry",
        "8 images, 2 behind, 6 not compared. Nothing was changed. To let Lookout update them: lookout outdated --annotate",
        "! down.example.com refused the connection",
        "! private.example.com answered 401. Correct the named credential in lookout.yaml, or Docker's login (config.json or the credential helper).",
        '! "shop/UPPER:1": not an image reference: character 6: the repository must be in lower case',
        "! inner.example.com has an address that is not public; to allow the address, set allowPrivateNetwork in an entry of inner.example.com in lookout.yaml:",
        "    registries:",
        "      - host: inner.example.com",
        "        allowPrivateNetwork: true",
      ),
    });
  });

  it("waits for a registry that asks for a short pause, and gives up after a long one", async () => {
    const throttled = (retryAfterMs: number): RegistryRefusal => ({
      kind: "unreachable",
      reason: "registry-throttled",
      detail: `${host} answered 429`,
      retryAfterMs,
    });
    const short = stage([{ workload: "shop/a", images: [`${host}/api:1.4.0`] }], {
      refusals: { [`${host}/api`]: [throttled(2_000), throttled(2_000)] },
    });
    short.registry.push(host, "api", "1.5.0");
    const long = stage([{ workload: "shop/a", images: [`${host}/api:1.4.0`] }], {
      refusals: { [`${host}/api`]: [throttled(3_600_000)] },
    });
    long.registry.push(host, "api", "1.5.0");

    expect((await short.run("-o", "name")).stdout).toBe("shop/deployment/a\n");
    expect((await long.run()).stdout).toContain("registry allows no more requests");
    expect({ asked: long.asked.length, pauses: [short.pauses, long.pauses] }).toEqual({
      asked: 1,
      pauses: [[2_000, 2_000], []],
    });
  });

  it("pauses at most three times for a registry that always answers 429, whatever the number of its images", async () => {
    const images = Array.from({ length: 60 }, (_, index) => `${host}/api-${index}`);
    const throttled: RegistryRefusal = {
      kind: "unreachable",
      reason: "registry-throttled",
      detail: `${host} answered 429`,
      retryAfterMs: 30_000,
    };
    const refusals = Object.fromEntries(images.map((image) => [image, Array.from({ length: 9 }, () => throttled)]));
    const { run, pauses } = stage(
      images.map((image, index) => ({ workload: `shop/w${index}`, images: [`${image}:1.0.0`] })),
      { refusals },
    );

    const { stdout, exitCode } = await run();

    expect({ exitCode, pauses }).toEqual({ exitCode: 0, pauses: [30_000, 30_000, 30_000] });
    expect(stdout).toContain("60 images, 0 behind, 60 not compared.");
  });

  it("names the lists that the cluster denies, and shows the other workloads", async () => {
    const { run } = shop({
      refuse: (kind) =>
        kind === "CronJob" ? { kind: "denied", detail: "you may not list cronjobs (403 Forbidden)" } : undefined,
    });

    const { stdout, exitCode } = await run();

    expect(exitCode).toBe(0);
    expect(stdout.split("\n").slice(-4)).toEqual([
      expect.stringContaining("5 images, 3 behind."),
      "! no cronjobs of all namespaces: you may not list cronjobs (403 Forbidden)",
      "! to list one namespace that you may read: lookout outdated -n NAMESPACE",
      "",
    ]);
  });

  it("reads the other namespaces if one is denied", async () => {
    const { run } = shop({
      refuse: (_, namespace) => (namespace === "pay" ? { kind: "denied", detail: "no right" } : undefined),
    });

    const { stdout } = await run("-n", "pay", "-n", "shop");

    expect(stdout).toContain("shop/deployment/api");
    expect(stdout).toContain("! no daemonsets of the namespace pay: no right\n");
  });

  it.each([
    { kind: "denied" as const, exitCode: 4, says: "✗ The cluster denies the lists of workloads." },
    { kind: "unreachable" as const, exitCode: 3, says: "✗ The cluster can't be reached." },
  ])("ends with $exitCode if every list is $kind", async ({ kind, exitCode, says }) => {
    const said = await shop({ refuse: () => ({ kind, detail: "the cause" }) }).run();

    expect(said).toMatchObject({ exitCode, stdout: "" });
    expect(said.stderr.split("\n").slice(0, 2)).toEqual([says, "  the cause"]);
  });

  it("ends with 2 for a text that is no namespace", async () => {
    expect(await shop().run("-n", "../pay")).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: '✗ "../pay" is not a namespace: expected a name such as shop.\n',
    });
  });

  it("shows control characters of hostile images harmlessly", async () => {
    const { run } = stage([{ workload: "shop/a", images: ["\u001b[31mred\u001b[0m:\u202e1"] }]);

    const { stdout } = await run();
    expect(["\u001b", "\u202e"].filter((character) => stdout.includes(character))).toEqual([]);
  });

  it("finds no images in an empty cluster", async () => {
    expect(await stage([]).run()).toEqual({ exitCode: 0, stderr: "", stdout: "No images found.\n" });
  });
});

it("shows no image of a container that has none yet", async () => {
  const image = `${host}/cache`;
  const live = aLive({ containers: [aLiveContainer({ image, isUnset: true })] });
  const { run, asked } = stage([], {
    refuse: (kind) => ({ kind: "listed", live: kind === "Deployment" ? [live] : [] }),
  });
  const { stdout } = await run("--output", "json");

  expect(stdout).not.toContain(image);
  expect(asked).toEqual([]);
});
