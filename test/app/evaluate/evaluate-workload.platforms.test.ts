import { beforeEach, describe, expect, it } from "vitest";
import { seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const both = { "lookout.dev/platforms": "linux/amd64,linux/arm64" };

async function pushed(tag: string, platforms?: readonly string[]): Promise<string> {
  const digest = lookout.registry.push(host, "shop/api", tag, platforms === undefined ? {} : { platforms });
  await lookout.tellAgain("shop/api", tag);
  await lookout.pass(seconds(30));
  return digest;
}

describe("a workload that names platforms", () => {
  it("gets an index that has them", async () => {
    const key = await trackApi(lookout, both);
    const digest = await pushed("1.1.0", ["linux/amd64", "linux/arm64/v8", "linux/arm/v7"]);

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("rejects an index without one of them, names the platform, and selects no lower version", async () => {
    const key = await trackApi(lookout, both);
    lookout.registry.push(host, "shop/api", "1.1.0", { platforms: ["linux/amd64", "linux/arm64"] });
    await pushed("1.2.0", ["linux/amd64", "windows/amd64"]);

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).selectionFailures).toEqual([
      {
        container: "app",
        reason: "platform-missing",
        detail: "1.2.0 lacks linux/arm64 and has linux/amd64, windows/amd64",
      },
    ]);
  });

  it("reads the platform of a single image from its configuration", async () => {
    const key = await trackApi(lookout, { "lookout.dev/platforms": "linux/arm64" });
    lookout.registry.push(host, "shop/api", "1.1.0", { platform: "linux/arm64" });
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");

    await pushed("1.2.0");
    expect((await lookout.record(key)).selectionFailures).toMatchObject([
      { reason: "platform-missing", detail: "1.2.0 lacks linux/arm64 and has linux/amd64" },
    ]);
  });

  it("gets the index once it is complete", async () => {
    const key = await trackApi(lookout, both);
    await pushed("1.1.0", ["linux/amd64"]);
    const complete = await pushed("1.1.0", ["linux/amd64", "linux/arm64"]);

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${complete}`);
  });

  it("loses its waiting update when it names another platform", async () => {
    const key = await trackApi(lookout, { ...both, "lookout.dev/suspend": "true" });
    await pushed("1.1.0", ["linux/amd64", "linux/arm64"]);
    expect((await lookout.record(key)).pending).toBeDefined();

    lookout.cluster.annotate(api, { "lookout.dev/platforms": "linux/s390x" });
    await lookout.sync();
    await lookout.pass(seconds(5));
    expect((await lookout.record(key)).pending).toBeUndefined();
  });
});

describe("a workload that names no platform", () => {
  it("needs one read of its new manifest, which shows that it is an image, and one of a platform, for its labels", async () => {
    await trackApi(lookout);
    await pushed("1.1.0", ["linux/amd64"]);

    expect(lookout.registry.calls.manifest).toBe(2);
  });
});
