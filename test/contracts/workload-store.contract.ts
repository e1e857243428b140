import { withoutTiers } from "#domain/tiers/rules";
import type { Vote } from "#domain/approval/votes";
import { beforeEach, describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import { nextVersion } from "#domain/update/effects/next-version";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { RepositoryName } from "#ports/registry";
import type { Changes, WorkloadStore } from "#ports/store";
import { aPending, aRolling } from "#test/domain/builders";
import { deployment, firstRecord, nextRecord, start } from "./records.ts";

/** One empty table, and what can be opened on it. */
export interface WorkloadStoreBed {
  /** Opens a store on the table; each call opens another. */
  readonly store: () => WorkloadStore;
}

/**
 * A table whose changes are handed on by a port. DynamoDB's stream is none: it calls a function.
 */
export interface ChangesBed extends WorkloadStoreBed {
  readonly changes: Changes;
}

const repository = (name: string): RepositoryName => ({ registry: "registry.test", repository: name });
const written = { kind: "written" };
const conflict = { kind: "conflict" };

const aVote = (person: string, seq: number): Vote => ({
  person,
  proof: { kind: "token" },
  decision: "approve",
  binding: { uid: "uid-1", seq, images: [], policyHash: "" },
  bindingHash: "0".repeat(64),
  at: start,
});

/** What every store of workloads does, whatever keeps it. */
export function workloadStoreContract(makeBed: () => Promise<WorkloadStoreBed>): void {
  let bed: WorkloadStoreBed;
  let store: WorkloadStore;
  beforeEach(async () => {
    bed = await makeBed();
    store = bed.store();
  });
  recordContract(() => store);
  dueContract(() => store);
  subscriptionContract(() => store);

  describe("the name of the installation", () => {
    it("has six characters and is the same for every store of the table", async () => {
      const names = await Promise.all([store, bed.store(), bed.store()].map((each) => each.installation()));
      expect(names[0]).toMatch(/^[a-z0-9]{6}$/);
      expect(new Set([...names, await store.installation()]).size).toBe(1);
    });
  });
}

function recordContract(store: () => WorkloadStore): void {
  const api = deployment("api");
  const key = workloadKey(api);

  describe("a record", () => {
    it("is unknown before its first write", async () => {
      expect(await store().read(key)).toBeUndefined();
    });

    it("is read as it was written", async () => {
      const record = firstRecord(api, { effects: { dueAt: start } });
      expect(await store().write(record)).toEqual(written);
      expect(await store().read(key)).toEqual(record);
    });

    it("is written if the stored version is the previous version", async () => {
      const second = nextRecord(firstRecord(api), { tracked: false });
      await store().write(firstRecord(api));
      expect(await store().write(second)).toEqual(written);
      expect(await store().read(key)).toEqual(second);
    });

    it("is stored with its vote, or not at all", async () => {
      const first = firstRecord(api, { effects: { vote: aVote("ana", 1) } });
      await store().write(first);
      await store().write(nextRecord(first, { effects: { vote: aVote("ben", 1) } }));
      expect(await store().write(firstRecord(api, { cause: "Vote:1", effects: { vote: aVote("eva", 1) } }))).toEqual(
        conflict,
      );
      expect(await store().votes(key, 1)).toEqual([aVote("ana", 1), aVote("ben", 1)]);
      expect(await store().votes(key, 2)).toEqual([]);
    });

    it("keeps the newest vote of a person on an update, and votes on other updates", async () => {
      const first = firstRecord(api, { effects: { vote: aVote("ana", 1) } });
      const second = nextRecord(first, { effects: { vote: { ...aVote("ana", 1), decision: "reject" } } });
      const third = nextRecord(second, { effects: { vote: aVote("ana", 11) } });
      for (const record of [first, second, third]) await store().write(record);
      expect(await store().votes(key, 1)).toEqual([second.effects.vote]);
      expect(await store().votes(key, 11)).toEqual([third.effects.vote]);
    });

    it("keeps the vote of a person beside an annotation that names this person", async () => {
      const first = firstRecord(api, { effects: { vote: aVote("ana", 1) } });
      const proof = { kind: "annotation", by: "ana", image: "1.1.0" } as const;
      const second = nextRecord(first, { effects: { vote: { ...aVote("ana", 1), proof } } });
      const third = nextRecord(second, { effects: { vote: { ...aVote("ben", 1), proof: { ...proof, by: "ben" } } } });
      for (const record of [first, second, third]) await store().write(record);
      expect((await store().votes(key, 1)).toSorted((one, other) => (one.person < other.person ? -1 : 1))).toEqual([
        first.effects.vote,
        third.effects.vote,
      ]);
    });

    it.each([
      { stored: 0, next: 2, because: "nothing is stored yet" },
      { stored: 2, next: 1, because: "versions never start again" },
      { stored: 2, next: 2, because: "another second version is stored" },
      { stored: 2, next: 4, because: "the third version is missing" },
    ])("of version $next is a conflict with stored version $stored: $because", async ({ stored, next }) => {
      let last = firstRecord(api);
      for (let version = 1; version <= stored; version++) {
        last = version === 1 ? last : nextRecord(last);
        await store().write(last);
      }
      expect(await store().write(firstRecord(api, { version: next, cause: "Wake:1:1" }))).toEqual(conflict);
      expect(await store().read(key)).toEqual(stored === 0 ? undefined : last);
    });

    it.each([
      { because: "the first version", base: 0 },
      { because: "a later version", base: 1 },
    ])("has exactly one of twenty concurrent writers: $because", async ({ base }) => {
      if (base === 1) await store().write(firstRecord(api));
      const racers = Array.from({ length: 20 }, (_, racer) =>
        firstRecord(api, { version: base + 1, cause: `racer ${String(racer)}` }),
      );
      const outcomes = await Promise.all(racers.map((record) => store().write(record)));
      const winners = racers.filter((_, racer) => outcomes[racer]?.kind === "written");
      expect(winners).toHaveLength(1);
      expect(await store().read(key)).toEqual(winners[0]);
    });

    it("that was written already with equal fields counts as written", async () => {
      await store().write(firstRecord(api));
      expect(await store().write(firstRecord(api))).toEqual(written);
      expect(await store().write(firstRecord(api, { cause: "Wake:1:1" }))).toEqual(conflict);
      expect(await store().write(firstRecord(api, { tracked: false }))).toEqual(conflict);
    });

    it("may be close to 100 kB", async () => {
      const detail = "é".repeat(48_000);
      const record = firstRecord(api, {
        selectionFailures: [{ container: "app", reason: "problem-in-settings", detail }],
      });
      expect(await store().write(record)).toEqual(written);
      expect(await store().read(key)).toEqual(record);
    });

    it("is not shared with its writer or reader", async () => {
      const record = firstRecord(api);
      await store().write(record);
      Object.assign(record.observed, { updateLabel: "mine" });
      Object.assign((await store().read(key))?.observed ?? {}, { updateLabel: "mine" });
      expect((await store().read(key))?.observed.updateLabel).toBe("abc123-1");
    });
  });

  describe("many records", () => {
    it("are read in the order of the keys, each once, without unknown ones", async () => {
      const records = Array.from({ length: 250 }, (_, index) => firstRecord(deployment(`w${String(index)}`)));
      for (let from = 0; from < records.length; from += 50)
        await Promise.all(records.slice(from, from + 50).map((record) => store().write(record)));
      const backwards = records.toReversed();
      const keys = backwards.map((record) => workloadKey(record.workload));
      expect(await store().readMany(["prod/shop/deployment/none", ...keys, ...keys.slice(0, 3)])).toEqual(backwards);
      expect(await store().readMany([])).toEqual([]);
    });
  });

  describe("the workload index of a cluster", () => {
    it("lists every workload that was ever tracked there, sorted", async () => {
      const [web, elsewhere, longer] = [deployment("web"), deployment("api", "test"), deployment("api", "prod-2")];
      for (const workload of [web, api, elsewhere, longer]) await store().write(firstRecord(workload));
      await store().write(nextRecord(firstRecord(web), { tracked: false }));
      expect(await store().workloadIndex("prod")).toEqual([key, workloadKey(web)]);
      expect(await store().workloadIndex("test")).toEqual([workloadKey(elsewhere)]);
      expect(await store().workloadIndex("none")).toEqual([]);
    });
  });

  describe("the list of what waits for approval in a cluster", () => {
    const approval = { askedAt: start, bindingHash: "0".repeat(64), approvedBy: [] };
    const asked = (record: WorkloadRecord) =>
      nextVersion(
        record,
        { changes: { pending: aPending({ approval }) }, transitions: record.transitions },
        { cause: "Wake:1", now: start, tiers: withoutTiers },
      );

    it("has a workload, sorted, while its record waits for approval", async () => {
      const [web, held, elsewhere] = [deployment("web"), deployment("held"), deployment("api", "test")];
      const first = [web, api, held, elsewhere].map((workload) => firstRecord(workload));
      for (const record of first) await store().write(record);
      expect(await store().awaitingApproval("prod")).toEqual([]);

      const [ofWeb, ofApi, ofHeld, ofElsewhere] = first as [WorkloadRecord, ...WorkloadRecord[]];
      for (const record of [ofWeb, ofApi!, ofElsewhere!]) await store().write(asked(record));
      await store().write(nextRecord(ofHeld!, { pending: aPending() }));
      expect(await store().awaitingApproval("prod")).toEqual([key, workloadKey(web)]);
      expect(await store().awaitingApproval("test")).toEqual([workloadKey(elsewhere)]);

      const step = { cause: "Wake:2", now: start, tiers: withoutTiers };
      const { transitions } = ofWeb;
      await store().write(nextVersion(asked(ofWeb), { changes: {}, transitions }, step));
      await store().write(nextVersion(asked(ofApi!), { changes: { pending: undefined }, transitions }, step));
      expect(await store().awaitingApproval("prod")).toEqual([workloadKey(web)]);
    });

    it("does not follow a version that was not stored", async () => {
      const first = firstRecord(api);
      for (const record of [first, asked(first)]) await store().write(record);
      const second = asked(first);
      await store().write(nextRecord(second));
      const late = nextVersion(
        second,
        { changes: { pending: undefined }, transitions: first.transitions },
        { cause: "Wake:9", now: start, tiers: withoutTiers },
      );

      expect(await store().write(late)).toEqual(conflict);
      expect(await store().awaitingApproval("prod")).toEqual([key]);
    });
  });
}

function dueContract(store: () => WorkloadStore): void {
  describe("overdue records", () => {
    const at = (second: number) => epochMs(start + second * 1_000);
    const names = Array.from({ length: 40 }, (_, index) => `w${String(index).padStart(2, "0")}`);
    const keys = names.map((name) => workloadKey(deployment(name)));

    it("are listed up to the instant, the longest overdue first", async () => {
      await Promise.all(
        names.map((name, index) => store().write(firstRecord(deployment(name), { effects: { dueAt: at(index) } }))),
      );
      expect(await store().due(at(-1), 100)).toEqual([]);
      expect(await store().due(at(29), 100)).toEqual(keys.slice(0, 30));
      expect(await store().due(epochMs(at(29) - 1), 100)).toEqual(keys.slice(0, 29));
      expect(await store().due(at(39), 7)).toEqual(keys.slice(0, 7));
    });

    it("follow the record: later, or not at all", async () => {
      const [later, never, untouched] = ["later", "never", "untouched"].map((name) =>
        firstRecord(deployment(name), { effects: { dueAt: at(0) } }),
      );
      for (const record of [later!, never!, untouched!]) await store().write(record);
      await store().write(nextRecord(later!, { effects: { dueAt: at(60) } }));
      await store().write(nextRecord(firstRecord(never!.workload)));
      expect(await store().due(at(1), 10)).toEqual([workloadKey(untouched!.workload)]);
      expect(await store().due(at(60), 10)).toEqual([untouched!, later!].map(({ workload }) => workloadKey(workload)));
    });

    it("include an update with a slot, until it ends", async () => {
      const first = firstRecord(deployment("api"), {
        active: aRolling(),
        effects: { budget: { takes: 0 }, dueAt: at(1) },
      });
      await store().write(first);
      expect(await store().due(at(1), 10)).toEqual([workloadKey(first.workload)]);
      const { active, ...rest } = first;
      await store().write(nextRecord(rest, { effects: { budget: { frees: 0 } } }));
      expect(await store().due(at(60), 10)).toEqual([]);
    });
  });
}

function subscriptionContract(store: () => WorkloadStore): void {
  describe("subscribers of a repository", () => {
    const api = deployment("api");
    const keysOf = async (name: string) => (await store().subscribers(repository(name), 1_000)).workloads;

    it("are the workloads of the last stored lists", async () => {
      await store().subscribe(api, [repository("a"), repository("b"), repository("a")]);
      expect([await keysOf("a"), await keysOf("b"), await keysOf("c")]).toEqual([
        [workloadKey(api)],
        [workloadKey(api)],
        [],
      ]);
      await store().subscribe(api, [repository("b"), repository("c")]);
      expect([await keysOf("a"), await keysOf("b"), await keysOf("c")]).toEqual([
        [],
        [workloadKey(api)],
        [workloadKey(api)],
      ]);
      await store().subscribe(api, []);
      expect([await keysOf("b"), await keysOf("c")]).toEqual([[], []]);
    });

    it("may have more repositories than one request takes", async () => {
      const many = Array.from({ length: 220 }, (_, index) => repository(`many/${String(index)}`));
      await store().subscribe(api, many);
      expect(await keysOf("many/219")).toEqual([workloadKey(api)]);
      await store().subscribe(api, many.slice(0, 1));
      expect([await keysOf("many/0"), await keysOf("many/219")]).toEqual([[workloadKey(api)], []]);
    });

    it("keep one of several concurrent lists", async () => {
      const lists = ["x", "y", "z"].map((name) => [repository(name)]);
      await Promise.all(lists.map((list) => store().subscribe(api, list)));
      const named = await Promise.all(["x", "y", "z"].map(keysOf));
      expect(named.flat()).toEqual([workloadKey(api)]);
    });

    it("are listed page by page, the last page without a next", async () => {
      const workloads = ["a", "b", "c", "d"].map((name) => deployment(name));
      const keys = workloads.map(workloadKey);
      for (const workload of workloads.toReversed()) await store().subscribe(workload, [repository("app")]);
      const first = await store().subscribers(repository("app"), 2);
      expect(first).toEqual({ workloads: keys.slice(0, 2), next: expect.any(String) as string });
      expect(await store().subscribers(repository("app"), 2, first.next)).toEqual({ workloads: keys.slice(2) });
      expect(await store().subscribers(repository("app"), 10)).toEqual({ workloads: keys });
      expect(await store().subscribers(repository("none"), 10)).toEqual({ workloads: [] });
    });
  });
}

/** What every port of changes does, whatever keeps them. */
export function changesContract(makeBed: () => Promise<ChangesBed>): void {
  let bed: ChangesBed;
  let store: WorkloadStore;
  beforeEach(async () => {
    bed = await makeBed();
    store = bed.store();
  });

  describe("the changes of records", () => {
    const [api, web] = [firstRecord(deployment("api")), firstRecord(deployment("web"))];
    const recordsOf = async (limit: number) => (await bed.changes.take(limit)).map(({ record }) => record);

    it("appear with the record, once per write, and never for a conflict", async () => {
      expect(await bed.changes.take(10)).toEqual([]);
      await store.write(api);
      await store.write(api);
      await store.write(firstRecord(api.workload, { cause: "Wake:1:1" }));
      expect(await recordsOf(10)).toEqual([api]);
    });

    it("are published again until they are done, and may be done twice", async () => {
      await store.write(api);
      await store.write(nextRecord(api));
      const first = await bed.changes.take(1);
      expect(await bed.changes.take(1)).toEqual(first);
      await bed.changes.done([...first, ...first]);
      await bed.changes.done(first);
      await bed.changes.done([]);
      expect(await recordsOf(10)).toEqual([nextRecord(api)]);
    });

    it("have the order of versions, per workload, in pages of any size", async () => {
      const wanted = { api: [api], web: [web] };
      for (const list of Object.values(wanted)) {
        await store.write(list[0]!);
        for (let version = 2; version <= 12; version++) {
          list.push(nextRecord(list.at(-1)!));
          await store.write(list.at(-1)!);
        }
      }
      const taken = [];
      for (let page = await bed.changes.take(5); page.length > 0; page = await bed.changes.take(5)) {
        taken.push(...page.map(({ record }) => record));
        await bed.changes.done(page);
      }
      expect(Object.groupBy(taken, (record) => record.workload.name)).toEqual(wanted);
    });

    it("keep the order of versions when the clock is set back in between", async () => {
      const second = nextRecord(api, { changedAt: epochMs(start - 3_600_000) });
      const third = nextRecord(second, { changedAt: epochMs(start - 1_800_000) });
      for (const record of [api, second, third]) expect(await store.write(record)).toEqual(written);
      expect(await recordsOf(10)).toEqual([api, second, third]);
    });

    it("have ids that are never used again", async () => {
      for (const record of [api, web, nextRecord(api)]) await store.write(record);
      const ids = (await bed.changes.take(10)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
    });

    it("do not appear for a write whose slot another workload has", async () => {
      const [holder, refused] = [api, web].map((record) => ({ ...record, effects: { budget: { takes: 0 } } }));
      await store.write(holder!);
      expect(await store.write(refused!)).toEqual({ kind: "slot-taken" });
      expect(await recordsOf(10)).toEqual([holder]);
    });

    it("of this process are announced", async () => {
      let announced = 0;
      bed.changes.onWrite(() => {
        announced += 1;
      });
      await store.write(api);
      expect(announced).toBe(1);
    });
  });
}
