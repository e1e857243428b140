import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { hours, minutes, seconds } from "#domain/shared/time";
import { host, trackApi, type World } from "../world.ts";
import { checkedWorld } from "./checked-world.ts";
import {
  annotate,
  annotationsOf,
  member,
  members,
  passWithSyncs,
  tagOf,
  tier,
  tiered,
  track,
  waitsOf,
} from "./tiered.ts";

const devWeb = { namespace: "shop-dev", kind: "Deployment", name: "web" } as const;

function devThenProd(soakMinutes = 0): World {
  return tiered([tier("dev", { soak: minutes(soakMinutes) }), tier("prod")]);
}

describe("prod does not get an image", () => {
  it("that dev has without a replica", async () => {
    const lookout = devThenProd();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const image = `${host}/shop/web:1.0.0`;
    lookout.deploy({ namespace: "shop-dev", name: "web", image, replicas: 0, annotations: annotationsOf("dev") });
    const prod = member(lookout, "prod");
    await track(lookout);
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(2));

    expect(await waitsOf(lookout, prod)).toEqual(["tier-pending"]);
  });

  it.each([true, false])("that no Job of dev's CronJob ran (suspended: %s)", async (suspended) => {
    const lookout = devThenProd();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const cronJob = { namespace: "shop-dev", kind: "CronJob", name: "web" } as const;
    lookout.deploy({ ...cronJob, image: `${host}/shop/web:1.0.0`, annotations: annotationsOf("dev") });
    const prod = member(lookout, "prod");
    lookout.cluster.suspend(cronJob, suspended);
    await track(lookout);
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await passWithSyncs(lookout, hours(2));

    expect(await waitsOf(lookout, prod)).toEqual(["tier-pending"]);
  });

  it.each(["undo", "set"])("that a person took from dev in its soak (%s)", async (how) => {
    const lookout = devThenProd(30);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await passWithSyncs(lookout, minutes(3));
    if (how === "undo") lookout.cluster.undo(devWeb);
    else lookout.cluster.setImage(devWeb, "app", `${host}/shop/web:1.0.0`);
    await passWithSyncs(lookout, minutes(40));

    expect([tagOf(lookout, dev), tagOf(lookout, prod)]).toEqual(["1.0.0", "1.0.0"]);
    expect(await waitsOf(lookout, prod)).toEqual(["tier-pending"]);
  });

  it.each([
    { key: "tier", value: "dve", why: /is held, because lookout.dev\/tier is "dve"; the tiers .* did you mean dev/i },
    { key: "tier-group", value: "we b", why: /is held, because lookout.dev\/tier-group is "we b"; expected letters/ },
  ])("early because dev's $key is misspelt", async ({ key, value, why }) => {
    const lookout = devThenProd(10);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await annotate(lookout, dev, { [`lookout.dev/${key}`]: value });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));

    expect([tagOf(lookout, dev), tagOf(lookout, prod)]).toEqual(["1.0.0", "1.0.0"]);
    expect((await lookout.record(prod)).pending?.waits.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(why),
    ]);
  });

  it("early because lookout.yaml renames dev's tier in the soak, until dev names the new one", async () => {
    const all = [tier("dev", { soak: minutes(60) }), tier("prod")];
    const lookout = tiered(all);
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await passWithSyncs(lookout, minutes(3));
    all[0] = tier("staging", { soak: minutes(60) });
    await passWithSyncs(lookout, minutes(20));
    expect(tagOf(lookout, prod)).toBe("1.0.0");

    await annotate(lookout, dev, { "lookout.dev/tier": "staging" });
    await passWithSyncs(lookout, minutes(60));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
  });

  it.each(["untracked", "deleted", "created anew", "misspelt"])("that failed in dev, which is then %s", async (how) => {
    const lookout = devThenProd();
    const [dev, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));
    expect(await waitsOf(lookout, prod)).toEqual(["tier-halted"]);
    if (how === "untracked") await annotate(lookout, dev, { "lookout.dev/enabled": "false" });
    else if (how === "misspelt") await annotate(lookout, dev, { "lookout.dev/tier": "DEV" });
    else {
      lookout.cluster.remove(devWeb);
      await lookout.sync();
      await lookout.pass(seconds(1));
      if (how === "created anew") member(lookout, "dev");
    }
    await passWithSyncs(lookout, minutes(3));
    expect((await lookout.record(prod)).last).toBeUndefined();
  });

  it("at once when dev is deleted in the soak, but when the soak would have ended", async () => {
    const lookout = devThenProd(30);
    const [, prod] = await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await passWithSyncs(lookout, minutes(3));
    lookout.cluster.remove(devWeb);
    await passWithSyncs(lookout, minutes(25));
    expect((await lookout.record(prod)).pending?.waits.map(({ reason, detail }) => [reason, detail])).toEqual([
      ["tier-soaking", expect.stringMatching(/^dev: prod\/shop-dev\/deployment\/web left at .*, and no other member/)],
    ]);

    await passWithSyncs(lookout, minutes(8));
    expect(tagOf(lookout, prod)).toBe("1.1.0");
  });
});

