import { beforeEach, describe, expect, it } from "vitest";
import { offerFreeSlots } from "#app/shared/slots";
import { freeze, unfreeze } from "#app/api/freezes";
import { seconds } from "#domain/shared/time";
import type { ActiveUpdate } from "#domain/update/state/workload";
import { host, type World, world } from "../world.ts";

let lookout: World;
let keys: readonly string[];

beforeEach(async () => {
  // One namespace may have two of three slots.
  lookout = world({ maxConcurrentRollouts: 3 });
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  keys = ["a", "b", "c", "d", "e"].map((name) => lookout.deploy({ name, image: `${host}/shop/api:1.0.0` }));
  await lookout.pass(seconds(2));
  await lookout.sync();
});

const records = () => Promise.all(keys.map((key) => lookout.record(key)));
const onTheirWay = async () => (await records()).filter(({ active }) => active !== undefined).length;
const wait = async () =>
  (await records()).filter(({ pending }) => pending?.waits.some(({ reason }) => reason === "cluster-budget")).length;
const running = (image: string) => keys.filter((key) => lookout.image(key) === image).length;

const waitOf = (active: ActiveUpdate | undefined) =>
  active?.status === "rolling-out" && active.progress.kind === "waiting" ? active.progress.why : undefined;

describe("a cluster's budget", () => {
  it("limits the active updates, and each ended update starts the next", async () => {
    const digest = await lookout.push("shop/api", "1.1.0");
    let most = 0;
    const seen = new Set<string>();
    for (let tick = 0; tick < 120; tick += 1) {
      await lookout.pass(seconds(1));
      most = Math.max(most, await onTheirWay());
      seen.add(`${await onTheirWay()} and ${await wait()}`);
    }

    expect(most).toBe(2);
    expect([...seen]).toEqual(["2 and 3", "2 and 1", "1 and 0", "0 and 0"]);
    expect(running(`${host}/shop/api:1.1.0@${digest}`)).toBe(5);
    expect(await lookout.ports.store.slots("prod")).toEqual([]);
    expect(await lookout.ports.store.waiters("prod", 10)).toEqual([]);
  });

  it("gets the slot of a failed update back after its rollback", async () => {
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(300));

    expect((await records()).map(({ last }) => last?.status)).toEqual(Array(5).fill("rolled-back"));
    expect(await lookout.ports.store.slots("prod")).toEqual([]);
  });

  it("gives the slot of an update that is held again to the next update", async () => {
    await lookout.push("shop/api", "1.1.0");
    const read = lookout.cluster.read.bind(lookout.cluster);
    lookout.cluster.read = (workload, signal) =>
      workload.name === "a" || workload.name === "b"
        ? Promise.resolve({ kind: "unreachable", detail: "503" })
        : read(workload, signal);
    await lookout.pass(seconds(90));

    expect((await records()).map(({ last, pending }) => last?.status ?? pending?.waits[0]?.reason)).toEqual([
      "cluster-unreachable",
      "cluster-unreachable",
      "succeeded",
      "succeeded",
      "succeeded",
    ]);
  });

  it("gives a slot to the next update if a woken update can't use it", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    await freeze({ scope: { cluster: "prod", namespace: "shop" }, by: "ana", why: "x" }, lookout.ports);
    await lookout.pass(seconds(60));
    expect(await onTheirWay()).toBe(0);
    await unfreeze({ cluster: "prod", namespace: "shop" }, lookout.ports);
    await lookout.pass(seconds(60));

    expect((await records()).map(({ last }) => last?.status)).toEqual(Array(5).fill("succeeded"));
  });

  it("is handed on by the reaper if every message was lost", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    lookout.loseMessages();
    for (let minute = 0; minute < 30; minute += 1) {
      await lookout.pass(seconds(60));
      await lookout.reap();
    }

    expect((await records()).map(({ last }) => last?.status)).toEqual(Array(5).fill("succeeded"));
  });

  it("needs one RollOut for each update, and few checks of waiting updates", async () => {
    const sent: string[] = [];
    const send = lookout.ports.queues.send.bind(lookout.ports.queues);
    Object.assign(lookout.ports.queues, {
      send: (sendings: Parameters<typeof send>[0]) => {
        sent.push(...sendings.map(({ command }) => command.name));
        return send(sendings);
      },
    });
    for (let index = 0; index < 35; index += 1)
      lookout.deploy({ name: `w${String(index)}`, image: `${host}/shop/api:1.0.0` });
    await lookout.pass(seconds(2));
    await lookout.sync();
    sent.length = 0;

    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(400));

    expect(sent.filter((command) => command === "RollOut")).toHaveLength(40);
    expect(sent.filter((command) => command === "Wake").length).toBeLessThan(4 * 40);
    expect(await lookout.ports.store.waiters("prod", 10)).toEqual([]);
  });

  it("prefers the longest wait over a new push", async () => {
    const order: string[] = [];
    await lookout.push("web/site", "1.0.0", { quietly: true });
    const late = lookout.deploy({ name: "late", image: `${host}/web/site:1.0.0` });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    await lookout.push("web/site", "1.1.0");
    for (let tick = 0; tick < 120; tick += 1) {
      await lookout.pass(seconds(1));
      for (const { workload, active } of [...(await records()), await lookout.record(late)])
        if (active !== undefined && !order.includes(workload.name)) order.push(workload.name);
    }

    expect(order.at(-1)).toBe("late");
    expect(order.toSorted()).toEqual(["a", "b", "c", "d", "e", "late"]);
  });

  it("gets its slot back from a paused workload", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    for (const { workload, active } of await records()) if (active !== undefined) lookout.cluster.pause(workload);
    await lookout.pass(seconds(120));

    expect((await records()).map(({ last, active }) => last?.status ?? waitOf(active)).sort()).toEqual([
      "paused",
      "paused",
      "succeeded",
      "succeeded",
      "succeeded",
    ]);
  });

  it("offers its slots to updates whose other gates are open", async () => {
    for (const name of ["a", "b", "c"])
      lookout.cluster.annotate({ namespace: "shop", kind: "Deployment", name }, { "lookout.dev/suspend": "true" });
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect((await records()).map(({ active, pending }) => active?.status ?? pending?.waits[0]?.reason)).toEqual([
      "suspended",
      "suspended",
      "suspended",
      "rolling-out",
      "rolling-out",
    ]);
  });

  it("wakes no workload while every slot is taken", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await wait()).toBe(3);
    expect(await offerFreeSlots("prod", "test", 2, lookout.ports)).toBe(0);
  });
});
