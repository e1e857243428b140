import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "./bed/until.ts";
import type { PrintedFact } from "./lookout.ts";
import { setStage, type Stage } from "./stage.ts";

/** What each check answers now, and how often Lookout asked it. */
const checks = {
  gate: { allow: false, asked: 0 },
  bake: { allow: false, asked: 0 },
};
/** The shortest time for which an answer counts. */
const retryAfter = "30s";

let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = createServer((request, response) => {
    const check = checks[(request.url ?? "").slice(1) as keyof typeof checks];
    check.asked += 1;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ allow: check.allow, reason: check.allow ? "" : "2 findings", retryAfter }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const entry = (name: string) => ({
    ...{ name, address: `http://127.0.0.1:${port}/${name}`, allowNetworks: ["127.0.0.0/8"] },
  });
  stage = await setStage({ more: { checks: [entry("gate"), { ...entry("bake"), when: "bake" }] } });
});

afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function heldBy(reason: string, workload: string): Promise<PrintedFact> {
  return until(`${workload} is held: ${reason}`, async () =>
    stage.lookout
      .of(workload)
      .find(({ name, reasons }) => name === "UpdateHeld" && reasons.some((one) => one.reason === reason)),
  );
}

const push = (name: string, tag: string) => stage.registry.push(`shop/${name}:${tag}`, { seed: `${name} ${tag}` });

describe("a check before the release", () => {
  it("holds an update while it refuses, and lets it go on when it allows it", async () => {
    const workload = await stage.tracked("gated", { "lookout.dev/checks": "gate" });
    await push("gated", "1.1.0");
    await heldBy("check-refused", workload);

    expect((await stage.lookout.run("explain", workload)).out).toContain("2 findings");
    expect(await stage.imageOf("deployment", "gated")).toContain("/shop/gated:1.0.0");
    checks.gate.allow = true;
    await stage.lookout.fact("RolloutSucceeded", workload);
    expect(await stage.imageOf("deployment", "gated")).toContain("/shop/gated:1.1.0@");
    expect(checks.gate.asked).toBe(2);
  });
});

describe("a check of the new pods", () => {
  it("rolls back an update that it refuses, and lets the next one succeed", async () => {
    const workload = await stage.tracked("baked", { "lookout.dev/checks": "bake" });
    await push("baked", "1.1.0");
    const failed = await stage.lookout.fact("RolloutFailed", workload);
    await stage.lookout.fact("RolledBack", workload);

    expect(failed.reasons).toMatchObject([
      { reason: "check-failed", detail: expect.stringContaining("2 findings") as string },
    ]);
    expect(await stage.imageOf("deployment", "baked")).toContain("/shop/baked:1.0.0");
    checks.bake.allow = true;
    await push("baked", "1.2.0");
    await stage.lookout.fact("RolloutSucceeded", workload);
    expect(await stage.imageOf("deployment", "baked")).toContain("/shop/baked:1.2.0@");
  });
});
