import { createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { memoryRegistry } from "#adapters/memory/registry";
import { memoryDatabase } from "#adapters/sqlite/database";
import { deepEqual } from "#domain/shared/deep-equal";
import { epochMs } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";
import type { Cluster } from "#ports/cluster";
import type { Registry } from "#ports/registry";
import { requestFunctions } from "#runtime/local/functions";
import { load, secretFilesOf } from "#runtime/local/loaded";
import { reloadedConfiguration, type ReloadedConfiguration } from "#runtime/local/reload";
import { openWorld, type Openings, type RunWorld } from "#runtime/local/run-world";
import { noChecks } from "#runtime/checks";
import { noChannels } from "#runtime/channels";
import { openShell, type Shell } from "#runtime/local/shell";
import { statePorts } from "#runtime/local/state";
import { memoryCluster } from "#test/model/world/cluster-hands";

const host = "registry.test";
const names = ["api", "bff", "cart", "web"];
const secret = "a secret of the builds";
const clock = { now: () => epochMs(Date.now()) };

/** The file of an edit. Its number is in the cluster, the registry and the rules. */
function text(edit: number, { freeze = edit % 4 === 0, more = "" } = {}): string {
  return `
clusters: [{ name: prod, namespaces: { deny: [v-${edit}] } }]
registries: [{ name: v-${edit}, host: ${host} }]
receivers: [{ name: builds, kind: generic, secretFile: secret }]
limits: { settle: 1s, windowSpread: 0s }
freezes: ${freeze ? `[{ name: v-${edit}, why: "edit v-${edit}", windows: [{ cron: "0 0 * * *", duration: 24h, timeZone: UTC }] }]` : "[]"}
${more}`;
}

const versionOf = (name = ""): number => Number(name.replace("v-", ""));

let folder: string;
let opened: Opened;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lookout-reload-"));
  writeFileSync(join(folder, "secret"), secret);
  writeFileSync(join(folder, "lookout.yaml"), text(0));
  opened = await open();
});
afterEach(async () => {
  await opened.shell.stop(1_000);
  rmSync(folder, { recursive: true });
});

/** A process in this test, whose calls name the edits that they follow. */
interface Opened {
  readonly shell: Shell;
  readonly reloading: ReloadedConfiguration;
  readonly cluster: ReturnType<typeof memoryCluster>;
  readonly registry: ReturnType<typeof memoryRegistry>;
  readonly facts: Fact[];
  readonly failures: unknown[];
  readonly notices: string[];
  /** The edits that each run has used. */
  readonly runs: Map<AbortSignal, Set<number>>;
  /** The runs that began with a configuration that was neither in force nor the one before. */
  readonly late: number[];
  readonly closed: number[];
  /** The edit in force. */
  readonly edit: () => number;
}

async function open(): Promise<Opened> {
  const cluster = memoryCluster({ name: "prod", clock, startupMs: 20 });
  const registry = memoryRegistry();
  const runs: Opened["runs"] = new Map();
  const [facts, failures, notices, late, closed]: [Fact[], unknown[], string[], number[], number[]] = [
    [],
    [],
    [],
    [],
    [],
  ];
  const inForce = [0];
  const note = (version: number, ...asked: readonly unknown[]): void => {
    const signal = asked.findLast((one) => one instanceof AbortSignal);
    if (signal === undefined) return;
    if (!runs.has(signal) && !inForce.slice(-2).includes(version)) late.push(version);
    runs.set(signal, (runs.get(signal) ?? new Set()).add(version));
  };
  const noting = <Port extends object>(port: Port, version: number, methods: readonly (keyof Port)[]): Port => ({
    ...port,
    ...Object.fromEntries(
      methods.map((name) => [
        name,
        (...asked: readonly unknown[]) => {
          note(version, ...asked);
          return (port[name] as (...all: readonly unknown[]) => unknown)(...asked);
        },
      ]),
    ),
  });
  const openings: Openings = {
    clock,
    channels: () => noChannels,
    checks: () => noChecks,
    openCluster: async ({ namespaces }) => {
      const version = versionOf(namespaces?.deny?.[0]);
      const noted = noting<Cluster>(cluster, version, ["read", "list", "patch", "health"]);
      return { ...noted, close: async () => void closed.push(version) };
    },
    openRegistry: async ({ registries }) =>
      noting<Registry>(registry, versionOf(registries[0]?.name), ["tags", "inspect", "resolve", "manifest", "config"]),
  };
  const file = join(folder, "lookout.yaml");
  const sources = {
    environment: {},
    readFile: (path: string) => readFile(path, "utf8"),
    readInAws: () => Promise.reject(new Error("no AWS here")),
  };
  const started = await load({ config: file }, sources);
  let world: RunWorld = await openWorld(started, openings);
  const shell = openShell({
    ports: { clock, ...statePorts(memoryDatabase("abc123")), ...world },
    receivers: world.receivers,
    log: { outcome: () => undefined, failure: (entry) => failures.push(entry) },
    onFact: (fact) => facts.push(fact),
  });
  const reloading = reloadedConfiguration({
    ...{ started, clock, notice: (told: string) => notices.push(told) },
    load: (config = file, onFiles) => load({ config }, sources, (chosen) => onFiles(secretFilesOf(chosen))),
    prepare: async (next, evaluates) => {
      const prepared = await openWorld(next, openings, world);
      return {
        discard: () => prepared.close(world),
        use: async () => {
          const former = world;
          world = prepared;
          inForce.push(versionOf(next.configuration.registries[0]?.name));
          const { unused, resumed } = shell.replace(prepared, evaluates);
          void unused.then(() => former.close(prepared));
          await resumed;
        },
      };
    },
  });
  for (const name of names) {
    registry.push(host, `shop/${name}`, "1.0.0");
    const image = `${host}/shop/${name}:1.0.0`;
    cluster.apply({
      kind: "Deployment",
      metadata: { namespace: "shop", name, annotations: { "lookout.dev/enabled": "true" } },
      spec: { replicas: 1, template: { spec: { containers: [{ name: "main", image }] } } },
    });
  }
  await shell.start();
  await until(() => facts.filter(({ name }) => name === "WorkloadTracked").length === names.length);
  const edit = () => inForce.at(-1) ?? 0;
  return { shell, reloading, cluster, registry, facts, failures, notices, runs, late, closed, edit };
}

