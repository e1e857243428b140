import { describe, expect, it } from "vitest";
import { examine, examineCluster, readProbe, sendSyntheticPush } from "#app/api/doctor";
import { toIso } from "#domain/shared/time";
import type { StateCopiesOutcome } from "#ports/state-copies";
import { begins, host, trackApi, worldWithApi } from "../world.ts";

const signal = new AbortController().signal;

describe("the checks of doctor", () => {
  it("find a healthy table, cluster and registry", async () => {
    const lookout = await worldWithApi();
    await trackApi(lookout);
    const at = toIso(lookout.ports.clock.now());

    expect(await examine(lookout.ports, signal)).toEqual({
      at,
      checks: [
        { check: "state", verdict: "well", detail: "installation abc123, 1 workload known" },
        { check: `registry ${host}`, verdict: "well", detail: `the registry answers for ${host}/shop/api` },
      ],
      clusters: ["prod"],
    });
    expect(await examineCluster("prod", lookout.ports, signal)).toEqual({
      check: "cluster prod",
      verdict: "well",
      detail: `the cluster answers. Its last sync was at ${at}`,
    });
  });

  it("show the scheduled copies of the state, and why a copy failed", async () => {
    const { ports } = await worldWithApi();
    const at = ports.clock.now();
    const checksOf = async (outcome: StateCopiesOutcome) =>
      (await examine({ ...ports, stateCopies: { outcome: () => outcome } }, signal)).checks.slice(1);
    const check = "backups";

    expect(await checksOf({})).toEqual([{ check, verdict: "well", detail: "there is no copy of the state yet" }]);
    expect(await checksOf({ newestAt: at })).toEqual([
      { check, verdict: "well", detail: `the newest copy of the state is of ${toIso(at)}` },
    ]);
    expect(await checksOf({ newestAt: at, failure: { at, detail: "the disk is full" } })).toEqual([
      {
        check,
        verdict: "wrong",
        detail: `the copy at ${toIso(at)} failed: the disk is full; the newest copy of the state is of ${toIso(at)}`,
        remedy: "Mend the cause, for example free some space on the disk. Lookout tries again within an hour.",
      },
    ]);
  });

  it("name the fault of an unreachable cluster and of a refusing registry", async () => {
    const lookout = await worldWithApi();
    await trackApi(lookout);
    const denied = { kind: "denied", detail: `${host} answered 401` } as const;
    const registry = { ...lookout.ports.registry, resolve: () => Promise.resolve(denied) };
    const cluster = {
      ...lookout.cluster,
      identity: () => Promise.resolve({ kind: "unreachable", detail: "connect ETIMEDOUT" } as const),
    };
    const clusters = { names: () => ["prod"], cluster: () => cluster };
    const ports = { ...lookout.ports, registry, clusters };
    const { checks } = await examine(ports, signal);

    expect(checks.slice(1)).toMatchObject([
      { check: `registry ${host}`, verdict: "wrong", detail: `${host} answered 401` },
    ]);
    expect(await examineCluster("prod", ports, signal)).toMatchObject({
      check: "cluster prod",
      verdict: "wrong",
      detail: "connect ETIMEDOUT",
      remedy: expect.any(String) as string,
    });
  });

  it("name the missing rights in a cluster, and their remedy", async () => {
    const { ports, cluster } = await worldWithApi();
    const lacking = {
      ...cluster,
      identity: (given: AbortSignal) => cluster.identity(given),
      rights: () => Promise.resolve({ kind: "rights", missing: ["patch deployments", "list pods"] } as const),
    };
    const clusters = { names: () => ["prod"], cluster: () => lacking };

    expect(await examineCluster("prod", { ...ports, clusters }, signal)).toEqual({
      check: "cluster prod",
      verdict: "wrong",
      detail: "the cluster answers, but does not let Lookout patch deployments, list pods",
      remedy: "Apply the output of `lookout cluster manifests` to the cluster, with kubectl.",
    });
  });

  it("warn of a cluster whose nodes can't be listed, although a rule asks for them", async () => {
    const { ports } = await worldWithApi();
    const at = ports.clock.now();
    const nodes = { kind: "denied", at, detail: "the cluster prod denies the list of nodes" } as const;
    await ports.clusterStates.write({ name: "prod", lastSyncAt: at, nodes });

    expect(await examineCluster("prod", ports, signal)).toEqual({
      check: "cluster prod",
      verdict: "doubtful",
      detail: "the cluster answers, but Lookout can't list its nodes: the cluster prod denies the list of nodes",
      remedy:
        "Let Lookout list nodes: lookout cluster manifests --read-nodes. Or set the cluster's nodePlatforms in lookout.yaml to prefer, or to ignore if the running image's platforms are unknown too.",
    });
  });

  it("warn of nodes and definitions at once, with each next command once", async () => {
    const { ports } = await worldWithApi();
    const since = ports.clock.now();
    const nodes = { kind: "denied", at: since, detail: "denied" } as const;
    await ports.clusterStates.write({
      ...{ name: "prod", lastSyncAt: since, nodes },
      definitionProblems: [
        { kind: "ImagePolicy", reason: "list-denied", detail: "Lookout may not list imagepolicies (403)", since },
        { kind: "ServiceImage", reason: "status-denied", detail: "Lookout may not patch serviceimages (403)", since },
      ],
    });

    expect(await examineCluster("prod", ports, signal)).toEqual({
      check: "cluster prod",
      verdict: "doubtful",
      detail:
        "the cluster answers, but Lookout can't list its nodes: denied; Lookout may not list imagepolicies (403); Lookout may not patch serviceimages (403)",
      remedy:
        "Let Lookout list nodes: lookout cluster manifests --read-nodes. Or set the cluster's nodePlatforms in lookout.yaml to prefer, or to ignore if the running image's platforms are unknown too. · To define the kinds and give the rights: lookout cluster manifests --definitions | kubectl apply -f - · Or, if lookout cluster add created the account: lookout cluster add prod --context CONTEXT --definitions",
    });
  });

  it("name the kinds that a cluster has and lookout.yaml does not use", async () => {
    const { ports, cluster } = await worldWithApi();
    const definitions = ["ImagePolicy", "ServiceImage"];
    const having = {
      ...cluster,
      identity: (given: AbortSignal) => cluster.identity(given),
      rights: () => Promise.resolve({ kind: "rights", missing: [], ignored: definitions, definitions } as const),
    };
    const clusters = { names: () => ["prod"], cluster: () => having };
    const lastSyncAt = ports.clock.now();
    await ports.clusterStates.write({ name: "prod", lastSyncAt });
    const check = (counts: boolean) =>
      examineCluster("prod", { ...ports, clusters, rules: { ...ports.rules, definitions: counts } }, signal);

    expect((await check(false))?.detail).toBe(
      `the cluster answers. Its last sync was at ${toIso(lastSyncAt)}. Lookout ignores its objects of the kinds ImagePolicy, ServiceImage: to use them, set definitions: true in lookout.yaml (on AWS, deploy again)`,
    );
    expect((await check(true))?.detail).toBe(`the cluster answers. Its last sync was at ${toIso(lastSyncAt)}`);
  });

  it("warn of a cluster that answers and was never synced", async () => {
    const { ports } = await worldWithApi();

    expect(await examineCluster("prod", ports, signal)).toMatchObject({ check: "cluster prod", verdict: "doubtful" });
  });

  it("return nothing for an unknown cluster", async () => {
    const { ports } = await worldWithApi();

    expect(await examineCluster("stage", ports, signal)).toBeUndefined();
  });
});

describe("a synthetic push", () => {
  it("is handled like every push, and only its arrival is stored", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    const before = await lookout.record(key);
    const told = await sendSyntheticPush("probe-1", lookout.ports);
    const early = await readProbe("probe-1", lookout.ports);
    await lookout.settle();

    expect(told).toEqual({ id: "probe-1", sentAt: toIso(lookout.ports.clock.now()) });
    expect(early).toEqual({ id: "probe-1" });
    expect(await readProbe("probe-1", lookout.ports)).toEqual({
      id: "probe-1",
      arrivedAt: toIso(lookout.ports.clock.now()),
    });
    expect(await lookout.record(key)).toEqual(before);
    expect(lookout.logged.at(-1)).toEqual(["ImagePushed", "probe-1"]);
    expect(lookout.ports.clock.now()).toBeGreaterThan(begins);
  });
});
