import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { releaseUpdates } from "#app/api/releases";
import { unblockWorkload } from "#app/api/unblock";
import { hours, minutes, seconds } from "#domain/shared/time";
import type { Tier } from "#domain/tiers/rules";
import type { Command } from "#domain/update/commands";
import type { OutgoingCommand } from "#ports/messaging";
import {
  annotate,
  digestOf,
  member,
  members,
  passWithSyncs,
  tagOf,
  tier,
  tiered,
  track,
  twoTiers,
  waitsOf,
} from "./tiered.ts";

describe("three tiers", () => {
  it("get an image one after the other, each after the soak of the one before", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(10) }), tier("canary", { soak: minutes(20) }), tier("prod")]);
    const keys = await members(lookout, ["dev", "canary", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    const seen: string[] = [];
    for (let minute = 1; minute <= 40; minute += 1) {
      await lookout.pass(minutes(1));
      const tags = keys.map((key) => tagOf(lookout, key)).join(" ");
      if (tags !== seen.at(-1)) seen.push(tags);
    }
    expect(seen).toEqual(["1.1.0 1.0.0 1.0.0", "1.1.0 1.1.0 1.0.0", "1.1.0 1.1.0 1.1.0"]);
    expect(lookout.facts.filter(({ name }) => name === "TierCompleted").map(({ detail }) => detail)).toHaveLength(2);
  });
});

describe("a tier with two members", () => {
  it("is done when the last one ran the image", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [dev, late, prod] = await members(lookout, ["dev", "dev-2", "prod"]);
    await annotate(lookout, late, { "lookout.dev/maintenance-window": "12:00-13:00" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(5));
    expect([dev, late, prod].map((key) => tagOf(lookout, key))).toEqual(["1.1.0", "1.0.0", "1.0.0"]);
    expect((await lookout.record(prod)).pending?.waits).toMatchObject([
      { reason: "tier-pending", member: { workload: late } },
    ]);
    await annotate(lookout, late, { "lookout.dev/maintenance-window": undefined });
    await lookout.pass(minutes(2));
    expect([dev, late, prod].map((key) => tagOf(lookout, key))).toEqual(["1.1.0", "1.1.0", "1.1.0"]);
  });

  it("is pending again when a workload with the old image appears in it", async () => {
    const lookout = tiered(twoTiers);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(5));
    const late = member(lookout, "dev-2", { "lookout.dev/maintenance-window": "12:00-13:00" });
    await track(lookout);
    await passWithSyncs(lookout, minutes(15));
    expect([dev, prod].map((key) => tagOf(lookout, key))).toEqual(["1.1.0", "1.0.0"]);
    expect((await lookout.record(prod)).pending?.waits).toMatchObject([
      { reason: "tier-pending", member: { workload: late } },
    ]);
  });

  it("waits for nobody that was suspended by its manifest", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [, suspended, prod] = await members(lookout, ["dev", "dev-2", "prod"]);
    await annotate(lookout, suspended, { "lookout.dev/suspend": "true" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    expect([suspended, prod].map((key) => tagOf(lookout, key))).toEqual(["1.0.0", "1.1.0"]);
  });

  it("goes on without the member that was suspended while prod waits for it", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [, late, prod] = await members(lookout, ["dev", "dev-2", "prod"]);
    await annotate(lookout, late, { "lookout.dev/maintenance-window": "12:00-13:00" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    expect(await waitsOf(lookout, prod)).toEqual(["tier-pending"]);
    await annotate(lookout, late, { "lookout.dev/suspend": "true" });
    await lookout.pass(minutes(2));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
  });

  it("goes on without the member that is untracked", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [, late, prod] = await members(lookout, ["dev", "dev-2", "prod"]);
    await annotate(lookout, late, { "lookout.dev/maintenance-window": "12:00-13:00" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    await annotate(lookout, late, { "lookout.dev/enabled": "false" });
    await lookout.pass(minutes(2));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
    expect(await lookout.ports.tierMembers.list({ group: "web", tier: "dev" })).toHaveLength(1);
  });

  it("goes on without the member that moves to another tier", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [, late, prod] = await members(lookout, ["dev", "dev-2", "prod"]);
    await annotate(lookout, late, { "lookout.dev/maintenance-window": "12:00-13:00" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    await annotate(lookout, late, { "lookout.dev/tier": "prod" });
    await lookout.pass(minutes(2));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
    const prods = await lookout.ports.tierMembers.list({ group: "web", tier: "prod" });
    expect(prods.map(({ workload }) => workload.namespace)).toEqual(["shop-dev-2", "shop-prod"]);
  });
});

describe("a tier whose only member", () => {
  it("is suspended proves nothing, until it is resumed", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await annotate(lookout, dev, { "lookout.dev/suspend": "true" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    expect(await waitsOf(lookout, prod)).toEqual(["tier-unproved"]);
    await annotate(lookout, dev, { "lookout.dev/suspend": undefined });
    await lookout.pass(minutes(2));
    expect([dev, prod].map((key) => tagOf(lookout, key))).toEqual(["1.1.0", "1.1.0"]);
  });

  it("is untracked has nobody to wait for", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await annotate(lookout, dev, { "lookout.dev/maintenance-window": "12:00-13:00" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    await annotate(lookout, dev, { "lookout.dev/enabled": "false" });
    await lookout.pass(minutes(2));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
  });

  it("failed passes nothing on, and another try after an unblock does", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    const digest = await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));
    expect(await waitsOf(lookout, prod)).toEqual(["tier-halted"]);
    lookout.broken.delete(digest);
    await unblockWorkload((await lookout.record(dev)).workload, { by: "ana" }, lookout.ports, { digest });
    await lookout.pass(minutes(2));
    expect([dev, prod].map((key) => tagOf(lookout, key))).toEqual(["1.1.0", "1.1.0"]);
  });
});

describe("a tier that does not halt on a failure", () => {
  it("passes over the failed member", async () => {
    const lookout = tiered([tier("dev", { haltOnFailure: false }), tier("prod")]);
    const [, failing, prod] = await members(lookout, ["dev", "dev-2", "prod"]);
    await annotate(lookout, failing, { "lookout.dev/platforms": "linux/arm64" });
    const { pending } = await lookout.record(failing);
    expect(pending).toBeUndefined();
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));
    expect(await waitsOf(lookout, prod)).not.toContain("tier-halted");
  });
});