async function until(holds: () => boolean, lookAgain: () => Promise<void> = async () => undefined): Promise<void> {
  for (const deadline = Date.now() + 20_000; !holds();) {
    if (Date.now() > deadline) throw new Error("this did not happen in 20 seconds");
    await lookAgain();
    await pause(1);
  }
}

/** Notifies the process of a push, as a build does. */
async function push(name: string, tag: string): Promise<number> {
  const body = JSON.stringify({ name: `shop/${name}`, tag, registry: host });
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const request = new Request("http://localhost/webhooks/builds", {
    ...{ method: "POST", body, headers: { "x-signature": signature } },
  });
  return (await opened.shell.serve(requestFunctions["detect/registry-webhook"].run, request)).status;
}

/** Returns the tag that a workload runs. */
function tagOf(name: string): string | undefined {
  const object = opened.cluster.object({ kind: "Deployment", namespace: "shop", name });
  return object?.spec.template?.spec.containers[0]?.image.split(":")[1]?.split("@")[0];
}

const at = (name: string): string => join(folder, name);

/** The ways in which editors, deploy tools and Kubernetes replace a file. */
const ways: readonly ((content: string, edit: number) => void)[] = [
  (content) => {
    writeFileSync(at("lookout.yaml"), content);
  },
  (content) => {
    writeFileSync(at("draft"), content);
    renameSync(at("draft"), at("lookout.yaml"));
  },
  (content, edit) => {
    mkdirSync(at(`..${edit}`));
    writeFileSync(at(`..${edit}/lookout.yaml`), content);
    symlinkSync(`..${edit}`, at("..tmp"));
    renameSync(at("..tmp"), at("..data"));
    rmSync(at("lookout.yaml"), { force: true });
    symlinkSync("..data/lookout.yaml", at("lookout.yaml"));
  },
];

/** The faults of broken files. All name a freeze, which must never hold an update. */
const faults: readonly ((edit: number) => string | undefined)[] = [
  (edit) => text(edit, { freeze: true, more: "frezes: []" }),
  (edit) => text(edit, { freeze: true }).replace(/\]\s*$/, ""),
  () => undefined,
  (edit) => text(edit, { freeze: true }).replace("secretFile: secret", "secretFile: missing"),
  (edit) => text(edit, { freeze: true, more: "limits: {}" }),
  () => "listen: 127.0.0.1:0\n",
];

