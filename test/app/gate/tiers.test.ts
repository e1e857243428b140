import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { releaseUpdates } from "#app/api/releases";
import type { Served } from "#app/api/handler";
import { followTiers } from "#app/notify/tier-moves";
import { hours, minutes, seconds } from "#domain/shared/time";
import type { Tier } from "#domain/tiers/rules";
import { workloadKey } from "#domain/workload/workload";
import { host, type World, world } from "../world.ts";

const tier = (name: string, given: Partial<Tier> = {}): Tier => ({
  ...{ name, soak: minutes(0), haltOnFailure: true, namespaces: [] },
  ...given,
});

/** A Lookout with tiers, and one member of a group in each namespace. */
function tiered(tiers: readonly Tier[]): World {
  return world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, { tiers, clusters: [] });
}

async function members(lookout: World, tiers: readonly string[], more: Readonly<Record<string, string>> = {}) {
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  const keys = tiers.map((name) =>
    lookout.deploy({
      ...{ namespace: `shop-${name}`, name: "web", image: `${host}/shop/web:1.0.0` },
      annotations: {
        ...{
          "lookout.dev/enabled": "true",
          "lookout.dev/tier": name.replace(/-.*/, ""),
          "lookout.dev/tier-group": "web",
        },
        ...more,
      },
    }),
  );
  await lookout.sync();
  await lookout.pass(seconds(5));
  await lookout.sync();
  await lookout.pass(seconds(5));
  return keys as [string, string, string];
}

const tagOf = (lookout: World, key: string): string | undefined =>
  lookout.image(key).replace(/@.*/, "").split(":").at(-1);

async function release(lookout: World, scope: string): Promise<unknown> {
  const by = (claimed: string) => claimed;
  const served = { id: randomUUID(), ports: lookout.ports, by, credential: { kind: "none" } } as never as Served;
  return releaseUpdates({ scope, past: ["tier"], by: "ana", why: "urgent", dryRun: false }, served);
}

describe("tiers", () => {
  it("update dev first, and prod after the soak", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(30) }), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(2));

    expect((await lookout.record(prod)).pending?.waits).toEqual([
      {
        reason: "tier-pending",
        detail: `dev: ${dev} has not run 1.1.0`,
        member: { tier: "dev", workload: dev },
      },
    ]);
    await lookout.pass(minutes(1));
    expect([tagOf(lookout, dev), tagOf(lookout, prod)]).toEqual(["1.1.0", "1.0.0"]);
    const soaking = (await lookout.record(prod)).pending?.waits;
    expect(soaking).toMatchObject([{ reason: "tier-soaking" }]);
    await lookout.pass(minutes(25));
    expect(tagOf(lookout, prod)).toBe("1.0.0");
    await lookout.pass(minutes(6));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
    const told = lookout.facts.filter(({ name }) => name === "TierCompleted");
    expect(told.map(({ detail }) => detail)).toEqual(["dev of web: 1 of 1 members run 1.1.0"]);
  });

  it("stop at an image that failed in dev, and go on after the unblock and a success", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));

    expect([tagOf(lookout, dev), tagOf(lookout, prod)]).toEqual(["1.0.0", "1.0.0"]);
    expect((await lookout.record(prod)).pending?.waits).toMatchObject([{ reason: "tier-halted" }]);
    expect(lookout.facts.filter(({ name }) => name === "TierHalted")).toHaveLength(1);
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(minutes(2));
    expect([tagOf(lookout, dev), tagOf(lookout, prod)]).toEqual(["1.2.0", "1.2.0"]);
  });

  it("tell that they halt, if two members failed before the first change was followed", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [one] = await members(lookout, ["dev-1", "dev-2", "prod"]);
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));
    const bothFailed = (await lookout.ports.tierMembers.list({ group: "web", tier: "dev" })).map(async (puts) => {
      const record = await lookout.record(workloadKey(puts.workload));
      const { seq, changes = [] } = record.last ?? { seq: 0 };
      const transitions = [{ seq, what: "rolled-back", changes, reasons: [] }] as const;
      return { ...record, transitions, effects: { ...record.effects, tier: { puts } } };
    });

    const facts = await followTiers((await Promise.all(bothFailed)).toReversed(), lookout.ports);
    expect(facts.map(({ name, detail }) => ({ name, detail }))).toEqual([
      { name: "TierHalted", detail: `dev of web: ${one} stops 1.1.0` },
    ]);
  });

  it("let a person release an update past them", async () => {
    const lookout = tiered([tier("dev", { soak: hours(1) }), tier("prod")]);
    const [, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(1));
    expect(tagOf(lookout, prod)).toBe("1.0.0");
    expect(await release(lookout, prod)).toMatchObject({ released: [{ workload: prod }] });
    await lookout.pass(minutes(1));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
  });

  it("never starve prod while dev gets an image every minute", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(5) }), tier("canary", { soak: minutes(20) }), tier("prod")]);
    const [, , prod] = await members(lookout, ["dev", "canary", "prod"]);
    const ran = new Set<string>();
    for (let minor = 1; minor <= 240; minor += 1) {
      await lookout.push("shop/web", `1.${String(minor)}.0`);
      await lookout.pass(minutes(1));
      ran.add(tagOf(lookout, prod) ?? "");
    }
    expect([...ran].length).toBeGreaterThan(5);
  });

  it("ask for approval only of an image that they ran", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(10) }), tier("prod")]);
    const [dev] = await members(lookout, ["dev"]);
    const [prod] = await members(lookout, ["prod"], { "lookout.dev/approval-required": "true" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(5));
    expect([tagOf(lookout, dev), lookout.facts.some(({ name }) => name === "ApprovalRequested")]).toEqual([
      "1.1.0",
      false,
    ]);
    await lookout.pass(minutes(6));
    expect((await lookout.record(prod)).pending?.waits.map(({ reason }) => reason)).toEqual(["needs-approval"]);
  });
});
