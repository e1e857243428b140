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
  ])("of $text holds what is pushed, and lets the newest go when it is lifted", async ({ scope, text }) => {
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
  ])("of $what holds nothing here", async ({ scope }) => {
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

  it("that comes when the intent is stored already holds at patch time, and names what may be in flight", async () => {
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

  it("holds a patch whose function stood still for longer than ten seconds after it had read the gates", async () => {
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

  it("lets a failed update go back", async () => {
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.settle();
    await freeze({ ...christmas, scope: {} }, lookout.ports);
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(lookout.factNames(key)).toContain("RolledBack");
  });

  it("that is lifted just while an update begins to wait for it holds it no longer than two seconds", async () => {
    await freeze({ ...christmas, scope: {} }, lookout.ports);
    const list = lookout.ports.freezes.list.bind(lookout.ports.freezes);
    Object.assign(lookout.ports.freezes, {
      list: async () => {
        const freezes = await list();
        if (freezes.length > 0) await unfreeze({}, lookout.ports);
        return freezes;
      },
    });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(await waits()).toEqual([{ reason: "frozen", detail: "*: Christmas, by ana" }]);
    await lookout.pass(seconds(2));

    expect(lookout.image(key)).toBe(runs(digest));
  });

  it("is told by explain before anything is pushed", async () => {
    await freeze({ ...christmas, scope: { cluster: "prod" } }, lookout.ports);

    const view = await explain(key, lookout.ports, new AbortController().signal);

    expect(view?.gates.find(({ gate }) => gate === "freeze")).toMatchObject({
      open: false,
      why: { reason: "frozen", detail: "prod: Christmas, by ana" },
    });
    expect(lookout.image(key)).toBe(`${host}/${api.namespace}/api:1.0.0`);
  });
});
