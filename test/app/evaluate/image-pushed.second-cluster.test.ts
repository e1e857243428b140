import { describe, expect, it } from "vitest";
import { syncCluster } from "#app/detect/sync-cluster";
import { minutes, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { memoryCluster } from "#test/model/world/cluster-hands";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

const latest = { "lookout.dev/policy": "latest" };

/** Adds the cluster `stage`, whose pods report the registry's digests, with `shop/api` of a tag. */
async function addStage(lookout: World, tag: string) {
  const { ports, clock, registry } = lookout;
  const tags = registry.repositories.get(`${host}/shop/api`)?.tags ?? new Map<string, string>();
  const digestOf = (image: string): string | undefined =>
    /@(sha256:.*)$/.exec(image)?.[1] ?? tags.get(image.slice(image.lastIndexOf(":") + 1));
  const stage = memoryCluster({ name: "stage", clock, startupMs: 1_000, digestOf, behaviour: () => "runs" });
  const template = { spec: { containers: [{ name: "app", image: `${host}/shop/api:${tag}` }] } };
  const annotations = { "lookout.dev/enabled": "true", ...latest };
  const key = workloadKey(
    stage.apply({
      kind: "Deployment",
      metadata: { namespace: "shop", name: "api", labels: {}, annotations },
      spec: { replicas: 3, template },
    }),
  );
  const prod = ports.clusters.cluster("prod");
  Object.assign(ports.clusters, {
    names: () => ["prod", "stage"],
    cluster: (name: string) => (name === "stage" ? stage : prod),
  });
  await lookout.pass(seconds(5));
  const command = { name: "SyncCluster", id: "stage", cluster: "stage" } as const;
  await syncCluster(command, ports, new AbortController().signal);
  await lookout.pass(minutes(1));
  await lookout.sweep();
  await lookout.pass(minutes(1));
  const image = () => stage.object({ namespace: "shop", kind: "Deployment", name: "api" })?.spec.template?.spec;
  return { key, image: () => image()?.containers[0]?.image };
}

describe("a second cluster with an older tag under the policy latest", () => {
  it("gets the newest tag, as the first cluster did", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout, latest);
    await lookout.push("shop/api", "b7");
    await lookout.pass(minutes(1));
    const digest = await lookout.push("shop/api", "a1");
    await lookout.pass(minutes(1));
    const stage = await addStage(lookout, "b7");

    expect([lookout.image(key), stage.image()]).toEqual([
      `${host}/shop/api:a1@${digest}`,
      `${host}/shop/api:a1@${digest}`,
    ]);
    expect((await lookout.record(stage.key)).selectionFailures).toEqual([]);
  });

  it("stays, if the push of its tag was before the first listing, until the next push", async () => {
    const lookout = await worldWithApi();
    await trackApi(lookout, latest);
    await lookout.push("shop/api", "a1");
    await lookout.pass(minutes(1));
    const stage = await addStage(lookout, "1.0.0");
    const before = stage.image();
    const { selectionFailures } = await lookout.record(stage.key);
    const digest = await lookout.push("shop/api", "0a");
    await lookout.pass(minutes(1));

    expect([before, selectionFailures.map(({ reason }) => reason), stage.image()]).toEqual([
      `${host}/shop/api:1.0.0`,
      ["would-downgrade"],
      `${host}/shop/api:0a@${digest}`,
    ]);
  });
});

describe("an older tag that a user sets by hand under the policy latest", () => {
  it("stays until the next push", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout, latest);
    await lookout.push("shop/api", "b7");
    await lookout.pass(minutes(1));
    await lookout.push("shop/api", "a1");
    await lookout.pass(minutes(1));
    lookout.cluster.setImage({ namespace: "shop", kind: "Deployment", name: "api" }, "app", `${host}/shop/api:b7`);
    await lookout.pass(seconds(5));
    await lookout.sync();
    await lookout.sweep();
    await lookout.pass(minutes(1));
    const before = lookout.image(key);
    const digest = await lookout.push("shop/api", "c2");
    await lookout.pass(minutes(1));

    expect([before, lookout.image(key)]).toEqual([`${host}/shop/api:b7`, `${host}/shop/api:c2@${digest}`]);
  });
});
