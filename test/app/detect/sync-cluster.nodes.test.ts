import { describe, expect, it } from "vitest";
import type { NodeRule } from "#domain/gates/node-rules";
import { minutes, seconds } from "#domain/shared/time";
import type { ClusterNode } from "#domain/workload/node-groups";
import { api, host, trackApi, type World, world } from "../world.ts";

const node = (architecture: string, labels: Readonly<Record<string, string>> = {}): ClusterNode => ({
  ...{ name: architecture, os: "linux", architecture, taints: [] },
  labels: { "kubernetes.io/arch": architecture, ...labels },
});
const both = ["linux/amd64", "linux/arm64"];

async function worldOf(rule: NodeRule | undefined, nodes: readonly ClusterNode[] | undefined): Promise<World> {
  const nodeRules = { clusters: [{ name: "prod", ...(rule && { nodePlatforms: rule }) }], defaults: {} };
  const lookout = world({}, undefined, undefined, undefined, undefined, nodeRules);
  lookout.setNodes(nodes);
  lookout.registry.push(host, "shop/api", "1.0.0", { platforms: both });
  return lookout;
}

async function pushed(lookout: World, tag: string, platforms: readonly string[]): Promise<string> {
  const digest = lookout.registry.push(host, "shop/api", tag, { platforms });
  await lookout.tellAgain("shop/api", tag);
  await lookout.pass(seconds(30));
  return digest;
}

const waits = async (lookout: World, key: string) => (await lookout.record(key)).pending?.waits;
const nodesOf = async (lookout: World) => (await lookout.ports.clusterStates.read("prod"))?.nodes;

