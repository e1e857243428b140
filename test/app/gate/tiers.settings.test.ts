import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { requestVersion } from "#app/api/request-version";
import { settingsOf } from "#app/shared/records";
import { tierReadsOfHeld } from "#app/shared/tiers";
import { type EpochMs, hours, minutes, plus, seconds } from "#domain/shared/time";
import type { Tier } from "#domain/tiers/rules";
import { host, type World } from "../world.ts";
import { annotate, digestOf, members, passWithSyncs, tagOf, tier, tiered, track, twoTiers, waitsOf } from "./tiered.ts";

const request = (lookout: World, asked: object): Promise<unknown> => {
  const signal = new AbortController().signal;
  const served = {
    id: randomUUID(),
    ports: lookout.ports,
    by: (by: string) => by,
    credential: { kind: "none" },
    signal,
  };
  return requestVersion(asked as never, served as never);
};

/** Deploys a workload of two containers into a tier. */
function pair(lookout: World, name: string, more: Readonly<Record<string, string>> = {}): string {
  return lookout.deploy({
    namespace: `shop-${name}`,
    name: "web",
    image: `${host}/shop/web:1.0.0`,
    more: { side: `${host}/shop/side:1.0.0` },
    annotations: { "lookout.dev/tier": name.replace(/-.*/, ""), "lookout.dev/tier-group": "web", ...more },
  });
}

describe("a workload of two containers", () => {
  it.each([{}, { "lookout.dev/together": "true" }])("gets only what dev ran in both: %j", async (more) => {
    const lookout = tiered(twoTiers);
    for (const name of ["web", "side"]) await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
    const [dev, prod] = [pair(lookout, "dev", more), pair(lookout, "prod", more)];
    await track(lookout);
    const push = async (tag: string) => {
      for (const name of ["web", "side"]) await lookout.push(`shop/${name}`, tag);
    };
    await push("1.1.0");
    await lookout.pass(minutes(5));
    await push("1.2.0");
    await lookout.pass(minutes(7));
    const imagesOf = async (key: string) =>
      (await lookout.record(key)).observed.containers.map(({ image }) => image.replace(/@.*/, "").split(":").at(-1));
    expect([await imagesOf(dev), await imagesOf(prod)]).toEqual([
      ["1.2.0", "1.2.0"],
      ["1.1.0", "1.1.0"],
    ]);
    expect(await waitsOf(lookout, prod)).toEqual(["tier-soaking"]);
    await lookout.pass(minutes(5));
    expect(await imagesOf(prod)).toEqual(["1.2.0", "1.2.0"]);
  });

  it("is not woken at once again while dev ran one image for the soak, and not the other one (seed 61394)", async () => {
    const lookout = tiered(twoTiers);
    for (const name of ["web", "side"]) await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
    pair(lookout, "dev");
    const prod = pair(lookout, "prod", { "lookout.dev/suspend": "true" });
    await track(lookout);
    const digest = await lookout.push("shop/side", "1.1.0", { quietly: true });
    await lookout.ports.quarantine.add({ digest, by: "ben", why: "CVE", at: lookout.clock.now() });
    await lookout.push("shop/web", "1.1.0");
    await lookout.tellAgain("shop/side", "1.1.0");
    await lookout.pass(minutes(1));
    const record = await lookout.record(prod);
    const soaking = record.pending?.waits.find(({ reason }) => reason === "tier-soaking");
    const until = soaking?.until ?? lookout.clock.now();
    const at = (now: EpochMs) => ({ ...lookout.ports, clock: { now: () => now } });
    const settings = await settingsOf(record, lookout.ports);
    const reads = (now: EpochMs) => tierReadsOfHeld(settings, at(now)).of(record);

    expect(record.pending?.changes.map(({ name }) => name)).toEqual(["app", "side"]);
    expect(await reads(plus(until, seconds(-1)))).toEqual({ kind: "still", wait: soaking });
    expect((await reads(until)).kind).toBe("after");
  });

  it("gets a sidecar that only it has at once", async () => {
    const lookout = tiered(twoTiers);
    for (const name of ["web", "side"]) await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
    await members(lookout, ["dev"]);
    const prod = pair(lookout, "prod");
    await track(lookout);
    await lookout.push("shop/side", "1.1.0");
    await lookout.pass(minutes(1));
    const { observed } = await lookout.record(prod);
    expect(observed.containers.map(({ image }) => image.replace(/@.*/, ""))).toEqual([
      `${host}/shop/web:1.0.0`,
      `${host}/shop/side:1.1.0`,
    ]);
  });
});

