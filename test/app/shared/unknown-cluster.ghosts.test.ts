import { beforeEach, describe, expect, it } from "vitest";
import { endRemovedClusters } from "#app/detect/removed-clusters";
import { minutes, plus, seconds, toIso } from "#domain/shared/time";
import { serveApi } from "#runtime/api";
import { host, type World, world } from "../world.ts";

let lookout: World;
let keys: readonly string[];

/** Two workloads of `prod`, of which one needs approval. The cluster is then removed. */
beforeEach(async () => {
  lookout = world();
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  const image = `${host}/shop/api:1.0.0`;
  keys = [
    lookout.deploy({ name: "api", image }),
    lookout.deploy({ name: "web", image, annotations: { "lookout.dev/approval-required": "true" } }),
  ];
  await lookout.pass(seconds(2));
  await lookout.sync();
});

const remove = (): void => void Object.assign(lookout.ports.clusters, { names: () => [], cluster: () => undefined });

async function ask(path: string, method = "GET"): Promise<unknown> {
  const request = new Request(`http://localhost${path}`, { method });
  return (await serveApi(request, lookout.ports, new AbortController().signal)).json();
}

describe("a removed cluster", () => {
  it("has no holds, no approval requests and no swept workloads", async () => {
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    remove();
    const before = lookout.facts.length;

    expect(await ask("/v1/sweep", "POST")).toMatchObject({
      repositories: [{ imageName: `${host}/shop/api`, workloads: 0, missed: false }],
    });
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(2));

    expect(lookout.facts.slice(before)).toEqual([]);
    expect(await ask("/v1/approvals")).toMatchObject({ approvals: [] });
    expect(await ask("/v1/updates")).toMatchObject({ updates: [] });
    expect(await ask("/v1/repositories")).toMatchObject({ repositories: [{ workloads: 0 }] });
  });

  it("shows its workloads as removed at once, with their end", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    const { lastSyncAt } = (await lookout.ports.clusterStates.read("prod"))!;
    remove();
    const removed = {
      state: "removed",
      wants: [],
      reasons: [
        {
          reason: "cluster-removed",
          sentence: "The workload's cluster is no longer configured.",
          remedy: "To track its workloads again, add the cluster to lookout.yaml.",
          detail: "cluster prod is not in lookout.yaml",
          until: toIso(plus(lastSyncAt!, minutes(5))),
        },
      ],
    };

    const all = (await ask("/v1/workloads")) as { readonly workloads: readonly object[] };
    expect(all).toMatchObject({ clusters: [], workloads: keys.map((workload) => ({ workload, ...removed })) });
    expect(all.workloads.filter((one) => "pending" in one || "active" in one)).toEqual([]);
    expect(await ask("/v1/workloads?namespace=other")).toMatchObject({ workloads: [] });
    expect(await ask(`/v1/workloads/${keys[1] ?? ""}`)).toMatchObject(removed);
  });

  it("has its workloads ended after five minutes, also without a sweep", async () => {
    const { lastSyncAt } = (await lookout.ports.clusterStates.read("prod"))!;
    remove();
    const endsAt = plus(lastSyncAt!, minutes(5));

    expect(await endRemovedClusters(lookout.ports)).toEqual([{ cluster: "prod", workloads: 2, endsAt }]);
    await lookout.pass(minutes(4));
    expect((await Promise.all(keys.map((key) => lookout.record(key)))).map(({ tracked }) => tracked)).toEqual([
      true,
      true,
    ]);
    await lookout.pass(minutes(2));

    expect((await Promise.all(keys.map((key) => lookout.record(key)))).map(({ tracked }) => tracked)).toEqual([
      false,
      false,
    ]);
    expect(await endRemovedClusters(lookout.ports)).toEqual([]);
    expect(await ask("/v1/workloads")).toMatchObject({ workloads: [] });
  });

  it("keeps its workloads if it comes back in time", async () => {
    const configured = { ...lookout.ports.clusters };
    remove();
    await endRemovedClusters(lookout.ports);
    await lookout.pass(minutes(2));
    Object.assign(lookout.ports.clusters, configured);
    await lookout.sync();
    await lookout.pass(minutes(5));

    expect((await lookout.record(keys[0] ?? "")).tracked).toBe(true);
    expect(await endRemovedClusters(lookout.ports)).toEqual([]);
  });
});

describe("a configured cluster", () => {
  it("ends no workload, and is not removed", async () => {
    expect(await endRemovedClusters(lookout.ports)).toEqual([]);
    expect(await ask("/v1/workloads")).toMatchObject({
      workloads: [{ state: "up-to-date" }, { state: "up-to-date" }],
    });
  });
});