describe("a member whose failures halt nothing", () => {
  it("does not hold the later tiers, once another member of its tier ran the image", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [failing, late, prod] = await members(lookout, ["dev", "dev-2", "prod"]);
    await annotate(lookout, failing, { "lookout.dev/halt-on-failure": "false" });
    await annotate(lookout, late, { "lookout.dev/maintenance-window": "10:20-11:00" });
    const digest = await lookout.push("shop/web", "1.1.0", { crashes: true });
    await lookout.pass(minutes(10));
    expect([failing, late, prod].map((key) => tagOf(lookout, key))).toEqual(["1.0.0", "1.0.0", "1.0.0"]);
    expect(await waitsOf(lookout, prod)).toEqual(["tier-pending"]);
    lookout.crashing.delete(digest);
    await lookout.pass(minutes(30));
    expect([failing, late, prod].map((key) => tagOf(lookout, key))).toEqual(["1.0.0", "1.1.0", "1.1.0"]);
    expect(lookout.facts.map(({ name }) => name)).not.toContain("TierHalted");
  });
});

describe("a busy dev", () => {
  it.each(["latest", "semver", "alphabetical", "regex"])("starves no prod under the policy %s", async (policy) => {
    const lookout = tiered([tier("dev", { soak: minutes(5) }), tier("prod")]);
    const more = {
      "lookout.dev/policy": policy,
      ...(policy === "regex" ? { "lookout.dev/tag-pattern": "^1\\." } : {}),
    };
    const [, prod] = await members(lookout, ["dev", "prod"], more, "1.100.0");
    const ran: string[] = [];
    for (let minor = 101; minor <= 160; minor += 1) {
      await lookout.push("shop/web", `1.${String(minor)}.0`);
      await lookout.pass(minutes(1));
      const tag = tagOf(lookout, prod);
      if (tag !== ran.at(-1)) ran.push(tag);
    }
    expect(ran.length).toBeGreaterThan(4);
    expect(ran.map((tag) => Number(tag.split(".")[1]))).toEqual(
      ran.map((tag) => Number(tag.split(".")[1])).toSorted((one, other) => one - other),
    );
    // A newer image waits for dev, and the workload says so.
    expect(await waitsOf(lookout, prod)).not.toBeUndefined();
    await lookout.pass(minutes(10));
    expect(tagOf(lookout, prod)).toBe("1.160.0");
  });

  it.each(["latest", "semver"])(
    "gives prod each of two images that were pushed shortly after each other: %s",
    async (policy) => {
      const lookout = tiered(twoTiers);
      const [, prod] = await members(lookout, ["dev", "prod"], { "lookout.dev/policy": policy });
      await lookout.push("shop/web", "1.1.0");
      await lookout.pass(minutes(3));
      await lookout.push("shop/web", "1.2.0");
      const ran: string[] = [];
      for (let minute = 0; minute < 20; minute += 1) {
        await lookout.pass(minutes(1));
        if (tagOf(lookout, prod) !== ran.at(-1)) ran.push(tagOf(lookout, prod));
      }
      expect(ran).toEqual(["1.0.0", "1.1.0", "1.2.0"]);
    },
  );

  it("moves a tag, and prod gets the digest that soaked, never an older one", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(5) }), tier("prod")]);
    const more = { "lookout.dev/policy": "digest" };
    const [, prod] = await members(lookout, ["dev", "prod"], more, "main");
    const pushed: string[] = [];
    const ran: number[] = [];
    for (let push = 0; push < 60; push += 1) {
      pushed.push(await lookout.push("shop/web", "main"));
      await lookout.pass(minutes(1));
      const place = pushed.indexOf(digestOf(lookout, prod) ?? "");
      if (place !== ran.at(-1)) ran.push(place);
    }
    expect(ran.length).toBeGreaterThan(3);
    expect(ran).toEqual(ran.toSorted((one, other) => one - other));
    await lookout.pass(minutes(10));
    expect(digestOf(lookout, prod)).toBe(pushed.at(-1));
  });

  it("moves a tag, and prod waits if it writes no digests", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(5) }), tier("prod")]);
    const more = { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" };
    const [, prod] = await members(lookout, ["dev", "prod"], more, "main");
    for (let push = 0; push < 10; push += 1) {
      await lookout.push("shop/web", "main");
      await lookout.pass(minutes(1));
    }
    expect(lookout.factNames(prod)).not.toContain("RolloutSucceeded");
    await lookout.pass(minutes(10));
    expect(lookout.factNames(prod)).toContain("RolloutSucceeded");
  });
});

