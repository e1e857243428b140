import { beforeEach, describe, expect, it } from "vitest";
import { memoryDatabase, type StateDatabase } from "#adapters/sqlite/database";
import { examine } from "#app/api/doctor";
import type { Ports } from "#app/shared/ports";
import type { StoredItemsView } from "#contracts/api/stored";
import type { WorkloadsView } from "#contracts/api/workloads";
import { workloadKey } from "#domain/workload/workload";
import { serveApi } from "#runtime/api";
import { failedAnswer } from "#runtime/request";
import { statePorts } from "#runtime/local/state";
import { kinds } from "#stored/kinds";
import { world } from "#test/app/world";
import { handOn } from "#test/hand-on";
import { deployment, firstRecord, start } from "#test/contracts/records";

const name = (index: number) => `app-${String(index).padStart(4, "0")}`;
const keyOf = (index: number) => `prod/shop/deployment/${name(index)}`;
const bad = 500;
const digest = `sha256:${"a".repeat(64)}`;

let database: StateDatabase;
let ports: Ports;
beforeEach(() => {
  database = memoryDatabase("abc123");
  ports = { ...world().ports, ...statePorts(database) };
});

async function ask(
  where: string,
): Promise<{ readonly status: number; readonly body: WorkloadsView & StoredItemsView }> {
  const request = new Request(`http://localhost${where}`);
  const response = await serveApi(request, ports, new AbortController().signal).catch(failedAnswer);
  return { status: response.status, body: (await response.json()) as WorkloadsView & StoredItemsView };
}

/** Returns all pages of a list. */
async function pages(path: string): Promise<readonly (WorkloadsView & StoredItemsView)[]> {
  const all: (WorkloadsView & StoredItemsView)[] = [];
  for (let after = ""; ;) {
    const { status, body } = await ask(`${path}${after}`);
    expect(status).toBe(200);
    all.push(body);
    if (body.next === undefined) return all;
    after = `&after=${encodeURIComponent(body.next)}`;
  }
}

/** The ways in which an item becomes unreadable, as SQL that follows SET. */
const faults = [
  {
    because: "a newer Lookout wrote it",
    set: "form = 7",
    why: "has the form 7 of a newer Lookout: run that version",
    problem: { status: 503, code: "newer-record" },
    remedy: "Run the newer version of Lookout. The item is kept for that version.",
  },
  {
    because: "it is no JSON",
    set: `value = '{"workload": {'`,
    why: "is damaged: it is no JSON",
    problem: { status: 400, code: "needs-a-person" },
    remedy: expect.stringContaining("Restore the item from a backup, or delete it.") as string,
  },
  {
    because: "a member is missing",
    set: "value = json_remove(value, '$.uid')",
    why: 'is damaged: its member "uid" is missing',
    problem: { status: 400, code: "needs-a-person" },
    remedy: expect.stringContaining("Restore the item from a backup, or delete it.") as string,
  },
];

describe.each(faults)("one of 1,000 records that can't be read because $because", ({ set, why, problem, remedy }) => {
  const recordAt = { partition: `WORKLOAD#${keyOf(bad)}`, sortKey: "WORKLOAD" };

  beforeEach(async () => {
    for (let index = 0; index < 1_000; index += 1) {
      const approvalWait = { effects: { approvalWait: "begins" } } as const;
      await ports.store.write(firstRecord(deployment(name(index)), approvalWait));
    }
    await handOn(ports);
    database.sql.exec(`UPDATE items SET ${set} WHERE pk = 'WORKLOAD#${keyOf(bad)}' AND sk = 'WORKLOAD'`);
  });

  it("leaves the other 999 in every list, and is named in the list of workloads", async () => {
    const found = await pages("/v1/workloads?limit=300");

    expect(found.map(({ workloads }) => workloads.length)).toEqual([300, 299, 300, 100]);
    expect(found.flatMap(({ unreadable = [] }) => unreadable)).toEqual([
      { kind: "record of a workload", workload: keyOf(bad), why },
    ]);
    expect((await ask("/v1/approvals")).status).toBe(200);
    expect((await ask("/v1/updates")).status).toBe(200);
    expect((await ask("/v1/freezes")).status).toBe(200);
    expect(await ports.store.awaitingApproval("prod")).toHaveLength(1_000);
    const waiting = await ports.store.readMany(await ports.store.awaitingApproval("prod"));
    expect(waiting).toHaveLength(999);
  });

  it("says why when it is asked for, and keeps its history", async () => {
    for (const path of ["", "/explanation", "/updates/1"])
      expect(await ask(`/v1/workloads/${keyOf(bad)}${path}`)).toMatchObject({
        status: problem.status,
        body: { code: problem.code, detail: expect.stringContaining(why) as string },
      });
    expect(await ask(`/v1/workloads/${keyOf(bad)}/decisions`)).toMatchObject({ status: 200 });
    expect(await ask(`/v1/workloads/${keyOf(bad - 1)}`)).toMatchObject({ status: 200 });
  });

  it("is named among the stored items, with what to do", async () => {
    const found = await pages("/v1/stored?limit=300");
    const records = found
      .flatMap(({ forms }) => forms)
      .filter(({ kind }) => kind === "record of a workload")
      .reduce((sum, { items }) => sum + items, 0);

    expect(found.length).toBeGreaterThan(3);
    expect(records).toBe(1_000);
    expect(found.reduce((sum, { unreadableItems }) => sum + unreadableItems, 0)).toBe(1);
    expect(found.flatMap(({ unreadable }) => unreadable)).toEqual([
      { kind: "record of a workload", ...recordAt, why, remedy },
    ]);
    const { checks } = await examine(ports, new AbortController().signal);
    expect(checks).toContainEqual({
      check: "state",
      verdict: "well",
      detail: "installation abc123, 1000 workloads known",
    });
  });
});

