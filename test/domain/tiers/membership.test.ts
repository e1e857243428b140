import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeOf } from "#domain/shared/jitter";
import { minutes } from "#domain/shared/time";
import { fingerprintOf, mayHaveMembers, membershipOf, type PlacedWorkload } from "#domain/tiers/membership";
import type { Tier, TierRules } from "#domain/tiers/rules";
import { withoutTiers } from "#domain/tiers/rules";

const tier = (name: string, given: Partial<Tier> = {}): Tier => ({
  ...{ name, soak: minutes(0), haltOnFailure: true, namespaces: [] },
  ...given,
});
const rules = (given: Partial<TierRules> = {}): TierRules => ({
  ...{ tiers: [tier("dev"), tier("canary"), tier("prod")], clusters: [{ name: "lab", tier: "dev" }, { name: "eu" }] },
  ...given,
});
const placed = (given: Partial<PlacedWorkload> = {}, cluster = "eu"): PlacedWorkload => ({
  workload: { cluster, namespace: "shop", kind: "Deployment", name: "web" },
  ...{ uid: "u-1", annotations: {}, labels: {} },
  ...given,
});
const member = (name: string, index: number, group = "shop/web") => ({ kind: "member", group, tier: name, index });

describe("the tier of a workload", () => {
  it.each([
    { because: "nothing else says it: the last", of: placed(), is: member("prod", 2) },
    { because: "its cluster has a tier", of: placed({}, "lab"), is: member("dev", 0) },
    {
      because: "its namespace has one, which goes before its cluster's",
      of: placed({}, "lab"),
      with: rules({ tiers: [tier("dev"), tier("canary", { namespaces: ["lab/sh*"] }), tier("prod")] }),
      is: member("canary", 1),
    },
    {
      because: "the label says it, which goes before the cluster",
      of: placed({ labels: { env: "canary" } }, "lab"),
      with: rules({ tierLabel: "env" }),
      is: member("canary", 1),
    },
    {
      because: "the annotation says it, which goes before the label",
      of: placed({ annotations: { "lookout.dev/tier": "prod" }, labels: { env: "canary" } }, "lab"),
      with: rules({ tierLabel: "env" }),
      is: member("prod", 2),
    },
    {
      because: "an empty label says nothing",
      of: placed({ labels: { env: "" } }),
      with: rules({ tierLabel: "env" }),
      is: member("prod", 2),
    },
    {
      because: "the rules name a label that each object of JavaScript has, and the workload has none",
      of: placed(),
      with: rules({ tierLabel: "constructor", tierGroupLabel: "valueOf" }),
      is: member("prod", 2),
    },
    {
      because: "the annotation names its group",
      of: placed({ annotations: { "lookout.dev/tier-group": "web" } }),
      is: member("prod", 2, "web"),
    },
    {
      because: "the label names its group",
      of: placed({ labels: { app: "web" } }),
      with: rules({ tierGroupLabel: "app" }),
      is: member("prod", 2, "web"),
    },
    { because: "there are no tiers", of: placed(), with: withoutTiers, is: { kind: "none" } },
    {
      because: "there are no tiers, but the annotation names one",
      of: placed({ annotations: { "lookout.dev/tier": "dev" } }),
      with: withoutTiers,
      is: { kind: "unknown-tier", detail: 'lookout.dev/tier is "dev", and lookout.yaml names no tiers' },
    },
    {
      because: "the annotation names an unknown one",
      of: placed({ annotations: { "lookout.dev/tier": "pord" } }),
      is: {
        kind: "unknown-tier",
        detail: 'lookout.dev/tier is "pord"; the tiers of lookout.yaml are dev, canary, prod; did you mean prod?',
      },
    },
    {
      because: "the label names an unknown one",
      of: placed({ labels: { env: "stage" } }),
      with: rules({ tierLabel: "env" }),
      is: { kind: "unknown-tier", detail: 'label env is "stage"; the tiers of lookout.yaml are dev, canary, prod' },
    },
    {
      because: "its group has a slash",
      of: placed({ annotations: { "lookout.dev/tier-group": "other/web" } }),
      is: {
        kind: "unknown-tier",
        detail:
          'lookout.dev/tier-group is "other/web"; expected letters, digits, dashes, dots and underscores, at most 63 characters',
      },
    },
  ])("follows when $because", ({ of, is, ...given }) => {
    expect(membershipOf(of, given.with ?? rules())).toEqual(is);
  });
});