describe("a minimum age beside tiers", () => {
  it("is waited for as well as the soak", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(10) }), tier("prod")]);
    const [dev] = await members(lookout, ["dev"]);
    const [prod] = await members(lookout, ["prod"], { "lookout.dev/min-age": "30m" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(20));
    expect([tagOf(lookout, dev), tagOf(lookout, prod)]).toEqual(["1.1.0", "1.0.0"]);
    await lookout.pass(minutes(11));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
  });

  it("of prod is no reason to wait for ever while dev gets an image every two minutes", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(5) }), tier("prod")]);
    await members(lookout, ["dev"]);
    const [prod] = await members(lookout, ["prod"], { "lookout.dev/min-age": "10m" });
    const ran = new Set<string>();
    for (let minor = 1; minor <= 40; minor += 1) {
      await lookout.push("shop/web", `1.${String(minor)}.0`);
      await lookout.pass(minutes(2));
      ran.add(tagOf(lookout, prod));
    }
    expect(ran.size).toBeGreaterThan(3);
  });
});

describe("a window while an image soaks", () => {
  it("holds the update after the soak, until it opens", async () => {
    const lookout = tiered(twoTiers);
    await members(lookout, ["dev"]);
    const [prod] = await members(lookout, ["prod"], { "lookout.dev/maintenance-window": "11:00-12:00" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(20));
    expect([tagOf(lookout, prod), await waitsOf(lookout, prod)]).toEqual(["1.0.0", ["window-closed"]]);
    await lookout.pass(minutes(45));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
  });
});

describe("a member that observes only", () => {
  it("of dev runs nothing, so it counts and prod waits for it", async () => {
    const lookout = tiered(twoTiers);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await annotate(lookout, dev, { "lookout.dev/observe": "true" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(20));
    expect(tagOf(lookout, prod)).toBe("1.0.0");
  });
});

describe("a version that a person requests for prod", () => {
  it("waits for dev, and says so", async () => {
    const lookout = tiered(twoTiers);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await annotate(lookout, dev, { "lookout.dev/maintenance-window": "23:00-23:30" });
    await lookout.push("shop/web", "1.1.0", { quietly: true });
    const { workload } = await lookout.record(prod);
    await request(lookout, { workload, as: "set", version: "1.1.0", by: "ana", why: "urgent" });
    await lookout.pass(minutes(1));
    expect([tagOf(lookout, prod), await waitsOf(lookout, prod)]).toEqual(["1.0.0", ["tier-pending"]]);
  });

  it("goes back at once if it is a rollback", async () => {
    const lookout = tiered(twoTiers);
    const [, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(15));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
    expect(lookout.factNames(prod)).not.toContain("UpdateSuperseded");
    const { workload } = await lookout.record(prod);
    await request(lookout, { workload, as: "rollback", by: "ana", why: "slow" });
    await lookout.pass(minutes(1));
    expect(tagOf(lookout, prod)).toBe("1.0.0");
  });
});

describe("the tiers of lookout.yaml", () => {
  it("are closed after a change until all workloads of the clusters have their places", async () => {
    const tiers: Tier[] = [];
    const lookout = tiered(tiers);
    const [dev, prod] = await members(lookout, ["dev", "prod"], { "lookout.dev/tier-group": "web" });
    await annotate(lookout, dev, { "lookout.dev/maintenance-window": "23:00-23:30" });
    tiers.push(tier("dev"), tier("prod", { namespaces: [] }));
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(1));
    expect(tagOf(lookout, prod)).toBe("1.0.0");
    expect(await waitsOf(lookout, prod)).toEqual(["tier-unread"]);
    await passWithSyncs(lookout, minutes(3));
    await lookout.pass(hours(1));
    expect(await waitsOf(lookout, prod)).toEqual(["tier-pending"]);
  });
});

describe("a moved tag that prod writes with a digest", () => {
  it("stays at a later digest that a person released", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(5) }), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"], { "lookout.dev/policy": "digest" }, "main");
    const first = await lookout.push("shop/web", "main");
    await lookout.pass(minutes(1));
    await annotate(lookout, dev, { "lookout.dev/suspend": "true" });
    const second = await lookout.push("shop/web", "main");
    await lookout.pass(seconds(30));
    lookout.cluster.setImage(
      { namespace: "shop-prod", kind: "Deployment", name: "web" },
      "app",
      `${host}/shop/web:main@${second}`,
    );
    await track(lookout);
    await annotate(lookout, dev, { "lookout.dev/suspend": undefined });
    const ran = new Set<string | undefined>();
    for (let minute = 0; minute < 20; minute += 1) {
      await lookout.pass(minutes(1));
      ran.add(digestOf(lookout, prod));
    }
    expect([first === second, [...ran]]).toEqual([false, [second]]);
  });
});
