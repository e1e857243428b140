import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { until } from "./bed/until.ts";
import { deploymentManifest } from "./bed/workloads.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;
let other: Registry;

beforeAll(async () => {
  other = await startRegistry();
  stage = await setStage({ silent: true, otherRegistries: [other.host] });
});
afterAll(async () => {
  await stage.stop();
  await other.stop();
});

/** Returns the row of a workload in `lookout status`. */
async function row(name: string): Promise<string> {
  const { out } = await stage.lookout.run("status");
  return out.split("\n").find((line) => line.includes(`/${name} `)) ?? "";
}

async function rowHas(name: string, text: RegExp): Promise<string> {
  return until(`the row of ${name} has ${text.source}`, async () => {
    const found = await row(name);
    return text.test(found) ? found : undefined;
  });
}

describe("an outage of one of two registries", () => {
  it("is in status and told once within 30 s of the first failed read, and gone within 30 s of the first answer", async () => {
    await other.push("shop/far:1.0.0", { seed: "far 1.0.0" });
    await stage.tracked("near");
    await stage.tracked("far", {}, (name) => deploymentManifest(name, `${other.host}/shop/far:1.0.0`));
    await stage.lookout.run("sweep");
    await rowHas("far", /✓ up to date, checked \d+ s ago/);

    await other.stop();
    await stage.lookout.run("sweep");
    const unchecked = await rowHas("far", /not checked since/);
    const errors = () => stage.lookout.errors.filter((line) => line.includes("registry"));

    expect(unchecked).toMatch(
      new RegExp(`! not checked since \\d\\d:\\d\\d \\S+: registry ${other.host} can't be reached`),
    );
    expect(await row("near")).toContain("✓ up to date, checked");
    expect(stage.lookout.registryFacts).toMatchObject([{ name: "RegistryUnreachable", registry: other.host }]);
    expect(errors()).toHaveLength(1);
    expect(errors()[0]).toMatch(/can't be reached since \d\d:\d\d:\d\d: connection refused/);
    const { out } = await stage.lookout.run("explain", "default/far");
    expect(out).toContain(`registry ${other.host} can't be reached. Since`);

    const port = Number(other.host.split(":")[1]);
    other = await startRegistry({ port });
    await other.push("shop/far:1.0.0", { seed: "far 1.0.0" });
    // The schedule asks the registry again, each minute at least.
    await until("the end of the outage", async () => stage.lookout.registryFacts[1], { timeoutMs: 150_000 });
    const back = await rowHas("far", /✓ up to date, checked/);

    expect(back).not.toContain("not checked");
    expect(stage.lookout.registryFacts.map(({ name }) => name)).toEqual(["RegistryUnreachable", "RegistryRecovered"]);
    expect(errors()).toHaveLength(2);
    expect(errors()[1]).toMatch(/answers again after \d+ (?:s|min)/);
  }, 400_000);
});