describe("after all messages were lost", () => {
  it("the reaper alone lets tiers go on", async () => {
    const lookout = tiered([tier("dev", { soak: minutes(5) }), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(2));
    for (let minute = 0; minute < 60; minute += 1) {
      lookout.loseMessages();
      await lookout.pass(minutes(1));
      await lookout.reap();
    }
    expect([dev, prod].map((key) => tagOf(lookout, key))).toEqual(["1.1.0", "1.1.0"]);
  });

  it("prod gets the image that dev ran, while a newer one waits for dev", async () => {
    const lookout = tiered([tier("dev"), tier("prod")]);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    const { queues } = lookout.ports;
    const send = queues.send.bind(queues);
    const isOfTier = (command: Command) => command.name === "EvaluateWorkload" && command.source === "tier dev";
    Object.assign(queues, {
      send: (all: readonly OutgoingCommand[]) => send(all.filter(({ command }) => !isOfTier(command))),
    });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(2));
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(seconds(5));
    await annotate(lookout, dev, { "lookout.dev/maintenance-window": "23:00-23:30" });
    await lookout.pass(minutes(1));
    expect([tagOf(lookout, dev), tagOf(lookout, prod), await waitsOf(lookout, prod)]).toEqual([
      ...["1.1.0", "1.0.0", ["tier-pending"]],
    ]);
    await lookout.pass(minutes(20));
    expect([tagOf(lookout, prod), await waitsOf(lookout, prod)]).toEqual(["1.1.0", ["tier-pending"]]);
  });
});

describe("a release past tiers", () => {
  it("holds for its digests only", async () => {
    const lookout = tiered([tier("dev", { soak: hours(1) }), tier("prod")]);
    const [, prod] = await members(lookout, ["dev", "prod"], { "lookout.dev/maintenance-window": "13:00-14:00" });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(5));
    const served = {
      id: randomUUID(),
      ports: lookout.ports,
      by: (claimed: string) => claimed,
      credential: { kind: "none" },
    };
    await releaseUpdates({ scope: prod, past: ["tier"], by: "ana", why: "urgent", dryRun: false }, served as never);
    await lookout.pass(seconds(5));
    expect(await waitsOf(lookout, prod)).toEqual(["window-closed"]);
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(seconds(5));
    expect(await waitsOf(lookout, prod)).toEqual(["window-closed", "tier-pending"]);
  });
});

describe("a freeze or a window while an image soaks", () => {
  it("holds the update after the soak", async () => {
    const lookout = tiered(twoTiers);
    const [, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    await lookout.ports.freezes.put({ scope: { cluster: "prod" }, by: "ana", why: "sale", at: lookout.clock.now() });
    await lookout.pass(minutes(15));
    expect([tagOf(lookout, prod), await waitsOf(lookout, prod)]).toEqual(["1.0.0", ["frozen"]]);
  });
});

describe("the tiers of lookout.yaml", () => {
  it("remove all stored members when they are removed", async () => {
    const tiers: Tier[] = [tier("dev"), tier("prod")];
    const lookout = tiered(tiers);
    await members(lookout, ["dev", "prod"]);
    expect(await lookout.ports.tierMembers.list({ group: "web", tier: "dev" })).toHaveLength(1);
    tiers.splice(0);
    await passWithSyncs(lookout, minutes(3));
    const left = ["dev", "prod"].map((name) => lookout.ports.tierMembers.list({ group: "web", tier: name }));
    expect(await Promise.all(left)).toEqual([[], []]);
  });
});
