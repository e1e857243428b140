import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { minutes, seconds } from "#domain/shared/time";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

const helm = "application/vnd.cncf.helm.config.v1+json";
const chartText = `a Helm chart (${helm})`;

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const chart = (tag: string): string => lookout.registry.push(host, "shop/api", tag, { artifact: helm });
const selections = async (key: string) =>
  (await explain(key, lookout.ports, new AbortController().signal))?.selections[0];
const rejected = async (key: string) => (await selections(key))?.rejected;

describe("a chart in the repository of an image", () => {
  it("is skipped for the next image, and explained", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    chart("1.2.0");
    await lookout.tellAgain("shop/api", "1.2.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
    expect(lookout.factNames(key)).not.toContain("RolloutFailed");
    expect(await selections(key)).toMatchObject({ outcome: "unchanged", tag: "1.1.0" });
    expect(await rejected(key)).toContainEqual({ tag: "1.2.0", reason: "not-an-image", detail: chartText });
  });

  it("leaves a workload up to date, if no image is higher", async () => {
    const key = await trackApi(lookout);
    chart("1.2.0");
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    const { pending, selectionFailures } = await lookout.record(key);
    expect([pending, selectionFailures]).toEqual([undefined, []]);
  });

  it("is named if its tag is all that a policy follows", async () => {
    const key = await trackApi(lookout, { "lookout.dev/policy": "digest" });
    chart("1.0.0");
    await lookout.tellAgain("shop/api", "1.0.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).selectionFailures).toEqual([
      { container: "app", reason: "not-an-image", detail: `1.0.0 is ${chartText}` },
    ]);
  });

  it("is skipped by a policy that follows the newest tag", async () => {
    const key = await trackApi(lookout, { "lookout.dev/policy": "latest" });
    await lookout.push("shop/api", "main-1");
    await lookout.pass(seconds(1));
    chart("1.2.0");
    await lookout.tellAgain("shop/api", "1.2.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toContain("shop/api:main-1@");
  });

  it("costs one more request for a new digest, and none for a held update", async () => {
    await trackApi(lookout, { "lookout.dev/suspend": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    expect(lookout.registry.calls.manifest).toBe(1);

    for (let sweep = 0; sweep < 5; sweep += 1) await lookout.sweep();
    expect(lookout.registry.calls.manifest).toBe(1);
  });

  it("costs ten requests at most, and the failure names charts", async () => {
    const key = await trackApi(lookout);
    for (let minor = 1; minor <= 30; minor += 1) chart(`2.${minor}.0`);
    const before = lookout.registry.calls.resolve + lookout.registry.calls.manifest;
    await lookout.tellAgain("shop/api", "2.30.0");
    await lookout.settle();

    expect(lookout.registry.calls.resolve + lookout.registry.calls.manifest - before).toBe(10);
    expect((await lookout.record(key)).selectionFailures).toMatchObject([
      { reason: "not-an-image", detail: expect.stringContaining(`2.30.0 is ${chartText}, 2.29.0 is`) as string },
    ]);
  });

  it("is read once for a workload with a minimum age, and begins no wait", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "2m" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    chart("1.2.0");
    await lookout.tellAgain("shop/api", "1.2.0");
    await lookout.settle();
    expect(lookout.registry.calls.manifest).toBe(2);

    await lookout.sweep();
    await lookout.pass(minutes(2));
    expect(lookout.registry.calls.manifest).toBe(2);
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
  });
});

describe("the explanation of a workload with a minimum age", () => {
  it("names the younger tags with their times, and stores nothing", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(10));
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(10));

    expect(await selections(key)).toMatchObject({ outcome: "selected", tag: "1.1.0" });
    expect(await rejected(key)).toEqual([{ tag: "1.2.0", reason: "too-new", until: "2026-11-21T11:10:02.000Z" }]);

    const unseen = await lookout.push("shop/api", "1.3.0", { quietly: true });
    expect((await selections(key))?.rejected.map(({ tag }) => tag).sort()).toEqual(["1.2.0", "1.3.0"]);
    const image = { imageName: `${host}/shop/api`, tag: "1.3.0", digest: unseen };
    expect(await lookout.ports.sightings.among([image])).toEqual([]);
  });
});
