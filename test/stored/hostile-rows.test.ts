import { WorkloadsQuery } from "#contracts/api/workloads";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { dynamoItems } from "#adapters/dynamodb/items";
import { memoryDatabase } from "#adapters/sqlite/database";
import { sqliteItems } from "#adapters/sqlite/items";
import { exportState, importState } from "#app/api/transfer";
import { workloadHandlers } from "#app/api/workloads";
import { reap } from "#app/gate/reap";
import type { Ports } from "#app/shared/ports";
import { fullAccess } from "#domain/access/access";
import { type Freeze, freezeScopeText } from "#domain/gates/freezes";
import { imageNameOf } from "#domain/image/reference";
import { type Vote, voterOfVote } from "#domain/approval/votes";
import { epochMs, minutes, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { observedFrom } from "#domain/update/decide/observed-changes";
import { fieldManager, updateLabelKey, updateLabelOf, workloadKey } from "#domain/workload/workload";
import { type MovedKind, movedKinds } from "#ports/forms";
import type { ItemKey, Items } from "#ports/items";
import type { LedgerRow } from "#ports/ledger";
import { statePorts } from "#runtime/local/state";
import { counterText } from "#stored/keys";
import { type KindRow, kinds } from "#stored/kinds";
import { ledgerKey } from "#stored/ledger";
import { recordKey } from "#stored/records";
import { startEngine, withEngine } from "#test/adapters/dynamodb/engine";
import { storedIn } from "#test/adapters/dynamodb/stored";
import { handClock, lookoutByHand } from "#test/app/by-hand";
import { memoryCluster } from "#test/model/world/cluster-hands";
import { memoryRegistry } from "#test/model/world/registry-hands";
import { isProof } from "#test/proof";
import { arbitraryOf } from "./arbitrary-of.ts";

/** The rows of each kind in one world, and the number of worlds of each way in. */
const rowsOfKind = 20;
const worlds = isProof ? 500 : 3;

const host = "registry.test";
const installation = "abc123";
const running = `${host}/shop/api:1.0.0`;
const old = `${host}/shop/api:0.9.0`;

interface Row {
  readonly kind: KindRow["kind"];
  readonly key: ItemKey;
  readonly value: unknown;
  readonly dueAt?: number;
}

type Value = Readonly<Record<string, never>>;

/** The key under which an attacker stores a value, so that Lookout reads it. */
const keysOf: Readonly<Record<string, (value: Value, victim: string) => ItemKey>> = {
  "record of a workload": (value) => recordKey(workloadKey((value as unknown as WorkloadRecord).workload)),
  freeze: (value) => ({ pk: "FREEZE", sk: freezeScopeText((value as unknown as Freeze).scope) }),
  "quarantined digest": ({ digest }) => ({ pk: "QUARANTINE", sk: `ALL#${String(digest)}` }),
  "registration of a cluster": ({ name }) => ({ pk: "CLUSTERS", sk: String(name) }),
  "state of a cluster": ({ name }) => ({ pk: "CLUSTER-STATES", sk: String(name) }),
  "state of a repository": (value) => ({ pk: "REPOSITORIES", sk: imageNameOf(value as never) }),
  "first sight of a digest": ({ imageName, tag, digest }) => ({
    pk: `TAGS#${String(imageName)}`,
    sk: `SEEN#${String(tag)}#${String(digest)}`,
  }),
  "row of the history": (value) => ledgerKey(value as unknown as LedgerRow),
  "move of a tag": ({ tag }) => ({ pk: `TAGS#${host}/shop/api`, sk: `TAG#${String(tag)}` }),
  "slot of a cluster": ({ slot }) => ({ pk: "SLOTS", sk: `elsewhere#${counterText(Number(slot))}` }),
  vote: (value, victim) => {
    const vote = value as unknown as Vote;
    return { pk: `WORKLOAD#${victim}`, sk: `VOTE#${counterText(vote.binding.seq)}#${voterOfVote(vote)}` };
  },
};

/** What a row of these kinds is for is to stop others, so an attacker's stops only what is elsewhere. */
const elsewhere: Readonly<Record<string, (value: Value) => object>> = {
  freeze: (value) => ({ ...value, scope: { cluster: "elsewhere" } }),
  "registration of a cluster": (value) => ({ ...value, eks: { name: "prod-1" } }),
  "name of the installation": (value) => ({ ...value, name: installation }),
};

type Way = "import" | "items";

/** Plays hostile rows of all kinds beside one workload that is updated as usual. */
async function play(seed: number, way: Way, items: Items, state: Partial<Ports>, refused: (error: unknown) => boolean) {
  const clock = handClock(epochMs(Date.parse("2026-11-21T10:00:00Z")));
  const registry = memoryRegistry();
  const digests = new Map<string, string>();
  const digestIn = (image: string) => /@(sha256:.*)$/.exec(image)?.[1] ?? digests.get(image);
  const cluster = memoryCluster({
    ...{ name: "prod", clock, startupMs: 1_000, nodes: () => undefined, digestOf: digestIn },
    behaviour: () => "runs",
  });
  const push = (tag: string) => digests.set(`${host}/shop/api:${tag}`, registry.push(host, "shop/api", tag));
  for (const tag of ["0.9.0", "1.0.0"]) push(tag);
  const deploy = (name: string, annotations: Record<string, string>, labels = {}, image = running) =>
    cluster.apply({
      kind: "Deployment",
      metadata: { namespace: "shop", name, labels, annotations },
      spec: { replicas: 1, template: { spec: { containers: [{ name: "app", image }] } } },
    });
  const enabled = { "lookout.dev/enabled": "true" };
  deploy("good", enabled);
  const names = Array.from({ length: rowsOfKind }, (_, index) => `victim-${index}`);
  // Every second victim is enabled, and has an image and the label of Lookout: its record says that it is rolled back.
  for (const [index, name] of names.entries())
    if (index % 2 === 0) deploy(name, {});
    else {
      deploy(name, enabled, { [updateLabelKey]: updateLabelOf(installation, 3, "forward") }, `${host}/shop/api:0.8.0`);
      cluster.setImage({ namespace: "shop", kind: "Deployment", name }, "app", running, fieldManager);
    }
  const before = cluster.history.length;

  const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry, state: state as never });
  const { ports } = lookout;

  const lives = await Promise.all(
    names.map(async (name) => {
      const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name } as const;
      const read = await cluster.read(workload, new AbortController().signal);
      if (read.kind !== "found") throw new Error(`${name} is ${read.kind}`);
      return read.live;
    }),
  );
  /** An attacker knows the object, and writes a record that fits it. */
  const aligned = (record: WorkloadRecord, index: number): WorkloadRecord => {
    const live = lives[index]!;
    const { workload, uid } = live;
    const change = {
      list: "containers",
      name: "app",
      imageName: `${host}/shop/api`,
      tag: "0.9.0",
      apply: "pin",
    } as const;
    const digest = digests.get(old)!;
    const isEnabled = index % 2 === 1;
    const changes = [
      { ...change, digest, policy: "semver", from: isEnabled ? old : running, to: isEnabled ? running : old },
    ];
    const core = {
      seq: 3,
      changes,
      detectedAt: clock.now(),
      source: "x",
      selectedAt: clock.now(),
      releasedAt: clock.now(),
    };
    const active = isEnabled
      ? {
          ...{ ...core, status: "rolling-back", patchedAt: clock.now(), rollback: { kind: "patching" } },
          failure: { at: clock.now(), reason: "rollout-failed", detail: "x" },
        }
      : index % 4 === 0
        ? { ...core, status: "released" }
        : { ...core, status: "patching" };
    const numbered = (update: { readonly seq: number } | undefined, name: string) =>
      update === undefined ? {} : { [name]: { ...update, seq: Math.min(3, update.seq) } };
    const { retry, ...whole } = record;
    return {
      // Every fourth record says that its commands wait, or are not due for long.
      ...(index % 4 === 3 ? record : { ...whole, changedAt: epochMs(1) }),
      ...numbered(record.pending, "pending"),
      ...numbered(record.last, "last"),
      ...numbered(record.landed, "landed"),
      workload,
      uid,
      seq: 3,
      tracked: true,
      observed: observedFrom(live, undefined, undefined, clock.now()),
      ...(index % 3 === 0 ? {} : { active: active as never }),
      effects: { ...record.effects, dueAt: epochMs(0) },
    };
  };
  const rows = kinds.flatMap(({ kind, pk, prefix }): readonly Row[] => {
    if (kind.name === "listed tags") return [];
    const values = fc.sample(arbitraryOf(kind.shape), { seed: seed + kind.name.length, numRuns: rowsOfKind });
    return values.flatMap((sampled, index) => {
      const victim = `prod/shop/deployment/${names[index]!}`;
      const moved = elsewhere[kind.name]?.(sampled as Value) ?? sampled;
      const value = kind.name === "record of a workload" ? aligned(moved as WorkloadRecord, index) : moved;
      if (!kind.shape.safeParse(value).success) return [];
      const key = keysOf[kind.name]?.(value as Value, victim) ?? {
        pk: pk.endsWith("#") ? `${pk}${pk === "CLUSTER#" ? "prod" : victim}` : pk,
        sk: pk === "INSTALLATION" || pk === "TICKS" ? prefix : `${prefix}${victim}`,
      };
      const dueAt = kind.name === "record of a workload" ? { dueAt: 0 } : {};
      return [{ kind, key, value, ...dueAt }];
    });
  });

  let stored = 0;
  if (process.env["SHOW"])
    console.log(
      JSON.stringify(
        Object.fromEntries(
          Map.groupBy(rows, (r) => r.kind.name)
            .entries()
            .map(([k, v]) => [k, v.length]),
        ),
      ),
    );
  if (way === "items")
    for (const { kind, key, value, dueAt } of rows) {
      const marks =
        kind.name === "record of a workload" ? { marks: { version: (value as WorkloadRecord).version } } : {};
      const item = {
        ...key,
        form: kind.form,
        value,
        ...marks,
        ...(dueAt === undefined ? {} : { dueAt: epochMs(dueAt) }),
      };
      try {
        await items.write([{ kind: "put", item }], "planting");
        stored += 1;
      } catch (error) {
        if (!refused(error)) throw error;
      }
    }
  else {
    const { header } = await exportState({ limit: 1, history: "false" }, ports);
    for (const { kind, value, key } of rows) {
      const name = movedKinds.find((one) => kindNames[one] === kind.name);
      if (name === undefined) continue;
      const of = name === "vote" || name === "sighting" ? { of: key.pk.split("#")[1]! } : {};
      const beside = name === "move" ? [{ kind: "repository", form: 1, value: aRepository }] : [];
      const line = { ...of, items: [...beside, { kind: name, form: 1, value }] };
      const answer = await importState({ header, firstLine: 2, rows: [line] }, ports);
      if ("stored" in answer) stored += 1;
      else expect(answer.kind).toBe("bad-line");
    }
  }

  await reap(ports);
  await lookout.pass(seconds(20));
  lookout.send({ name: "SyncCluster", id: "one", cluster: "prod" });
  await lookout.pass(seconds(20));
  push("1.1.0");
  await lookout.tell({ id: "push-1", registry: host, repository: "shop/api", tags: ["1.1.0"] });
  for (let minute = 0; minute < 4; minute += 1) {
    await reap(ports);
    await lookout.pass(minutes(1));
  }
  const served = {
    ports,
    allPorts: ports,
    signal: new AbortController().signal,
    id: "x",
    by: () => "x",
    credential: { kind: "none" },
    secret: () => "x",
    access: fullAccess,
  } as const;
  const list = await workloadHandlers(served).listWorkloads({ query: WorkloadsQuery.parse({ limit: 100 }) });
  for (let after: string | undefined; ;) {
    const page = await exportState({ limit: 100, history: "true", ...(after === undefined ? {} : { after }) }, ports);
    if (page.next === undefined) break;
    after = page.next;
  }
  const writes = cluster.history.slice(before).filter(({ manager }) => manager === fieldManager);
  const strangers = names.filter((_, index) => index % 2 === 0);
  const ledger = await Promise.all(strangers.map((name) => ports.ledger.read(`prod/shop/deployment/${name}`, 100)));
  return {
    stored,
    list,
    good: (await lookout.record("prod/shop/deployment/good")).last,
    strangersWritten: writes.filter(({ workload }) => strangers.includes(workload.name)),
    oldImages: writes.filter(
      ({ workload, images }) => workload.name !== "good" && images.some((one) => one.includes(":0.9.0")),
    ),
    provedHistory: ledger
      .flat()
      .filter(
        ({ isImported, cause }) =>
          isImported !== true && !/^(?:SyncCluster|Evaluate|RollOut|Wake|CheckRollout|DeadLetter)/.test(cause),
      ),
  };
}

