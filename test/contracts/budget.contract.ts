import { beforeEach, describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { BudgetChange, WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadStore } from "#ports/store";
import { deployment, firstRecord, nextRecord, start } from "./records.ts";
import type { WorkloadStoreBed } from "./workload-store.contract.ts";

const written = { kind: "written" };
const conflict = { kind: "conflict" };
const slotTaken = { kind: "slot-taken" };

/** The first record of a Deployment, with a move. */
const moving = (name: string, budget: BudgetChange, cluster = "prod"): WorkloadRecord =>
  firstRecord(deployment(name, cluster), { effects: { budget } });
/** The next one; a move holds for one version alone. */
const moved = (record: WorkloadRecord, budget?: BudgetChange): WorkloadRecord =>
  nextRecord(record, { effects: budget === undefined ? {} : { budget } });
const holds = (slot: number, { workload }: WorkloadRecord) => ({ slot, workload: workloadKey(workload) });

/** What every store of workloads does with the budget of a cluster, whatever keeps it. */
export function budgetContract(makeBed: () => Promise<WorkloadStoreBed>): void {
  let bed: WorkloadStoreBed;
  let store: WorkloadStore;
  beforeEach(async () => {
    bed = await makeBed();
    store = bed.store();
  });
  slotContract(() => bed);
  waiterContract(() => store);

  describe("a conflict", () => {
    it("moves no slot and no waiter", async () => {
      const api = moving("api", { takes: 0, joins: start });
      await store.write(api);
      const outdated = { ...moved(api, { takes: 1, frees: 0, leaves: start }), version: 3 };
      expect(await store.write(outdated)).toEqual(conflict);
      expect([await store.slots("prod"), await store.waiters("prod", 9)]).toEqual([
        [holds(0, api)],
        [workloadKey(api.workload)],
      ]);
    });

    it("is reported before a taken slot", async () => {
      const [api, web] = [moving("api", { takes: 0 }), moving("web", {})];
      for (const record of [api, web]) await store.write(record);
      expect(await store.write(moving("web", { takes: 0 }))).toEqual(conflict);
    });
  });
}

function slotContract(bed: () => WorkloadStoreBed): void {
  const store = (): WorkloadStore => bed().store();
  const [api, web] = [moving("api", { takes: 0 }), moving("web", { takes: 0 })];

  describe("a slot", () => {
    it("that is free is taken in the write of the record", async () => {
      expect(await store().slots("prod")).toEqual([]);
      expect(await store().write(api)).toEqual(written);
      expect(await store().slots("prod")).toEqual([holds(0, api)]);
    });

    it("of another workload is refused, and no record is written", async () => {
      await store().write(api);
      expect(await store().write(moving("web", { takes: 0, joins: start }))).toEqual(slotTaken);
      expect(await store().read(workloadKey(web.workload))).toBeUndefined();
      expect([await store().slots("prod"), await store().waiters("prod", 9)]).toEqual([[holds(0, api)], []]);
    });

    it("of another workload is refused to a later version too, and the next attempt may take another", async () => {
      const waiting = firstRecord(web.workload);
      for (const record of [api, waiting]) await store().write(record);
      expect(await store().write(moved(waiting, { takes: 0 }))).toEqual(slotTaken);
      expect(await store().read(workloadKey(web.workload))).toEqual(waiting);
      expect(await store().write(moved(waiting, { takes: 1 }))).toEqual(written);
      expect(await store().slots("prod")).toEqual([holds(0, api), holds(1, web)]);
    });

    it("is refused even if the clock was set back in between", async () => {
      const waiting = firstRecord(web.workload);
      for (const record of [api, waiting]) await store().write(record);
      const earlier = { ...moved(waiting, { takes: 0 }), changedAt: epochMs(start - 3_600_000) };
      expect(await store().write(earlier)).toEqual(slotTaken);
    });

    it("may be taken again by its owner, with the same or a later write", async () => {
      await store().write(api);
      expect(await store().write(api)).toEqual(written);
      expect(await store().write(moved(api, { takes: 0 }))).toEqual(written);
      expect(await store().slots("prod")).toEqual([holds(0, api)]);
    });

    it("may be taken after it was freed, and a late repetition of the freeing has no effect", async () => {
      await store().write(api);
      const freeing = moved(api, { frees: 0 });
      expect(await store().write(freeing)).toEqual(written);
      expect(await store().slots("prod")).toEqual([]);
      expect(await store().write(web)).toEqual(written);
      expect(await store().write(freeing)).toEqual(written);
      expect(await store().slots("prod")).toEqual([holds(0, web)]);
    });

    it("without an owner may be freed, but not a slot of another workload", async () => {
      await store().write(api);
      expect(await store().write(moving("none", { frees: 5 }))).toEqual(written);
      expect(await store().write(moving("web", { frees: 0 }))).toEqual(slotTaken);
      expect(await store().read(workloadKey(web.workload))).toBeUndefined();
      expect(await store().slots("prod")).toEqual([holds(0, api)]);
    });

    it("is exchanged for another in one write", async () => {
      await store().write(api);
      expect(await store().write(moved(api, { takes: 3, frees: 0 }))).toEqual(written);
      expect(await store().slots("prod")).toEqual([holds(3, api)]);
    });

    it("goes to one of ten concurrent writers", async () => {
      const racers = Array.from({ length: 10 }, (_, racer) => moving(`w${String(racer)}`, { takes: 0 }));
      const outcomes = await Promise.all(racers.map((record) => store().write(record)));
      const winners = racers.filter((_, racer) => outcomes[racer]?.kind === "written");
      expect(winners).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === "slot-taken")).toHaveLength(9);
      expect(await store().slots("prod")).toEqual(winners.map((winner) => holds(0, winner)));
    });

    it("belongs to its cluster, and is listed by number", async () => {
      const taken = [moving("a", { takes: 10 }), moving("b", { takes: 9 }), moving("c", { takes: 0 })];
      const elsewhere = [moving("a", { takes: 0 }, "test"), moving("a", { takes: 1 }, "prod-2")];
      for (const record of [...taken, ...elsewhere]) expect(await store().write(record)).toEqual(written);
      const [a, b, c] = taken;
      expect(await store().slots("prod")).toEqual([holds(0, c!), holds(9, b!), holds(10, a!)]);
      expect(await store().slots("test")).toEqual([holds(0, elsewhere[0]!)]);
      expect(await store().slots("none")).toEqual([]);
    });
  });
}

