import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { freeze, listFreezes, unfreeze } from "#app/api/freezes";
import { minutes, plus, seconds } from "#domain/shared/time";
import { api, begins, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;

beforeEach(async () => {
  lookout = await worldWithApi();
  key = await trackApi(lookout);
});

const christmas = { by: "ana", why: "Christmas" };
const waits = async () => (await lookout.record(key)).pending?.waits;
const runs = (digest: string, tag = "1.1.0") => `${host}/shop/api:${tag}@${digest}`;

describe("a freeze", () => {
  it.each([
    { scope: {}, text: "*" },
    { scope: { cluster: "prod" }, text: "prod" },
    { scope: { cluster: "prod", namespace: "shop" }, text: "prod/shop" },
  ])("of $text holds pushed images, and releases the newest at its end", async ({ scope, text }) => {
    await freeze({ ...christmas, scope }, lookout.ports);

    await lookout.push("shop/api", "1.1.0");
    const digest = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(10));
    expect(await waits()).toEqual([{ reason: "frozen", detail: `${text}: Christmas, by ana` }]);
    await unfreeze(scope, lookout.ports);
    await lookout.pass(seconds(1));

    expect(lookout.image(key)).toBe(runs(digest, "1.2.0"));
  });

  it.each([
    { scope: { cluster: "staging" }, what: "another cluster" },
    { scope: { cluster: "prod", namespace: "web" }, what: "another namespace" },
  ])("of $what does not cover this workload", async ({ scope }) => {
    await freeze({ ...christmas, scope }, lookout.ports);

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(lookout.image(key)).toBe(runs(digest));
  });

  it("ends by itself at its end, to the second", async () => {
    const until = plus(begins, minutes(30));
    await freeze({ ...christmas, scope: {}, until }, lookout.ports);

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(29));
    expect(await waits()).toEqual([{ reason: "frozen", detail: "*: Christmas, by ana", until }]);
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(runs(digest));
    expect(lookout.facts.find(({ name }) => name === "RolloutStarted")?.at).toBeLessThanOrEqual(
      plus(until, seconds(1)),
    );
    expect((await listFreezes(lookout.ports)).freezes).toEqual([]);
  });

  it("that begins after the stored intent holds the patch, and lists it as in flight", async () => {
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    const read = lookout.cluster.read.bind(lookout.cluster);
    let inFlight: readonly string[] = [];
    lookout.cluster.patch = async (given, signal) => {
      inFlight = (await freeze({ ...christmas, scope: {} }, lookout.ports)).inFlight;
      return patch(given, signal);
    };
    const first = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(inFlight).toEqual([key]);
    expect(lookout.image(key)).toBe(runs(first));
    await lookout.pass(seconds(20));
    await unfreeze({}, lookout.ports);

    lookout.cluster.patch = patch;
    lookout.cluster.read = async (workload, signal) => {
      await freeze({ ...christmas, scope: {} }, lookout.ports);
      return read(workload, signal);
    };
    await lookout.push("shop/api", "1.2.0");
    await lookout.settle();

    expect(lookout.image(key)).toBe(runs(first));
    expect(await waits()).toEqual([{ reason: "frozen", detail: "*: Christmas, by ana" }]);
    expect((await listFreezes(lookout.ports)).inFlight).toEqual([]);
  });

  it("holds a patch whose function slept for ten seconds after it asked the gates", async () => {
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    lookout.cluster.patch = async (given, signal) => {
      lookout.cluster.patch = patch;
      await lookout.pass(seconds(11));
      await freeze({ ...christmas, scope: {} }, lookout.ports);
      return patch(given, signal);
    };

    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await waits()).toEqual([{ reason: "frozen", detail: "*: Christmas, by ana" }]);
  });

  it("allows the rollback of a failed update", async () => {
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.settle();
    await freeze({ ...christmas, scope: {} }, lookout.ports);
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(lookout.factNames(key)).toContain("RolledBack");
  });

  it("that ends as an update begins to wait holds the update for two seconds at most", async () => {
    await freeze({ ...christmas, scope: {} }, lookout.ports);
    const { freezes } = lookout.ports;
    const ports = { ...lookout.ports, freezes: { ...freezes } };
    Object.assign(freezes, {
      list: async () => {
        const listed = await ports.freezes.list();
        if (listed.length > 0) await unfreeze({}, ports);
        return listed;
      },
    });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(await waits()).toEqual([{ reason: "frozen", detail: "*: Christmas, by ana" }]);
    await lookout.pass(seconds(2));

    expect(lookout.image(key)).toBe(runs(digest));
  });

  it("is shown by explain before a push", async () => {
    await freeze({ ...christmas, scope: { cluster: "prod" } }, lookout.ports);

    const view = await explain(key, lookout.ports, new AbortController().signal);

    expect(view?.gates.find(({ gate }) => gate === "freeze")).toMatchObject({
      open: false,
      why: { reason: "frozen", detail: "prod: Christmas, by ana" },
    });
    expect(lookout.image(key)).toBe(`${host}/${api.namespace}/api:1.0.0`);
  });
});
