import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { minutes } from "#domain/shared/time";

const dev = { name: "dev", soak: "30m" };
const prod = { name: "prod" };

/** Returns the problems of a file as lines. */
function problemsOf(file: unknown): readonly string[] {
  const read = parseConfiguration(file);
  return read.ok ? [] : read.problem.map(({ path, message }) => `${path}: ${message}`);
}

describe("the tiers of lookout.yaml", () => {
  it("have an order, shares, soaks and namespaces", () => {
    const read = parseConfiguration({
      tiers: [dev, { name: "canary", percent: 5, haltOnFailure: false, namespaces: ["beta-*"] }, prod],
      tierLabel: "example.com/tier",
      tierGroupLabel: "app",
      clusters: [{ name: "lab", tier: "dev" }],
    });
    expect(read.ok ? [read.value.tiers, read.value.clusters[0]?.tier] : read).toEqual([
      [
        { name: "dev", soak: minutes(30), haltOnFailure: true, namespaces: [] },
        { name: "canary", percent: 5, soak: 0, haltOnFailure: false, namespaces: ["beta-*"] },
        { name: "prod", soak: 0, haltOnFailure: true, namespaces: [] },
      ],
      "dev",
    ]);
  });

  const share = "expected a whole number from 1 to 99";
  it.each([
    { file: { tiers: [dev, dev] }, says: "tiers[1].name: is already the name of entry [0] of this list" },
    { file: { tiers: [{ ...dev, percent: 0 }, prod] }, says: `tiers[0].percent: ${share}` },
    { file: { tiers: [{ ...dev, percent: 101 }, prod] }, says: `tiers[0].percent: ${share}` },
    { file: { tiers: [{ ...dev, percent: 1.5 }, prod] }, says: `tiers[0].percent: ${share}` },
    {
      file: { tiers: [{ ...dev, percent: 50 }, { name: "half", percent: 50 }, prod] },
      says: "tiers[1].percent: leaves nothing for the next tier: the shares before it sum to 100",
    },
    {
      file: { tiers: [dev, { ...prod, percent: 5 }] },
      says: "tiers[1].percent: is a share of the next tier, and no tier comes after this one",
    },
    {
      file: { tiers: [dev, prod], clusters: [{ name: "lab", tier: "dve" }] },
      says: "clusters[0].tier: is no tier of this file; its tiers are dev, prod; did you mean dev?",
    },
    {
      file: { clusters: [{ name: "lab", tier: "dev" }] },
      says: "clusters[0].tier: names a tier, and this file has no tiers",
    },
    { file: { tierLabel: "tier" }, says: "tierLabel: needs tiers, and this file has none" },
    {
      file: { tiers: [dev, prod], tierLabel: "a/b/c" },
      says: "tierLabel: expected the key of a label, such as example.com/tier",
    },
    {
      file: {
        tiers: [
          { ...dev, namespaces: ["shop"] },
          { ...prod, namespaces: ["shop"] },
        ],
      },
      says: "tiers[1].namespaces[0]: is already in tier dev",
    },
    {
      file: { tiers: [{ ...dev, namespaces: ["lba/*"] }, prod], clusters: [{ name: "lab" }] },
      says: "tiers[0].namespaces[0]: is in no cluster of this file; its clusters are lab",
    },
    {
      file: {
        tiers: [{ ...dev, namespaces: ["shpo"] }, prod],
        clusters: [{ name: "lab", namespaces: { allow: ["shop"] } }],
      },
      says: "tiers[0].namespaces[0]: is no namespace that Lookout tracks; namespaces.allow has shop",
    },
    {
      file: { tiers: [{ name: "dev/prod" }] },
      says: expect.stringContaining("tiers[0].name: expected a name of") as string,
    },
    { file: { tiers: [{ ...dev, soak: "31d" }] }, says: expect.stringContaining("tiers[0].soak: ") as string },
    { file: { tiers: [{ ...dev, soak: "-1h" }] }, says: expect.stringContaining("tiers[0].soak: ") as string },
    {
      file: { tiers: Array.from({ length: 21 }, (_, place) => ({ name: `tier-${String(place)}` })) },
      says: expect.stringContaining("at most 20 tiers") as string,
    },
  ])("refuse $file, and say why", ({ file, says }) => {
    expect(problemsOf(file)).toEqual([says]);
  });
});
