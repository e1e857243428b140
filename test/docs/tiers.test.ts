import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfiguration } from "#contracts/config/configuration";
import { isOfTier, type Reason, reasons } from "#domain/shared/reasons";
import { sha256 } from "#domain/shared/sha256";
import { membershipOf } from "#domain/tiers/membership";
import type { TierRules } from "#domain/tiers/rules";
import { blocksOf, page } from "./markdown.ts";

const tiers = page("docs/tiers.md");

/** Returns the rules of the examples, in their order. */
function examples(): readonly TierRules[] {
  const blocks = blocksOf(tiers).filter(({ language }) => language === "yaml");
  return blocks.map(({ text, place }) => {
    const read = parseConfiguration(parse(text));
    if (!read.ok) throw new Error(`${place} is no configuration`);
    return read.value;
  });
}

function tierOf(rules: TierRules, cluster: string, uid = "u-1"): string {
  const workload = { cluster, namespace: "shop", kind: "Deployment", name: "api" } as const;
  const membership = membershipOf({ workload, uid, annotations: {}, labels: { "example.com/app": "api" } }, rules);
  return membership.kind === "member" ? `${membership.tier} of ${membership.group}` : membership.kind;
}

describe("the page of tiers", () => {
  it("has examples that place workloads as it says", () => {
    const [clusters, shares] = examples();
    const uids = Array.from({ length: 50_000 }, (_, index) => sha256(String(index)).slice(0, 32));
    const part = (tier: string) =>
      Math.round((100 * uids.filter((uid) => tierOf(shares!, "eu", uid) === `${tier} of api`).length) / uids.length);

    expect([tierOf(clusters!, "dev"), tierOf(clusters!, "prod")]).toEqual(["dev of shop/api", "prod of shop/api"]);
    expect([part("early"), part("tenth"), part("rest")]).toEqual([1, 10, 89]);
  });

  it("names each reason for which an update waits for a tier", () => {
    const missing = (Object.keys(reasons) as Reason[])
      .filter(isOfTier)
      .filter((reason) => !tiers.text.includes(`\`${reason}\``));

    expect(missing).toEqual([]);
  });

  it("has at most 1,300 words", () => {
    expect(tiers.text.split(/[\s|]+/).length).toBeLessThanOrEqual(1_300);
  });
});
