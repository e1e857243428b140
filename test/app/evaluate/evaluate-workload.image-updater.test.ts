import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { api, host, type World, worldWithApi } from "../world.ts";

const prefix = "image-updater.eznix86.github.io/";
let lookout: World;

beforeEach(async () => {
  lookout = await worldWithApi();
});

/**
 * Deploys the workload with the annotations of the Kubernetes Image Updater, and with none of
 * Lookout's unless given.
 */
async function annotated(annotations: Readonly<Record<string, string>> = {}): Promise<string> {
  const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
  const written = { "lookout.dev/enabled": undefined, [`${prefix}enabled`]: "true", ...annotations };
  lookout.cluster.annotate(api, written);
  await lookout.pass(seconds(2));
  await lookout.sync();
  return key;
}

const restartedAt = (): string | undefined =>
  lookout.cluster.object(api)?.spec.template?.metadata?.annotations?.["kubectl.kubernetes.io/restartedAt"];

describe("a workload with the annotations of the Kubernetes Image Updater", () => {
  it("is not restarted at first sight, nor when its operator notes a digest", async () => {
    const key = await annotated();
    lookout.cluster.annotate(api, { [`${prefix}last-digest`]: "app:sha256:0" });
    await lookout.sync();
    await lookout.pass(minutes(2));

    expect((await lookout.record(key)).tracked).toBe(true);
    expect(restartedAt()).toBeUndefined();
  });

  it("is restarted once when its tag moves, and keeps its image", async () => {
    const key = await annotated();

    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(minutes(2));

    expect(restartedAt()).toBe("2026-11-21T10:00:02.000Z");
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "succeeded" });
  });

  it("is not restarted for an untracked container", async () => {
    await annotated();
    lookout.cluster.annotate(api, { [`${prefix}ignore-containers`]: "app" });
    await lookout.sync();

    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));

    expect(restartedAt()).toBeUndefined();
  });

  it("is no longer tracked after any value except true", async () => {
    const key = await annotated();
    lookout.cluster.annotate(api, { [`${prefix}enabled`]: "True" });
    await lookout.sync();

    expect((await lookout.record(key)).tracked).toBe(false);
  });

  it("is held while lookout.dev/enabled is true too, and shows that", async () => {
    const key = await annotated({ "lookout.dev/enabled": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).selectionFailures).toEqual([
      {
        container: "app",
        reason: "problem-in-settings",
        detail: `${prefix}enabled "true": lookout.dev/enabled is set too: keep the annotations of only one updater`,
      },
    ]);
  });
});