const kindNames: Readonly<Record<MovedKind, string>> = {
  freeze: "freeze",
  quarantined: "quarantined digest",
  record: "record of a workload",
  vote: "vote",
  sighting: "first sight of a digest",
  repository: "state of a repository",
  move: "move of a tag",
  listing: "listed tags",
  registration: "registration of a cluster",
  history: "row of the history",
};

const aRepository = { registry: host, repository: "shop/other", missed: 0 };

function expectHarmless({ good, stored, strangersWritten, oldImages }: Awaited<ReturnType<typeof play>>): void {
  expect(good).toMatchObject({ seq: 1, status: "succeeded" });
  expect(strangersWritten).toEqual([]);
  expect(oldImages).toEqual([]);
  expect(stored).toBeGreaterThan(3 * rowsOfKind);
}

const inMemory = async (seed: number, way: Way) => {
  const database = memoryDatabase(installation);
  const outcome = await play(seed, way, sqliteItems(database).items, statePorts(database), () => false);
  database.close();
  return outcome;
};

describe(`hostile rows of the right shape, ${rowsOfKind * worlds} of each kind`, () => {
  it("in an import patch nothing, forge no history, and stop nothing else", async () => {
    for (let seed = 0; seed < worlds; seed += 1) {
      const outcome = await inMemory(seed, "import");
      expectHarmless(outcome);
      expect(outcome.provedHistory).toEqual([]);
    }
  }, 3_600_000);

  it("in the state file patch nothing, and stop nothing else", async () => {
    for (let seed = 0; seed < worlds; seed += 1) expectHarmless(await inMemory(seed, "items"));
  }, 3_600_000);
});

withEngine(await startEngine(), (engine) => {
  afterAll(() => engine.stop());

  it(`${rowsOfKind} hostile rows of each kind in the table patch nothing, and stop nothing else`, async () => {
    const where = await engine.table();
    const inTable = { ...statePorts(memoryDatabase(installation)), ...storedIn(where) };
    await inTable.store.adoptInstallation(installation);
    // The table refuses some keys, such as an empty one.
    const isRefused = () => true;
    expectHarmless(await play(1, "items", dynamoItems(where), inTable, isRefused));
  }, 120_000);
});