describe("an unreadable record", () => {
  it("is not unreadable any more after a person deleted it", async () => {
    await ports.store.write(firstRecord(deployment("api")));
    await handOn(ports);
    database.sql.exec("DELETE FROM items WHERE pk = 'WORKLOAD#prod/shop/deployment/api' AND sk = 'WORKLOAD'");

    expect((await ask("/v1/workloads")).body).toMatchObject({ workloads: [] });
    expect((await ask("/v1/workloads")).body.unreadable).toBeUndefined();
  });
});

/** Stores an item of every kind, through the ports. */
async function storeEveryKind(): Promise<void> {
  const { store, ledger, fleet, freezes, quarantine, registrations, clusterStates, repositories, tagHistory } = ports;
  const workload = deployment("api");
  const key = workloadKey(workload);
  const repository = { registry: "registry.test", repository: "shop/api" };
  const image = { imageName: "registry.test/shop/api", tag: "1.0.0", digest };
  const binding = { uid: "u", seq: 1, images: [], policyHash: "p-1" };
  const vote = {
    ...{ person: "ana", proof: { kind: "token" }, decision: "approve", bindingHash: "b-1", at: start, binding },
  };
  const member = { group: "web", tier: "dev" };
  const effects = {
    budget: { takes: 0, joins: start },
    approvalWait: "begins",
    vote,
    tier: { puts: { ...member, workload, containers: [], ran: [], halted: [] } },
  };
  await store.readInstallation();
  await store.write(firstRecord(workload, { member, effects: effects as never }));
  await store.subscribe(workload, [repository]);
  await fleet.write([{ workload: key, version: 1, goneAt: start }]);
  const transition = { seq: 1, what: "held", reasons: [], changes: [] } as const;
  await ledger.append([{ workload: key, uid: "u", seq: 1, version: 1, at: start, cause: "c", transition }]);
  await freezes.put({ scope: { cluster: "prod" }, by: "ana", why: "sale", at: start });
  await quarantine.add({ digest, by: "ana", why: "bad", at: start });
  await registrations.put({ name: "far", eks: { name: "far" }, by: "ana", at: start });
  const token = { name: "ana", id: "a".repeat(12), hash: "a".repeat(64), role: "viewer", createdBy: "ben" } as const;
  await ports.tokens?.replace(undefined, { ...token, createdAt: start });
  await clusterStates.write({ name: "prod" });
  await repositories.writeTick(start);
  await ports.probeResults.put("e-1", start);
  await ports.registryLimits.writeLimit("registry.test", { version: 1, emptyAt: start }, start);
  await tagHistory.remember(repository, { tag: "1.0.0", digest, movedAt: start });
  await tagHistory.writeListed(repository, [1, 2]);
  await ports.sightings.remember([{ ...image, seenAt: start, keptUntil: start }], start);
  const act = { id: "u/1/1/approve", at: start, workload: key, correlationId: "p-1", images: [image] };
  await ports.history.append([{ ...act, action: { what: "approve", by: "ana" } }]);
  const step = { push: "p-1", workload: key, seq: 1, version: 1, selectedAt: start, images: [image] };
  await ports.pushes.note([step]);
  const { observed } = firstRecord(workload);
  const containers = observed.containers.map((container) => ({ ...container, digest }));
  await ports.digests.note(firstRecord(workload, { observed: { ...observed, containers } }));
  await ports.knownMode.write("nowhere");
  const about = { channel: "releases", subject: { kind: "workload", workload: key } } as const;
  await ports.told.write({ ...about, version: 1, since: start, showAt: start, shows: 0, failures: [] });
  await ports.channelStates.write({ channel: "releases", version: 1, failures: 0, untold: 0 });
  const asked = { check: "scan", subject: "a".repeat(64), outcome: "allowed", reason: "" } as const;
  const declared = { kind: "ImagePolicy", cluster: "prod", namespace: "shop", name: "web", uid: "u" } as const;
  await ports.definitions.put([{ ...declared, createdAt: start, generation: 1, settings: {} }]);
  await ports.checkAnswers.claim({ ...asked, askedAt: start, until: start, failures: 0 }, start);
  await ports.messages?.keep([{ body: "{}", dueAt: start }]);
}

