import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openStateFile } from "#adapters/sqlite/state-file";
import { syncDue } from "#app/detect/sync-cluster";
import { seconds } from "#domain/shared/time";
import { takeUp } from "#runtime/local/background";
import { statePorts } from "#runtime/local/state";
import { type ByHand, handClock, lookoutByHand } from "#test/app/by-hand";
import { begins, host, installation } from "#test/app/world";
import { memoryCluster } from "#test/model/world/cluster-hands";
import { memoryRegistry } from "#test/model/world/registry-hands";
import { type LaterVersion, laterVersion } from "#test/next-form/versions";

const root = resolve(import.meta.dirname, "..", "..");

type StatePortsOf = typeof statePorts;
type Version = "today" | LaterVersion;

let folder: string;
let versions: Readonly<Record<Version, StatePortsOf>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-next-form-"));
  const [reader, writer] = await Promise.all([built("reader"), built("writer")]);
  versions = { today: statePorts, reader, writer };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns `statePorts` of a later version. */
async function built(version: LaterVersion): Promise<StatePortsOf> {
  const outfile = join(folder, `${version}.mjs`);
  await build({
    ...{ absWorkingDir: root, entryPoints: ["src/runtime/local/state.ts"], outfile, plugins: [laterVersion(version)] },
    ...{ bundle: true, format: "esm", platform: "node", target: "node24", mainFields: ["module", "main"] },
    logLevel: "error",
  });
  return ((await import(pathToFileURL(outfile).href)) as { readonly statePorts: StatePortsOf }).statePorts;
}

/** A machine with one state file. Its processes run one after the other. */
interface Machine {
  /**
   * Stops the running process, whose messages are lost, and starts a process of a version.
   *
   * @param publishes - false if the process stops before it publishes any change of a record.
   */
  start(version: Version, publishes?: boolean): Promise<Running>;
  /** Stores a tag of `shop/NAME`. Returns its image. */
  push(name: Name, tag: string): string;
  image(name: Name): string | undefined;
}

type Name = "api" | "web";

interface Running extends ByHand {
  /** Notifies the process of a pushed tag. */
  notify(name: Name, tag: string): Promise<void>;
  /** Returns the form of the stored record, and the state of its open update. */
  stored(name: Name): { readonly form: unknown; readonly open: unknown };
  slotHolders(): Promise<readonly string[]>;
  /** Returns the history, the oldest row first: `1 released`. */
  history(name: Name): Promise<readonly string[]>;
}

let stop = (): void => undefined;
afterEach(() => {
  stop();
  stop = () => undefined;
});

/** Returns a machine whose cluster has the Deployments `api` and `web` of 1.0.0. Pods start in four seconds. */
function newMachine(): Machine {
  const stateFile = join(folder, `${randomUUID()}.db`);
  const clock = handClock(begins);
  const registry = memoryRegistry();
  const digests = new Map<string, string>();
  const digestOf = (image: string) => image.split("@")[1] ?? digests.get(image);
  const cluster = memoryCluster({ name: "prod", clock, startupMs: 4_000, digestOf, behaviour: () => "runs" });
  const push: Machine["push"] = (name, tag) => {
    const image = `${host}/shop/${name}:${tag}`;
    const digest = registry.push(host, `shop/${name}`, tag);
    digests.set(image, digest);
    return `${image}@${digest}`;
  };
  for (const name of names) {
    push(name, "1.0.0");
    const template = { spec: { containers: [{ name: "app", image: `${host}/shop/${name}:1.0.0` }] } };
    const metadata = { namespace: "shop", name, annotations: { "lookout.dev/enabled": "true" } };
    cluster.apply({ kind: "Deployment", metadata, spec: { replicas: 3, template } });
  }
  clock.turn(seconds(10));
  return {
    push,
    image: (name) =>
      cluster.object({ namespace: "shop", kind: "Deployment", name })?.spec.template?.spec.containers[0]?.image,
    async start(version, publishes = true) {
      stop();
      const opened = openStateFile(stateFile, installation);
      if (opened.kind === "refused") throw new Error(opened.said);
      const { database } = opened;
      stop = () => {
        database.close();
      };
      const { changes, ...ports } = versions[version](database);
      const state = { ...ports, changes: publishes ? changes : { ...changes, take: () => Promise.resolve([]) } };
      const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry, state });
      await takeUp(lookout.ports);
      await syncDue(lookout.ports);
      await lookout.settle();
      const record = database.sql.prepare(`
        SELECT form, coalesce(value ->> '$.active.status', value ->> '$.open.status') AS open
        FROM items WHERE pk = ? AND sk = 'WORKLOAD'`);
      return {
        ...lookout,
        notify: (name, tag) =>
          lookout.tell({ id: `${name}:${tag}`, registry: host, repository: `shop/${name}`, tags: [tag] }),
        stored: (name) => ({ form: 0, open: "", ...record.get(`WORKLOAD#${keyOf(name)}`) }),
        slotHolders: async () => (await lookout.ports.store.slots("prod")).map(({ workload }) => workload),
        history: async (name) =>
          (await lookout.ports.ledger.read(keyOf(name), 1_000))
            .toReversed()
            .map(({ seq, transition }) => `${seq} ${transition.what}`),
      };
    },
  };
}

