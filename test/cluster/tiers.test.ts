import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { giveAccess } from "./access.ts";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { freePorts } from "./bed/ports.ts";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { type Lookout, type PrintedFact, startLookout } from "./lookout.ts";

const secret = "s3cret-of-the-receiver";
const soakMs = 3_000;

/** The members of the group, by their tier: the namespace of a Deployment `api`, and its cluster. */
const members = {
  dev: { cluster: "lab", namespace: "default" },
  canary: { cluster: "fleet", namespace: "canary" },
  prod: { cluster: "fleet", namespace: "default" },
} as const;
type TierName = keyof typeof members;
const tierNames = Object.keys(members) as readonly TierName[];

let planes: Readonly<Record<"lab" | "fleet", ControlPlane>>;
let registry: Registry;
let lookout: Lookout;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  const notify = { url: `http://127.0.0.1:${port}/webhooks/registry`, headers: { Authorization: `Bearer ${secret}` } };
  const [lab, fleet, started] = await Promise.all([
    startControlPlane(),
    startControlPlane(),
    startRegistry({ notify }),
  ]);
  [planes, registry] = [{ lab, fleet }, started];
  await Promise.all([lab, fleet].map((plane) => giveAccess(plane)));
  await fleet.kubectl("create", "namespace", "canary");
  await registry.push("shop/api:1.0.0", { seed: "1.0.0" });
  const more = {
    clusters: [
      { name: "lab", kubeconfig: lab.kubeconfigFor("lookout"), tier: "dev" },
      { name: "fleet", kubeconfig: fleet.kubeconfigFor("lookout") },
    ],
    tiers: [
      { name: "dev", soak: `${soakMs / 1_000}s` },
      { name: "canary", namespaces: ["fleet/can*"] },
      { name: "prod" },
    ],
    tierGroupLabel: "example.com/app",
  };
  lookout = await startLookout({ registry: registry.host, port, secret, more });
  for (const { cluster, namespace } of Object.values(members)) await createApi(planes[cluster], namespace);
  for (const tier of tierNames) await fact(tier, "WorkloadTracked", 0);
  // The next sync of a cluster compares its workloads with the tiers.
  for (const cluster of ["lab", "fleet"]) await lookout.run("cluster", "sync", cluster);
}, 120_000);

afterAll(async () => {
  await lookout.stop();
  await Promise.all([planes.lab.stop(), planes.fleet.stop(), registry.stop()]);
});

async function createApi(plane: ControlPlane, namespace: string): Promise<void> {
  const manifest = deploymentManifest("api", `${registry.host}/shop/api:1.0.0`, 1);
  const annotations = { "lookout.dev/enabled": "true", "lookout.dev/rollback-timeout": "8s" };
  const metadata = { ...manifest.metadata, namespace, annotations, labels: { "example.com/app": "api" } };
  await plane.apply([{ ...manifest, metadata }]);
  await plane.kubectl("-n", namespace, "rollout", "status", "deployment/api", "--timeout=60s");
}

/** Waits for a fact about the member of a tier. `tag`: the tag of its update. */
function fact(tier: TierName, name: string, from: number, reason?: string): Promise<PrintedFact> {
  const { cluster, namespace } = members[tier];
  return until(`${name} ${reason ?? ""} in ${tier}`, async () =>
    lookout.facts
      .slice(from)
      .find(
        ({ workload, reasons, ...one }) =>
          one.name === name &&
          workload.cluster === cluster &&
          workload.namespace === namespace &&
          (reason === undefined || reasons.some((given) => given.reason === reason)),
      ),
  );
}

/** Returns the tags that the members run, by their tier. */
async function tags(): Promise<Readonly<Record<string, string | undefined>>> {
  const read = async (tier: TierName) => {
    const { cluster, namespace } = members[tier];
    const path = "jsonpath={.spec.template.spec.containers[0].image}";
    const image = await planes[cluster].kubectl("-n", namespace, "get", "deployment", "api", "-o", path);
    return [tier, /:([\d.]+)(?:@|$)/.exec(image.slice(image.lastIndexOf("/")))?.[1]] as const;
  };
  return Object.fromEntries(await Promise.all(tierNames.map(read)));
}

const nodes = "--selector=kubernetes.io/os=linux";

/** Pushes an image that can't start in the first tier, and waits until the last tier is halted. */
async function pushUnschedulable(tag: string): Promise<number> {
  const from = lookout.facts.length;
  await planes.lab.kubectl("cordon", nodes);
  await registry.push(`shop/api:${tag}`, { seed: tag });
  await fact("dev", "RolledBack", from);
  for (const tier of ["canary", "prod"] as const) await fact(tier, "UpdateHeld", from, "tier-halted");
  await planes.lab.kubectl("uncordon", nodes);
  return lookout.facts.length;
}

describe("three tiers over two clusters", () => {
  it("get an image one after the other, and the second one after the soak of the first", async () => {
    const from = lookout.facts.length;
    await registry.push("shop/api:1.1.0", { seed: "1.1.0" });
    const held = await Promise.all([fact("canary", "UpdateHeld", from), fact("prod", "UpdateHeld", from)]);
    const ends: Partial<Record<TierName, { readonly starts: number; readonly ends: number }>> = {};
    for (const tier of tierNames)
      ends[tier] = {
        starts: Date.parse((await fact(tier, "RolloutStarted", from)).at),
        ends: Date.parse((await fact(tier, "RolloutSucceeded", from)).at),
      };

    expect(held.map(({ reasons }) => reasons.map(({ reason }) => reason))).toEqual([
      ["tier-pending"],
      ["tier-pending"],
    ]);
    expect(ends.canary!.starts - ends.dev!.ends).toBeGreaterThanOrEqual(soakMs);
    expect(ends.prod!.starts - ends.canary!.ends).toBeGreaterThanOrEqual(0);
    expect(await tags()).toEqual({ dev: "1.1.0", canary: "1.1.0", prod: "1.1.0" });
    const completed = lookout.facts.slice(from).filter(({ name }) => name === "TierCompleted");
    expect(completed.map(({ detail }) => detail)).toEqual([
      "dev of api: 1 of 1 members run 1.1.0",
      "canary of api: 1 of 1 members run 1.1.0",
    ]);
  });

  it("stop at an image that failed in the first, and go on after lookout unblock", async () => {
    const from = await pushUnschedulable("1.2.0");

    expect(await tags()).toEqual({ dev: "1.1.0", canary: "1.1.0", prod: "1.1.0" });
    expect((await lookout.run("unblock", "lab/default/api", "--digest", "1.2.0")).code).toBe(0);
    for (const tier of tierNames) await fact(tier, "RolloutSucceeded", from);
    expect(await tags()).toEqual({ dev: "1.2.0", canary: "1.2.0", prod: "1.2.0" });
  });

  it("let lookout release --past tier pass an image that failed in the first, for one workload", async () => {
    const from = await pushUnschedulable("1.3.0");
    const released = await lookout.run("release", "--past", "tier", "fleet/default/api", "--why", "urgent");

    expect(released.code).toBe(0);
    await fact("prod", "RolloutSucceeded", from);
    expect(await tags()).toEqual({ dev: "1.2.0", canary: "1.2.0", prod: "1.3.0" });
  });
});
