import { beforeEach, describe, expect, it } from "vitest";
import { hours, minutes } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
beforeEach(async () => {
  lookout = await worldWithApi();
  await lookout.push("shop/models", "1.0.0", { quietly: true });
});

const old = `${host}/shop/models:1.0.0`;
const enabled = { "lookout.dev/volume.models.enabled": "true" };
const volume = (): string | undefined =>
  lookout.cluster.object(api)?.spec.template?.spec.volumes?.[0]?.image?.reference ?? undefined;
const track = async (annotations: Readonly<Record<string, string>>): Promise<void> => {
  key = await trackApi(lookout, annotations, { volumes: { models: old } });
};

describe("an image volume", () => {
  it("is not updated unless it is enabled", async () => {
    await track({});
    await lookout.push("shop/models", "1.1.0");
    await lookout.pass(minutes(1));

    expect(volume()).toBe(old);
    expect((await lookout.record(key)).observed.containers.map(({ list, name }) => [list, name])).toEqual([
      ["containers", "app"],
      ["volumes", "volume.models"],
    ]);
  });

  it("is updated by its own policy, and says so in the annotations", async () => {
    await track({ ...enabled, "lookout.dev/volume.models.semver-range": "<2" });
    await lookout.push("shop/models", "2.0.0", { quietly: true });
    const digest = await lookout.push("shop/models", "1.1.0");
    await lookout.pass(minutes(1));

    expect(volume()).toBe(`${host}/shop/models:1.1.0@${digest}`);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).last).toMatchObject({ status: "succeeded" });
    expect(lookout.cluster.object(api)?.metadata.annotations?.["lookout.dev/status.current-image"]).toBe(
      `app=${host}/shop/api:1.0.0,volume.models=${host}/shop/models:1.1.0@${digest}`,
    );
  });

  it("that can't be pulled is rolled back, and blocks only its own digest", async () => {
    await track({ ...enabled, "lookout.dev/suspend": "true" });
    const app = await lookout.push("shop/api", "1.1.0");
    const digest = await lookout.push("shop/models", "1.1.0", { broken: true });
    await lookout.settle();
    lookout.cluster.annotate(api, { "lookout.dev/suspend": undefined });
    await lookout.sync();
    await lookout.pass(minutes(10));

    expect(volume()).toBe(old);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${app}`);
    expect((await lookout.record(key)).blocked.map((one) => one.digest)).toEqual([digest]);
  });

  it("follows the digest of its tag", async () => {
    await track({ ...enabled, "lookout.dev/volume.models.policy": "digest" });
    const digest = await lookout.push("shop/models", "1.0.0");
    await lookout.pass(minutes(1));

    expect(volume()).toBe(`${old}@${digest}`);
  });

  it("costs no reads of pods, because pods don't report its digest", async () => {
    await track(enabled);
    const before = (await lookout.record(key)).version;
    for (let hour = 0; hour < 3; hour += 1) {
      await lookout.pass(hours(1));
      await lookout.sync();
    }

    expect((await lookout.record(key)).version).toBe(before);
  });

  it("holds updates while an annotation names no volume, and tells the right one", async () => {
    await track({ "lookout.dev/volume.model.policy": "digest" });

    expect((await lookout.record(key)).selectionFailures[0]).toMatchObject({
      reason: "problem-in-settings",
      detail: expect.stringContaining("names no image volume of this workload") as string,
    });
  });
});