it(
  "200 edits during pushes, half of them broken, lose no push and are never half in force",
  { timeout: 60_000 },
  async () => {
    const { reloading, registry, facts, failures, runs, late, closed, edit } = opened;
    const statuses = new Set<number>();
    const told: (string | undefined)[] = [];
    const pushes: Promise<void>[] = [];

    for (let number = 1; number <= 200; number += 1) {
      const name = names[number % names.length] ?? "";
      registry.push(host, `shop/${name}`, `1.0.${number}`);
      pushes.push(push(name, `1.0.${number}`).then((status) => void statuses.add(status)));
      const isGood = number % 2 === 0;
      const content = isGood ? text(number) : faults[((number - 1) / 2) % faults.length]?.(number);
      if (content === undefined) rmSync(at("lookout.yaml"));
      else ways[number % ways.length]?.(content, number);
      const before = reloading.outcome()?.failure;
      await until(() => (isGood ? edit() === number : reloading.outcome()?.failure !== before), reloading.look);
      expect([edit(), reloading.outcome()?.failure === undefined]).toEqual([isGood ? number : number - 1, isGood]);
      if (!isGood) told.push(reloading.outcome()?.failure?.detail.replaceAll(folder, "").split("\n").at(-1)?.trim());
    }
    writeFileSync(at("lookout.yaml"), text(202, { freeze: false }));
    await until(() => edit() === 202, reloading.look);
    await Promise.all(pushes);
    await until(() => deepEqual(names.map(tagOf), ["1.0.200", "1.0.197", "1.0.198", "1.0.199"]));

    expect([...statuses]).toEqual([202]);
    expect([...runs.values()].filter((versions) => versions.size > 1)).toEqual([]);
    expect(late).toEqual([]);
    expect(failures).toEqual([]);
    const freezes = facts.flatMap(({ reasons }) => reasons.flatMap(({ detail }) => /v-\d+/.exec(detail ?? "") ?? []));
    expect(new Set(freezes.map((name) => versionOf(name) % 4))).toEqual(new Set([0]));
    expect(new Set(closed)).toEqual(new Set(Array.from({ length: 101 }, (_, index) => 2 * index)));
    expect(runs.size).toBeGreaterThan(200);
    expect(new Set(told.map((line) => line?.replace(/:6:\d+/, ":6:COLUMN")))).toEqual(
      new Set([
        "/lookout.yaml:7:1  frezes: is not a known key here; did you mean freezes?",
        "/lookout.yaml:6:COLUMN  Flow sequence in block collection must be sufficiently indented and end with a ]",
        "/lookout.yaml:7:1  Map keys must be unique",
        "the configuration /lookout.yaml does not exist: name a readable file with --config",
        "the file /missing can't be read (ENOENT); its content must be the secret of receiver builds",
        "/lookout.yaml names no cluster any more, and a Lookout without a cluster runs the demo: name a cluster, or restart Lookout",
      ]),
    );
  },
);

it("a changed secret file is in force without an edit of lookout.yaml, and a missing one is told", async () => {
  const { reloading, notices } = opened;
  expect(await push("api", "1.0.0")).toBe(202);

  writeFileSync(at("secret"), "another secret of the builds");
  await until(() => notices.length > 0, reloading.look);
  expect(await push("api", "1.0.0")).toBe(401);
  rmSync(at("secret"));
  await until(() => reloading.outcome()?.failure !== undefined, reloading.look);
  writeFileSync(at("secret"), secret);
  await until(() => reloading.outcome()?.failure === undefined, reloading.look);

  expect(await push("api", "1.0.0")).toBe(202);
  expect(notices.map((told) => told.replaceAll(folder, ""))).toEqual([
    "/lookout.yaml is in force",
    "secrets of the configuration are missing:\n  the file /secret can't be read (ENOENT); its content must be the secret of receiver builds\nThe former configuration stays in force until /lookout.yaml is mended",
    "/lookout.yaml is in force",
  ]);
});

it("a change of listen, dataDir or backup is named as in need of a restart, and the rest is in force", async () => {
  const { reloading, edit, notices } = opened;
  writeFileSync(at("lookout.yaml"), text(2, { more: "listen: 127.0.0.1:1\nbackup: { every: 1h }" }));
  await until(() => edit() === 2, reloading.look);

  expect(reloading.outcome()).toEqual({
    ...{ part: "configuration", file: at("lookout.yaml"), needsRestart: ["listen", "backup"] },
    loadedAt: expect.any(Number) as number,
  });
  expect(notices).toEqual([`${at("lookout.yaml")} is in force; needs a restart: listen, backup`]);
});

it("a held update is released soon after its planned freeze is removed from the file", async () => {
  const { reloading, registry, facts } = opened;
  registry.push(host, "shop/api", "1.0.1");
  await push("api", "1.0.1");
  await until(() => facts.some(({ name }) => name === "UpdateHeld"));
  writeFileSync(at("lookout.yaml"), text(2));
  await until(() => tagOf("api") === "1.0.1", reloading.look);

  expect(facts.find(({ name }) => name === "UpdateHeld")?.reasons).toMatchObject([{ reason: "planned-freeze" }]);
});
