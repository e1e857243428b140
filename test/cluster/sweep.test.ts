import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RepositoriesView, SweepView } from "#contracts/api/repositories";
import { stateFiles } from "#runtime/local/state-files";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ silent: true });
});
afterAll(async () => {
  await stage.stop();
});

async function sweep(...words: readonly string[]): Promise<{ readonly code: number; readonly view: SweepView }> {
  const { code, out } = await stage.lookout.run("sweep", ...words, "--output", "json");
  return { code, view: JSON.parse(out) as SweepView };
}

describe("a registry without notifications", () => {
  it("has pushes that a sweep finds and counts once", async () => {
    const workload = await stage.tracked("quiet");
    const repository = `${stage.registry.host}/shop/quiet`;
    // The first evaluation of a tracked workload finds earlier pushes without a sweep.
    await sweep(repository);
    await sleep(1_000);
    const digest = await stage.registry.push("shop/quiet:1.1.0", { seed: "quiet 1.1.0" });

    const first = await sweep();
    await stage.lookout.fact("RolloutSucceeded", workload);
    const second = await sweep(repository);
    const { out } = await stage.lookout.run("sweep");

    expect(await stage.imageOf("deployment", "quiet")).toBe(`${repository}:1.1.0@${digest}`);
    expect([first, second].map(({ code, view }) => ({ code, found: view.repositories }))).toEqual([
      { code: 0, found: [{ imageName: repository, workloads: 1, missed: true }] },
      { code: 0, found: [{ imageName: repository, workloads: 1, missed: false }] },
    ]);
    expect(out).toContain("✓ no missed push");
    expect(await listed()).toMatchObject({ repositories: [{ imageName: repository, workloads: 1, eventsMissed: 1 }] });
  });
});

async function listed(): Promise<RepositoriesView> {
  const [server, token] = await Promise.all(
    [stateFiles.server, stateFiles.token].map((file) => readFile(join(stage.lookout.dataDir, file), "utf8")),
  );
  const { url } = JSON.parse(server ?? "") as { readonly url: string };
  const response = await fetch(`${url}/v1/repositories`, { headers: { authorization: `Bearer ${token ?? ""}` } });
  return (await response.json()) as RepositoriesView;
}
