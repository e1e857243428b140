import { describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { freeze, listFreezes, unfreeze } from "#app/api/freezes";
import type { FreezeScope, PlannedFreeze } from "#domain/gates/freezes";
import { minutes, plus, seconds } from "#domain/shared/time";
import { readWindow, type WrittenWindow } from "#domain/schedule/window";
import { begins, host, trackApi, type World, worldWithApi } from "../world.ts";

function planned(scope: FreezeScope, ...written: readonly WrittenWindow[]): PlannedFreeze {
  const windows = written.map((window) => {
    const read = readWindow({ effect: "deny", ...window });
    if (!read.ok) throw new Error(read.problem.message);
    return read.value;
  });
  return { name: "closing", scope, why: "Monthly closing", windows };
}

/** The world begins on 21 November at 10:00 UTC. */
const halfAnHour = { start: "10:00", end: "10:30" };
const later = { from: "2026-11-21T12:00", until: "2026-11-21T13:00" };

async function begun(...freezes: readonly PlannedFreeze[]): Promise<{ lookout: World; key: string }> {
  const lookout = await worldWithApi(undefined, freezes);
  return { lookout, key: await trackApi(lookout) };
}
const runs = (digest: string) => `${host}/shop/api:1.1.0@${digest}`;

describe("a planned freeze", () => {
  it("holds a pushed image under its name, and releases it at its end, to the second", async () => {
    const { lookout, key } = await begun(planned({}, halfAnHour));
    const until = plus(begins, minutes(30));

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(29));
    const { pending } = await lookout.record(key);
    await lookout.pass(minutes(1));

    const detail = "*: Monthly closing, by closing of lookout.yaml";
    expect(pending?.waits).toEqual([{ reason: "planned-freeze", detail, until }]);
    expect(lookout.image(key)).toBe(runs(digest));
    expect(lookout.facts.find(({ name }) => name === "RolloutStarted")?.at).toBeLessThanOrEqual(
      plus(until, seconds(1)),
    );
  });

  it("is explained like any other freeze", async () => {
    const { lookout, key } = await begun(planned({ cluster: "prod", namespace: "shop" }, halfAnHour));
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    const explained = await explain(key, lookout.ports, new AbortController().signal);

    expect(JSON.stringify(explained)).toContain("prod/shop: Monthly closing, by closing of lookout.yaml");
  });

  it.each([
    { because: "its time has not come", freeze: planned({}, later) },
    { because: "it is of another cluster", freeze: planned({ cluster: "stage" }, halfAnHour) },
    { because: "its time is over", freeze: planned({}, { from: "2026-11-20", until: "2026-11-21" }) },
  ])("holds nothing when $because", async ({ freeze }) => {
    const { lookout, key } = await begun(freeze);

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(lookout.image(key)).toBe(runs(digest));
  });

  it("holds an update beside a stored freeze, until both have ended", async () => {
    const { lookout, key } = await begun(planned({ cluster: "prod" }, halfAnHour));
    await freeze({ scope: {}, by: "ana", why: "audit", until: plus(begins, minutes(45)) }, lookout.ports);

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(31));
    const held = lookout.image(key);
    await lookout.pass(minutes(15));

    expect([held, lookout.image(key)]).toEqual([`${host}/shop/api:1.0.0`, runs(digest)]);
  });

  it("is listed while it holds, and before it starts", async () => {
    const { lookout } = await begun(planned({ cluster: "prod" }, later));
    const [from, until] = ["2026-11-21T12:00:00.000Z", "2026-11-21T13:00:00.000Z"];
    const closing = { scope: "prod", why: "Monthly closing" };

    const before = await listFreezes(lookout.ports);
    await lookout.pass(minutes(125));
    const during = await listFreezes(lookout.ports);
    await lookout.pass(minutes(60));
    const afterwards = await listFreezes(lookout.ports);

    expect([before, during, afterwards].map(({ freezes, planned }) => ({ freezes, planned }))).toEqual([
      { freezes: [], planned: [{ name: "closing", ...closing, from, until }] },
      { freezes: [{ ...closing, by: "closing of lookout.yaml", planned: "closing", until }], planned: [] },
      { freezes: [], planned: [{ name: "closing", ...closing }] },
    ]);
  });

  it("releases held updates on a request after it left lookout.yaml", async () => {
    const { lookout, key } = await begun(planned({ cluster: "prod" }, halfAnHour));
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    const unplanned = { ...lookout.ports, rules: { ...lookout.ports.rules, plannedFreezes: [] } };
    Object.assign(lookout.ports, unplanned);
    const lifted = await unfreeze({ cluster: "prod" }, unplanned);
    await lookout.pass(seconds(5));

    expect(lifted).toMatchObject({ kind: "lifted", view: { freezes: [], planned: [] } });
    expect(lookout.image(key)).toBe(runs(digest));
  });

  it("is not lifted by a command, unlike a stored freeze of the same scope", async () => {
    const { lookout, key } = await begun(planned({ cluster: "prod" }, halfAnHour));
    const scope = { cluster: "prod" };
    await freeze({ scope, by: "ana", why: "audit" }, lookout.ports);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    const first = await unfreeze(scope, lookout.ports);
    const second = await unfreeze(scope, lookout.ports);
    await lookout.pass(seconds(5));

    expect(first).toMatchObject({ kind: "lifted", view: { freezes: [{ planned: "closing" }] } });
    expect(second).toEqual({ kind: "planned", name: "closing" });
    expect((await lookout.record(key)).pending?.waits).toMatchObject([
      { reason: "planned-freeze", until: plus(begins, minutes(30)) },
    ]);
  });
});