describe("the share of a tier", () => {
  const shares = rules({
    tiers: [tier("dev"), tier("one", { percent: 1 }), tier("ten", { percent: 10 }), tier("prod")],
  });

  it("is taken from the next tier without one, evenly", () => {
    const count = 20_000;
    const tiers = Array.from({ length: count }, () => membershipOf(placed({ uid: randomUUID() }), shares));
    const shareOf = (name: string) =>
      (100 * tiers.filter((one) => one.kind === "member" && one.tier === name).length) / count;
    expect(Math.abs(shareOf("one") - 1)).toBeLessThan(0.5);
    expect(Math.abs(shareOf("ten") - 10)).toBeLessThan(1.5);
    expect(Math.abs(shareOf("prod") - 89)).toBeLessThan(2);
    expect(shareOf("dev")).toBe(0);
  });

  it("is spread over the places in a window: its members don't open at once", () => {
    const uids = Array.from({ length: 20_000 }, () => randomUUID());
    const ten = uids.filter((uid) => {
      const place = membershipOf(placed({ uid }), shares);
      return place.kind === "member" && place.tier === "ten";
    });
    const tenths = Array.from({ length: 10 }, (_, tenth) =>
      ten.filter((uid) => Math.floor(10 * placeOf(uid)) === tenth),
    );
    for (const { length } of tenths) expect(length / ten.length).toBeGreaterThan(0.05);
  });

  it("is the same for a uid, however the clusters are ordered", () => {
    const clusters = ["lab", "eu", "us"].map((name, place) => ({ name, ...(place === 0 && { tier: "dev" }) }));
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.shuffledSubarray(clusters, { minLength: 3 }),
        fc.constantFrom("lab", "eu"),
        (...given) => {
          const [uid, shuffled, cluster] = given;
          const place = membershipOf(placed({ uid }, cluster), { ...shares, clusters: shuffled });
          expect(place).toEqual(membershipOf(placed({ uid }, cluster), { ...shares, clusters }));
          expect(place.kind).toBe("member");
        },
      ),
    );
  });

  it("takes no workload that names its tier, and none of another tier", () => {
    for (let tries = 0; tries < 500; tries += 1) {
      const uid = randomUUID();
      expect(membershipOf(placed({ uid, annotations: { "lookout.dev/tier": "prod" } }), shares)).toEqual(
        member("prod", 3),
      );
      expect(membershipOf(placed({ uid }, "lab"), shares)).toEqual(member("dev", 0));
    }
  });
});

describe("the clusters of a tier", () => {
  const shares = rules({ tiers: [tier("dev"), tier("one", { percent: 1 }), tier("prod")] });

  it("are those with the tier, a share of it, or one of its namespaces", () => {
    const pairs = (of: TierRules) =>
      ["lab", "eu"].flatMap((cluster) =>
        of.tiers.filter(({ name }) => mayHaveMembers(cluster, name, of)).map(({ name }) => `${cluster} ${name}`),
      );
    expect(pairs(shares)).toEqual(["lab dev", "eu one", "eu prod"]);
    expect(pairs(rules({ tiers: [tier("dev", { namespaces: ["eu/dev-*"] }), tier("prod")] }))).toEqual([
      "lab dev",
      "eu dev",
      "eu prod",
    ]);
  });
});

describe("the fingerprint of the rules", () => {
  it("differs when workloads may be placed otherwise, and only then", () => {
    const others = [
      rules({ tiers: [tier("canary"), tier("dev"), tier("prod")] }),
      rules({ tierLabel: "env" }),
      rules({ tierGroupLabel: "env" }),
      rules({ clusters: [{ name: "eu", tier: "dev" }] }),
      rules({ tiers: [tier("dev", { namespaces: ["a"] }), tier("canary"), tier("prod")] }),
      rules({ tiers: [tier("dev", { percent: 3 }), tier("canary"), tier("prod")] }),
    ];
    expect(new Set([rules(), ...others].map(fingerprintOf)).size).toBe(7);
    const same = rules({
      tiers: [tier("dev", { soak: minutes(5), haltOnFailure: false }), tier("canary"), tier("prod")],
      clusters: [{ name: "eu" }, { name: "lab", tier: "dev" }],
    });
    expect(fingerprintOf(same)).toBe(fingerprintOf(rules()));
  });
});