function waiterContract(store: () => WorkloadStore): void {
  const at = (second: number) => epochMs(start + second * 1_000);
  const key = (name: string, cluster = "prod"): string => workloadKey(deployment(name, cluster));

  describe("a workload that waits for a slot", () => {
    it("is listed from its joining to its leaving", async () => {
      const api = moving("api", { joins: start });
      expect(await store().waiters("prod", 9)).toEqual([]);
      await store().write(api);
      await store().write(moved(api));
      expect(await store().waiters("prod", 9)).toEqual([key("api")]);
      await store().write(moved(moved(api), { leaves: start, takes: 0 }));
      expect(await store().waiters("prod", 9)).toEqual([]);
    });

    it("is listed by instant, then by name, up to the limit", async () => {
      const joined = [
        ["late", at(60)],
        ["early", at(-3_600)],
        ["web", at(0)],
        ["api", at(0)],
      ] as const;
      for (const [name, joins] of joined) await store().write(moving(name, { joins }));
      const order = ["early", "api", "web", "late"].map((name) => key(name));
      expect(await store().waiters("prod", 9)).toEqual(order);
      expect(await store().waiters("prod", 2)).toEqual(order.slice(0, 2));
    });

    it("is listed beside many waiting workloads of another namespace", async () => {
      const greedy = Array.from({ length: 250 }, (_, index) => ({
        ...deployment(`w${String(index).padStart(3, "0")}`),
        namespace: "greedy",
      }));
      for (const workload of greedy)
        await store().write(firstRecord(workload, { effects: { budget: { joins: at(0) } } }));
      const others = [moving("late", { joins: at(60) }), moving("early", { joins: at(-60) })];
      for (const record of others) await store().write(record);

      expect(await store().waiters("prod", 2)).toEqual([
        key("early"),
        ...greedy.slice(0, 2).map(workloadKey),
        key("late"),
      ]);
    });

    it("may go to another place in one write", async () => {
      const api = moving("api", { joins: at(1) });
      for (const record of [api, moving("web", { joins: at(2) })]) await store().write(record);
      await store().write(moved(api, { leaves: at(1), joins: at(3) }));
      expect(await store().waiters("prod", 9)).toEqual([key("web"), key("api")]);
    });

    it("may leave without having joined", async () => {
      await store().write(moving("web", { joins: start }));
      expect(await store().write(moving("api", { leaves: start }))).toEqual(written);
      expect(await store().waiters("prod", 9)).toEqual([key("web")]);
    });

    it("waits in its own cluster", async () => {
      for (const cluster of ["prod", "test", "prod-2"]) await store().write(moving("api", { joins: start }, cluster));
      expect(await store().waiters("prod", 9)).toEqual([key("api")]);
      expect(await store().waiters("test", 9)).toEqual([key("api", "test")]);
      expect(await store().waiters("none", 9)).toEqual([]);
    });
  });
}
