import { beforeEach, describe, expect, it } from "vitest";
import { seconds } from "#domain/shared/time";
import type { PushNotice } from "#ports/push-receiver";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
let digest: string;
const other = `sha256:${"0f".repeat(32)}`;

beforeEach(async () => {
  lookout = await worldWithApi();
  key = await trackApi(lookout);
  digest = await lookout.push("shop/api", "1.1.0", { quietly: true });
});

const tell = async (push: Partial<PushNotice>): Promise<void> => {
  await lookout.tell({ id: "p1", registry: host, repository: "shop/api", tags: ["1.1.0"], ...push });
  await lookout.settle();
};
const counted = () => lookout.measurements.filter(({ name }) => name === "PushesDisputed").length;
const about = { correlationId: "p1", registry: host, repository: "shop/api", source: "webhook distribution" };

describe("a disputed push", () => {
  it("with another digest is disputed once, and the registry's digest runs", async () => {
    await tell({ digest: other });
    await lookout.pass(seconds(20));

    expect(lookout.disputes).toEqual([
      {
        ...{ name: "PushDisputed", id: "p1/PushDisputed", ...about, tag: "1.1.0" },
        ...{ digest: other, registryDigest: digest, at: expect.any(Number) as number },
      },
    ]);
    expect(counted()).toBe(1);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("without such a tag at the registry is disputed", async () => {
    await tell({ tags: ["9.9.9"], digest: other });

    expect(lookout.disputes).toMatchObject([{ ...about, tag: "9.9.9", digest: other }]);
    expect(lookout.disputes[0]?.registryDigest).toBeUndefined();
    expect(counted()).toBe(1);
  });

  it("with the registry's digest, or without a digest, is not disputed", async () => {
    await tell({ digest });
    await tell({ id: "p2" });

    expect([lookout.disputes, counted()]).toEqual([[], 0]);
  });

  it("with a tag that no workload can get is not checked for a dispute", async () => {
    const before = { ...lookout.registry.calls };
    await tell({ tags: ["0.1.0"], digest: other });

    expect(lookout.registry.calls).toEqual(before);
    expect(lookout.disputes).toEqual([]);
  });

  it("with another digest is disputed too when it joins another push", async () => {
    await anotherIsEvaluated();
    await tell({ digest: other });

    expect(lookout.disputes).toMatchObject([{ ...about, tag: "1.1.0", digest: other, registryDigest: digest }]);
    expect(counted()).toBe(1);
  });

  it("that joins is not checked if no workload can get its tag", async () => {
    await anotherIsEvaluated();
    const before = { ...lookout.registry.calls };
    await tell({ tags: ["0.1.0"], digest: other });

    expect([lookout.registry.calls, lookout.disputes]).toEqual([before, []]);
  });
});

/** Another delivery holds the repository, and has not ended. */
async function anotherIsEvaluated(): Promise<void> {
  const { pushCoalescing, clock } = lookout.ports;
  expect(await pushCoalescing.begin({ registry: host, repository: "shop/api" }, "p0", clock.now())).toBe("first");
}