const names = ["api", "web"] as const;
const keyOf = (name: Name): string => `prod/shop/deployment/${name}`;
const rollout = (seq: number): readonly string[] =>
  ["released", "patching", "patched", "running", "succeeded"].map((what) => `${seq} ${what}`);

describe("a rollout that is half done", () => {
  it("ends well while its process is upgraded twice, to a version that writes the next form", async () => {
    const machine = newMachine();
    const today = await machine.start("today");
    const image = machine.push("api", "1.1.0");
    await today.notify("api", "1.1.0");
    await today.pass(seconds(1));
    expect(today.stored("api")).toEqual({ form: 1, open: "rolling-out" });

    const reader = await machine.start("reader");
    await reader.pass(seconds(5));
    expect(reader.stored("api")).toEqual({ form: 1, open: "rolling-out" });

    const writer = await machine.start("writer");
    await writer.pass(seconds(15));
    expect(writer.stored("api")).toEqual({ form: 2, open: null });
    expect(machine.image("api")).toBe(image);
    expect(await writer.history("api")).toEqual(["0 tracked", ...rollout(1)]);
    expect(await writer.slotHolders()).toEqual([]);
    expect([...today.failures, ...reader.failures, ...writer.failures]).toEqual([]);
  });

  it("ends well after a roll-back by one release, and the release before reads its record again", async () => {
    const machine = newMachine();
    const writer = await machine.start("writer");
    const image = machine.push("api", "1.1.0");
    await writer.notify("api", "1.1.0");
    await writer.pass(seconds(1));
    expect(writer.stored("api")).toEqual({ form: 2, open: "rolling-out" });

    const reader = await machine.start("reader");
    await reader.pass(seconds(20));
    expect(reader.stored("api")).toEqual({ form: 1, open: null });
    expect(machine.image("api")).toBe(image);
    expect(await reader.history("api")).toEqual(["0 tracked", ...rollout(1)]);
    expect(await reader.slotHolders()).toEqual([]);

    const today = await machine.start("today");
    await today.pass(seconds(20));
    expect((await today.record(keyOf("api"))).last).toMatchObject({ seq: 1, status: "succeeded" });
    expect([...writer.failures, ...reader.failures, ...today.failures]).toEqual([]);
  });

  it("is kept by a roll-back by two releases, which updates other workloads, and ends after the next upgrade", async () => {
    const machine = newMachine();
    await machine.start("today");
    const writer = await machine.start("writer", false);
    machine.push("api", "1.1.0");
    await writer.notify("api", "1.1.0");
    await writer.pass(seconds(1));
    expect(writer.stored("api")).toEqual({ form: 2, open: "rolling-out" });
    expect(await writer.slotHolders()).toEqual([keyOf("api")]);

    const today = await machine.start("today");
    const [api, web] = [machine.push("api", "1.2.0"), machine.push("web", "1.1.0")];
    await today.notify("api", "1.2.0");
    await today.notify("web", "1.1.0");
    await today.pass(seconds(60));
    expect(today.stored("api")).toEqual({ form: 2, open: "rolling-out" });
    expect(today.stored("web")).toEqual({ form: 1, open: null });
    expect(machine.image("web")).toBe(web);
    expect(await today.history("web")).toEqual(["0 tracked", ...rollout(1)]);
    expect(await today.slotHolders()).toEqual([keyOf("api")]);
    expect(await today.ports.store.unreadable([keyOf("api"), keyOf("web")])).toEqual([
      {
        workload: keyOf("api"),
        kind: "record of a workload",
        key: { pk: `WORKLOAD#${keyOf("api")}`, sk: "WORKLOAD" },
        why: "has the form 2 of a newer Lookout: run that version",
      },
    ]);
    expect(await today.history("api")).toEqual(["0 tracked"]);

    const again = await machine.start("writer");
    await again.pass(seconds(40));
    expect(again.stored("api")).toEqual({ form: 2, open: null });
    expect(machine.image("api")).toBe(api);
    expect(await again.history("api")).toEqual([
      "0 tracked",
      ...["1 released", "1 patching", "1 patched", "1 running", "2 held", "1 succeeded"],
      ...rollout(2),
    ]);
    expect(await again.slotHolders()).toEqual([]);
    expect([...writer.failures, ...today.failures, ...again.failures]).toEqual([]);
  });
});
