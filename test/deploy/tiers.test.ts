import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patchNumber } from "#test/cluster/bed/fake-kubelet";
import { until } from "#test/cluster/bed/until";
import { deploymentManifest } from "#test/cluster/bed/workloads";
import type { Fact, FactName } from "#domain/update/events";
import { deploy, type Deployment } from "./bed/deployment.ts";
import { itemsIn } from "./bed/table.ts";

const soakMs = 3_000;
const lab = "lab-eks";
/** The members of the group, in the order of their tiers: the names of their Deployments. */
const members = ["api-dev", "api-canary", "api-prod"] as const;
type Member = (typeof members)[number];

let lookout: Deployment;

beforeAll(async () => {
  const tiers = [
    { name: "dev", soak: `${soakMs / 1_000}s`, namespaces: [`${lab}/*`] },
    { name: "canary", namespaces: ["prod/canary"] },
    { name: "prod" },
  ];
  lookout = await deploy({ others: [lab], more: { tiers, tierGroupLabel: "example.com/app" } });
  await lookout.ecr.put("shop/api", "1.0.0");
  await lookout.plane.kubectl("create", "namespace", "canary");
  for (const member of members) await create(member);
  for (const member of members) await lookout.facts.fact("WorkloadTracked", member, undefined, 150_000);
  // A sync starts every minute. The next one compares the workloads with the tiers.
  await lookout.emulator.putClockForward(61);
  for (const cluster of [lab, "prod"])
    await until(`the tiers of ${cluster} are read`, async () => {
      const [state] = await itemsIn(lookout, "CLUSTER-STATES", cluster);
      return (state?.value as { readonly tiers?: string } | undefined)?.tiers;
    });
});

afterAll(() => lookout.stop());

function placeOf(member: Member) {
  const plane = member === "api-dev" ? lookout.otherPlanes.get(lab) : lookout.plane;
  if (plane === undefined) throw new Error(`there is no cluster ${lab}`);
  return { plane, namespace: member === "api-canary" ? "canary" : "default" };
}

async function create(member: Member): Promise<void> {
  const { plane, namespace } = placeOf(member);
  const manifest = deploymentManifest(member, `${lookout.ecr.host}/shop/api:1.0.0`, 1);
  const annotations = { "lookout.dev/enabled": "true" };
  const metadata = { ...manifest.metadata, namespace, annotations, labels: { "example.com/app": "api" } };
  await plane.apply([{ ...manifest, metadata }]);
  await plane.kubectl("-n", namespace, "rollout", "status", `deployment/${member}`, "--timeout=60s");
}

/** Waits for a fact about a member, optionally with a reason. */
function fact(member: Member, name: FactName, tag: string, reason?: string): Promise<Fact> {
  return until(
    `${name} of ${member} for ${tag}`,
    async () =>
      lookout.facts
        .of(member)
        .find(
          (one) =>
            one.name === name &&
            one.changes.some((change) => change.tag === tag) &&
            (reason === undefined || one.reasons.some((given) => given.reason === reason)),
        ),
    { timeoutMs: 90_000, intervalMs: 50 },
  ).catch((error: unknown) => {
    const came = lookout.facts
      .of(member)
      .map((one) => `${one.name} ${one.reasons.map((given) => given.reason).join()}`);
    throw new Error(`${String(error)}; what came: ${came.join(", ")}`);
  });
}

async function tags(): Promise<readonly (string | undefined)[]> {
  const read = async (member: Member) => {
    const { plane, namespace } = placeOf(member);
    const path = "jsonpath={.spec.template.spec.containers[0].image}";
    const image = await plane.kubectl("-n", namespace, "get", "deployment", member, "-o", path);
    return /:([\d.]+)(?:@|$)/.exec(image.slice(image.lastIndexOf("/")))?.[1];
  };
  return Promise.all(members.map(read));
}

describe("three tiers over two clusters of a stack", () => {
  it("get an image one after the other, and the second one after the soak of the first", async () => {
    await lookout.ecr.push("shop/api", "1.1.0");
    const times: { readonly starts: number; readonly ends: number }[] = [];
    for (const member of members) {
      const { at: starts } = await fact(member, "RolloutStarted", "1.1.0");
      times.push({ starts, ends: (await fact(member, "RolloutSucceeded", "1.1.0")).at });
    }
    const [dev, canary, prod] = times;
    const completed = await until("both tiers are completed", async () => {
      const told = lookout.facts.facts.filter(({ name }) => name === "TierCompleted");
      return told.length < 2 ? undefined : told;
    });

    expect(canary!.starts - dev!.ends).toBeGreaterThanOrEqual(soakMs);
    expect(prod!.starts - canary!.ends).toBeGreaterThanOrEqual(0);
    expect(await tags()).toEqual(["1.1.0", "1.1.0", "1.1.0"]);
    expect(completed.map(({ detail }) => detail)).toEqual([
      "dev of api: 1 of 1 members run 1.1.0",
      "canary of api: 1 of 1 members run 1.1.0",
    ]);
  });

  it("stop at an image that failed in the first, and go on with the corrected one", async () => {
    const broken = `1.2.${patchNumber.broken}`;
    await lookout.ecr.push("shop/api", broken);
    await fact("api-dev", "RolledBack", broken);
    await fact("api-dev", "TierHalted", broken);
    for (const member of ["api-canary", "api-prod"] as const) await fact(member, "UpdateHeld", broken, "tier-halted");
    expect(await tags()).toEqual(["1.1.0", "1.1.0", "1.1.0"]);

    await lookout.ecr.push("shop/api", "1.3.0");
    for (const member of members) await fact(member, "RolloutSucceeded", "1.3.0");
    expect(await tags()).toEqual(["1.3.0", "1.3.0", "1.3.0"]);
  });

  it("ask AWS for nothing that the functions have no right to", async () => {
    expect((await lookout.emulator.state()).faults).toEqual([]);
  });
});