describe("a cluster whose nodes are required", () => {
  it("holds an index that lacks the platform of a node, until that node is gone", async () => {
    const lookout = await worldOf("require", [node("amd64"), node("arm64")]);
    const key = await trackApi(lookout);
    const digest = await pushed(lookout, "1.1.0", ["linux/amd64"]);

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await waits(lookout, key)).toEqual([
      { reason: "platform-missing", detail: "container app: 1.1.0 lacks linux/arm64 and has linux/amd64" },
    ]);

    lookout.setNodes([node("amd64")]);
    await lookout.sync();
    await lookout.pass(seconds(5));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    await lookout.pass(minutes(10));
    await lookout.sync();
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("does not hold an index that has the platforms of all nodes", async () => {
    const lookout = await worldOf("require", [node("amd64"), node("arm64")]);
    const key = await trackApi(lookout);
    const digest = await pushed(lookout, "1.1.0", both);

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("reads the labels that a new selector uses with the sync that sees it", async () => {
    const lookout = await worldOf("require", [node("amd64", { pool: "big" }), node("arm64", { pool: "small" })]);
    const key = await trackApi(lookout);
    await pushed(lookout, "1.1.0", ["linux/amd64"]);
    expect(await waits(lookout, key)).toHaveLength(1);

    const { metadata, spec } = lookout.cluster.object(api) ?? { metadata: { name: "api" }, spec: {} };
    const template = { spec: { containers: spec.template?.spec.containers ?? [], nodeSelector: { pool: "big" } } };
    lookout.cluster.apply({ kind: "Deployment", metadata, spec: { ...spec, template } });
    await lookout.sync();
    await lookout.pass(seconds(60));

    expect(await nodesOf(lookout)).toMatchObject({ kind: "listed", asked: { labels: ["pool"], names: [] } });
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
  });

  it("holds updates while Lookout may not list nodes, and continues when it may", async () => {
    const lookout = await worldOf("require", undefined);
    const key = await trackApi(lookout);
    await pushed(lookout, "1.1.0", both);
    expect(await waits(lookout, key)).toEqual([
      { reason: "nodes-unknown", detail: "Lookout may not list the nodes (the cluster prod denies the list of nodes)" },
    ]);

    lookout.setNodes([node("amd64")]);
    await lookout.pass(minutes(10));
    await lookout.sync();
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
  });

  it("reads the platforms of an update that was selected before the rule existed", async () => {
    const lookout = await worldOf(undefined, [node("amd64")]);
    const key = await trackApi(lookout, { "lookout.dev/suspend": "true" });
    await pushed(lookout, "1.1.0", both);
    Object.assign(lookout.ports, { nodeRules: { clusters: [], defaults: { nodePlatforms: "require" } } });
    await lookout.sync();
    lookout.cluster.annotate(api, { "lookout.dev/suspend": undefined });
    await lookout.sync();
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
  });
});

describe("a cluster whose nodes are preferred", () => {
  it("compares with the running image where Lookout may not list nodes", async () => {
    const lookout = await worldOf("prefer", undefined);
    const running = await lookout.registry.resolve(
      { registry: host, repository: "shop/api" },
      "1.0.0",
      AbortSignal.timeout(1_000),
    );
    const pin = running.kind === "manifest" ? running.digest : "";
    const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0@${pin}` });
    await lookout.sync();
    await pushed(lookout, "1.1.0", ["linux/amd64"]);
    expect(await waits(lookout, key)).toEqual([
      { reason: "platform-missing", detail: "container app: 1.1.0 lacks linux/arm64 and has linux/amd64" },
    ]);

    const complete = await pushed(lookout, "1.2.0", both);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${complete}`);
  });
});

describe("a cluster without a rule about its nodes", () => {
  it("needs no list of nodes, and reads images only for what changed", async () => {
    const lookout = await worldOf(undefined, [node("arm64")]);
    const key = await trackApi(lookout);
    await pushed(lookout, "1.1.0", ["linux/amd64"]);

    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
    expect(await nodesOf(lookout)).toBeUndefined();
    expect(lookout.registry.calls).toMatchObject({ manifest: 2, config: 1 });
  });
});

describe("the nodes of a cluster", () => {
  it("are listed at most every ten minutes, and when a user requests a sync", async () => {
    const lookout = await worldOf("require", [node("amd64")]);
    await trackApi(lookout);
    const first = await nodesOf(lookout);
    lookout.setNodes([node("arm64")]);
    for (let minute = 0; minute < 9; minute += 1) {
      await lookout.pass(minutes(1));
      await lookout.sync();
    }
    expect(await nodesOf(lookout)).toEqual(first);

    await lookout.ports.queues.send([
      { command: { name: "SyncCluster", id: "asked:1", cluster: "prod" }, delay: seconds(0) },
    ]);
    await lookout.settle();
    expect(await nodesOf(lookout)).toMatchObject({ groups: [{ architecture: "arm64" }] });
  });

  it("stay as they were last seen while the cluster does not answer for a while", async () => {
    const lookout = await worldOf("require", [node("amd64")]);
    await trackApi(lookout);
    const before = await nodesOf(lookout);
    lookout.cluster.unreachable(true);
    await lookout.pass(minutes(11));
    await lookout.sync();

    expect(await nodesOf(lookout)).toEqual(before);
  });
});

describe("the nodes of a cluster with a greedy tenant", () => {
  const pools = [node("amd64", { pool: "x86" }), node("arm64", { pool: "arm" })];
  const select = (lookout: World, name: string, nodeSelector: Readonly<Record<string, string>>): string => {
    const metadata = { namespace: name, name, labels: {}, annotations: { "lookout.dev/enabled": "true" } };
    const containers = [{ name: "app", image: `${host}/shop/api:1.0.0` }];
    lookout.cluster.apply({
      kind: "Deployment",
      metadata,
      spec: { replicas: 1, template: { spec: { containers, nodeSelector } } },
    });
    return `prod/${name}/deployment/${name}`;
  };
  const many = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${String(index)}`, "x"]));

  it("keep the labels of other tenants, however many labels the greedy tenant uses", async () => {
    const lookout = await worldOf("require", pools);
    select(lookout, "evil", many(250, "a"));
    const key = select(lookout, "shop", { pool: "x86" });
    await lookout.sync();
    await pushed(lookout, "1.1.0", ["linux/amd64"]);

    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
  });

  it("get the labels of other tenants after ten minutes, if the greedy tenant used all places", async () => {
    const lookout = await worldOf("require", pools);
    for (let index = 0; index < 12; index += 1)
      select(lookout, `evil-${String(index)}`, many(20, `a${String(index)}-`));
    await lookout.sync();
    const key = select(lookout, "shop", { pool: "x86" });
    await lookout.sync();
    await pushed(lookout, "1.1.0", ["linux/amd64"]);
    expect(await waits(lookout, key)).toHaveLength(1);
    expect(await nodesOf(lookout)).toMatchObject({ crowded: true });

    await lookout.pass(minutes(10));
    await lookout.sync();
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
    expect(await nodesOf(lookout)).not.toHaveProperty("crowded");
  });

  it("stay small, however often the tenant changes its labels", async () => {
    const lookout = await worldOf("require", pools);
    for (let minute = 0; minute < 12; minute += 1) {
      select(lookout, "evil", many(25, `${"k".repeat(240)}/${"n".repeat(50)}-${String(minute)}-`));
      await lookout.sync();
      lookout.clock.turn(minutes(1));
    }

    const asked = { labels: expect.any(Array) as string[], names: [] };
    expect(await nodesOf(lookout)).toMatchObject({ kind: "listed", asked });
    expect(JSON.stringify(await nodesOf(lookout)).length).toBeLessThan(20_000);
  });
});