it("an image that failed in dev holds no image of its neighbours in prod", async () => {
  const lookout = devThenProd(10);
  for (const name of ["web", "side"]) await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
  const pair = (name: string): string =>
    lookout.deploy({
      ...{ namespace: `shop-${name}`, name: "web", image: `${host}/shop/web:1.0.0` },
      more: { side: `${host}/shop/side:1.0.0` },
      annotations: annotationsOf(name),
    });
  const [, prod] = [pair("dev"), pair("prod")];
  await track(lookout);
  await lookout.push("shop/side", "1.1.0", { broken: true });
  await lookout.pass(minutes(15));
  await lookout.push("shop/web", "1.1.0");
  await passWithSyncs(lookout, minutes(60));

  expect(tagOf(lookout, prod)).toBe("1.1.0");
  expect(await waitsOf(lookout, prod)).toEqual(["tier-halted"]);
});

it("an image that dev did not run takes no place in an update that waits for approval in prod", async () => {
  const lookout = devThenProd(10);
  for (const name of ["web", "side"]) await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
  const pair = (name: string, more: Readonly<Record<string, string>> = {}): string =>
    lookout.deploy({
      ...{ namespace: `shop-${name}`, name: "web", image: `${host}/shop/web:1.0.0` },
      more: { side: `${host}/shop/side:1.0.0` },
      annotations: { ...annotationsOf(name), ...more },
    });
  const [, prod] = [pair("dev"), pair("prod", { "lookout.dev/approval-required": "true" })];
  await track(lookout);
  await lookout.push("shop/web", "1.1.0");
  await passWithSyncs(lookout, minutes(15));
  const before = (await lookout.record(prod)).pending;
  await lookout.push("shop/side", "1.1.0", { broken: true });
  await lookout.pass(seconds(30));
  await lookout.sweep();
  await passWithSyncs(lookout, minutes(20));
  const after = (await lookout.record(prod)).pending;

  expect(before?.waits.map(({ reason }) => reason)).toEqual(["needs-approval"]);
  expect([after?.seq, after?.changes, after?.waits.map(({ reason }) => reason)]).toEqual([
    before?.seq,
    before?.changes,
    ["needs-approval"],
  ]);
});

it("another namespace can't ask a namespace's check first, and is told so", async () => {
  await using checked = await checkedWorld([{ name: "scan", namespaces: ["shop"] }]);
  const { lookout } = checked;
  checked.answer({ allow: true, retryAfter: "24h" });
  await trackApi(lookout, { "lookout.dev/min-age": "5m" });
  const annotations = { "lookout.dev/enabled": "true", "lookout.dev/checks": "scan" };
  const other = lookout.deploy({ namespace: "evil", name: "x", image: `${host}/shop/api:1.0.0`, annotations });
  await lookout.pass(seconds(2));
  await lookout.sync();
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(minutes(15));

  expect(checked.questions().map(({ workload }) => workload.name)).toEqual(["api"]);
  expect((await lookout.record(other)).pending?.waits.map(({ reason, detail }) => [reason, detail])).toEqual([
    ["check-unknown", '"scan" is a check of other namespaces in lookout.yaml'],
  ]);
});

it.each([
  { tiers: ["dev", "prod"], groupLabel: "example.com/tier", why: "is also tierLabel" },
  { tiers: ["dev", "DEV"], groupLabel: "group", why: "differs from another tier only in the case of its letters" },
])("a lookout.yaml with the tiers $tiers and the group label $groupLabel is refused", ({ tiers, groupLabel, why }) => {
  const labels = { tierLabel: "example.com/tier", tierGroupLabel: groupLabel };
  const read = parseConfiguration({ tiers: tiers.map((name) => ({ name })), ...labels });

  expect(read.ok ? [] : read.problem.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
});