const kindNames = [...new Set(kinds.map(({ kind }) => kind.name))];

describe("the stored items", () => {
  it("are counted by kind and form, of every kind, and found without a list of clusters", async () => {
    await storeEveryKind();
    const [first] = await pages("/v1/stored?limit=1000");

    expect(first).toMatchObject({ unreadable: [], unreadableItems: 0 });
    expect(first!.forms.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))).toEqual(
      kindNames.map((kind) => ({ kind, form: 1, items: 1 })).toSorted((one, other) => (one.kind < other.kind ? -1 : 1)),
    );
    expect(await ports.storedItems.partitions([], start)).toEqual(await ports.storedItems.partitions(["prod"], start));
  });

  it("of other programs and newer versions are named for each kind, and change nothing", async () => {
    await storeEveryKind();
    // A survey finds digests and pushes by the running images and the history, and members of tiers by records.
    database.sql.exec("UPDATE items SET form = 9 WHERE NOT pk GLOB 'CLUSTER#*' AND NOT pk GLOB '[RH]*#*'");
    database.sql.exec("UPDATE items SET form = 9 WHERE pk GLOB 'REGISTRY#*'");
    database.sql.exec("UPDATE items SET form = 0 WHERE pk = 'FREEZE'");
    const rows = () => database.sql.prepare("SELECT pk, sk, form, value FROM items ORDER BY pk, sk").all();
    const before = rows();
    const [first] = await pages("/v1/stored?limit=1000");

    expect(rows()).toEqual(before);
    expect(first!.forms.filter(({ form }) => form === 1).map(({ kind }) => kind)).toEqual([
      "place in the list of workloads",
      "place in the list of approvals",
      "wait for a slot",
      "row of the fleet's history",
      "running images of a workload",
    ]);
    expect(first!.unreadable.find(({ kind }) => kind === "freeze")).toMatchObject({
      partition: "FREEZE",
      sortKey: "prod",
      why: "has no form: another program wrote it, so delete it",
    });
    expect(first!.unreadableItems).toBe(kindNames.length - 6);
  });

  it("that can't be read stop no other: a slot counts as taken, caches are written again", async () => {
    await storeEveryKind();
    database.sql.exec("UPDATE items SET form = 9 WHERE pk IN ('SLOTS', 'TICKS', 'CLUSTER-STATES', 'CLUSTERS')");
    database.sql.exec("UPDATE items SET form = 9 WHERE pk LIKE 'REGISTRY#%'");

    expect(await ports.store.slots("prod")).toEqual([{ slot: 0, workload: "" }]);
    expect(await ports.store.due(start, 10)).toEqual([]);
    expect(await ports.repositories.lastTick()).toBeUndefined();
    expect(await ports.clusterStates.read("prod")).toBeUndefined();
    expect((await ports.registrations.list()).map((one) => one.name)).toEqual(["far"]);
    expect(await ports.registryLimits.read("registry.test")).toEqual({});
    expect(await ports.registryLimits.writeLimit("registry.test", { version: 1, emptyAt: start }, start)).toBe(true);
  });

  it("that can't be read are told with the first page of workloads, also if they are no records", async () => {
    await storeEveryKind();
    database.sql.exec("UPDATE items SET form = 9 WHERE pk = 'CLUSTER-STATES'");

    expect((await ask("/v1/workloads")).body.unreadable).toEqual([
      { kind: "state of a cluster", why: "has the form 9 of a newer Lookout: run that version" },
    ]);
  });
});
