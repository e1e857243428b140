import { describe, expect, it } from "vitest";
import { minutes } from "#domain/shared/time";
import { host, worldWithApi } from "../world.ts";

async function tracked(more: Readonly<Record<string, string>> = {}) {
  const lookout = await worldWithApi();
  const annotations = { "lookout.dev/enabled": "true", ...more };
  const key = lookout.deploy({
    kind: "rollout.argoproj.io",
    name: "api",
    image: `${host}/shop/api:1.0.0`,
    annotations,
  });
  await lookout.sync();
  await lookout.pass(minutes(1));
  return { lookout, key };
}

describe("an object of another operator", () => {
  it("is updated, and named by its kind and group", async () => {
    const { lookout, key } = await tracked();
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(key).toBe("prod/shop/rollout.argoproj.io/api");
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(lookout.factNames(key)).toContain("RolloutSucceeded");
  });

  it("is rolled back when its pods can't start", async () => {
    const { lookout, key } = await tracked();
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(5));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(lookout.factNames(key)).toContain("RolledBack");
  });

  it("that Lookout can't update is held, and says why", async () => {
    const why = "spec.workloadRef: the pod template is in another object";
    const { lookout, key } = await tracked({ "lookout.dev/unusable-object": why });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).selectionFailures).toEqual([
      {
        container: "app",
        reason: "problem-in-settings",
        detail: expect.stringContaining(`Lookout can't update this object: ${why}`) as string,
      },
    ]);
  });
});
