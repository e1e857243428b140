import { describe, expect, it } from "vitest";
import type { ClusterCheckView, ClustersView } from "#contracts/api/clusters";
import { problemOf } from "#contracts/problem";
import { lines, lookout } from "../world.ts";

const at = "2026-11-21T18:45:13.000Z";
const clusters: ClustersView = {
  at,
  clusters: [
    { name: "pay", registered: { by: "ben", at } },
    { name: "prod", lastSyncAt: at },
    { name: "stage", problem: { reason: "cluster-denied", detail: "no access entry", since: at } },
  ],
};
const well: ClusterCheckView = { at, cluster: "pay", identity: "u-1", missing: [] };

describe("lookout cluster", () => {
  it("lists the clusters, their sources and the results of their last syncs", async () => {
    expect(await lookout(["cluster", "list"], { "GET /v1/clusters": { body: clusters } })).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "CLUSTER   FROM                          STATE",
        "pay       lookout cluster add, by ben   – not synced yet",
        "prod      lookout.yaml                  ✓ synced 40 s ago",
        "stage     lookout.yaml                  ! no access entry",
      ),
    });
  });

  it("lists what is wrong with the definitions of a cluster, with the next command", async () => {
    const remedy =
      "To define the kinds and give the rights: lookout cluster manifests --definitions | kubectl apply -f -";
    const denied = { reason: "list-denied", since: at, remedy };
    const problems = [
      { ...denied, kind: "ImagePolicy", detail: "Lookout may not list imagepolicies (403 Forbidden from k8s)" },
      { ...denied, kind: "ServiceImage", detail: "Lookout may not list serviceimages (403 Forbidden from k8s)" },
    ];
    const body = { at, clusters: [{ name: "prod", lastSyncAt: at, definitionProblems: problems }] };

    expect(await lookout(["cluster", "list"], { "GET /v1/clusters": { body } })).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "CLUSTER   FROM           STATE",
        "prod      lookout.yaml   ✓ synced 40 s ago",
        "",
        "! cluster prod: Lookout may not list imagepolicies (403 Forbidden from k8s), since 19:45 CET (40 s ago)",
        "! cluster prod: Lookout may not list serviceimages (403 Forbidden from k8s), since 19:45 CET (40 s ago)",
        `  ${remedy}`,
      ),
    });
  });

  it("registers a cluster with all its settings", async () => {
    const typed = "cluster add pay --eks pay-1 --eks-region eu-central-1 --role arn:r --allow shop web --deny lab";
    const { exitCode, stdout, asked } = await lookout(typed.split(" "), { "POST /v1/clusters": { body: well } });

    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: lines(
        "✓ Cluster pay is registered. Its first sync starts within a minute.",
        "✓ Lookout has access to cluster pay (kube-system: u-1), with all rights for updates.",
      ),
    });
    expect(asked.map(({ body }) => body)).toEqual([
      {
        name: "pay",
        eks: { name: "pay-1", region: "eu-central-1", roleArn: "arn:r" },
        namespaces: { allow: ["shop", "web"], deny: ["lab"] },
        by: "ana",
      },
    ]);
  });

  it("gives no rights on definitions with a registration, and says what does", async () => {
    const { exitCode, stderr, asked } = await lookout(["cluster", "add", "pay", "--definitions"], {});

    expect({ exitCode, stderr, asked }).toEqual({
      exitCode: 2,
      stderr: lines(
        "✗ A registration gives no rights in the cluster.",
        "  To define the kinds and give the rights:  lookout cluster manifests --definitions | kubectl apply -f -",
      ),
      asked: [],
    });
  });

  it("reports missing rights of a cluster, or why it can't be reached, and fails", async () => {
    const remedy = "Apply it.";
    const check = (body: ClusterCheckView) =>
      lookout(["cluster", "check", "pay"], { "POST /v1/clusters/pay/check": { body } });

    expect(await check({ ...well, missing: ["patch deployments", "list pods"], remedy })).toMatchObject({
      exitCode: 4,
      stdout: lines(
        "! Lookout has access to cluster pay (kube-system: u-1), without these rights: patch deployments, list pods.",
        "  Apply it.",
      ),
    });
    expect(await check({ ...well, excessive: ["read Secrets", "create pods"] })).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "✓ Lookout has access to cluster pay (kube-system: u-1), with all rights for updates.",
        "! Its credential may also read Secrets, create pods, which Lookout never needs.",
        "  To give Lookout its own account:  lookout cluster add pay --context CONTEXT",
      ),
    });
    expect(await check({ ...well, ignored: ["ImagePolicy", "ServiceImage"] })).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "✓ Lookout has access to cluster pay (kube-system: u-1), with all rights for updates.",
        "! The cluster has definitions that Lookout ignores, because it lacks rights on them: ImagePolicy, ServiceImage.",
        "  To use them:  lookout cluster manifests --definitions | kubectl apply -f -",
        "  Or, if lookout cluster add created the account:  lookout cluster add pay --context CONTEXT --definitions",
      ),
    });
    expect(await check({ ...well, unused: ["ImagePolicy", "ServiceImage"] })).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "✓ Lookout has access to cluster pay (kube-system: u-1), with all rights for updates.",
        "! The cluster has the kinds ImagePolicy, ServiceImage, and Lookout ignores their objects.",
        "  To use them:  set definitions: true in lookout.yaml (on AWS, deploy again)",
      ),
    });
    expect(await check({ at, cluster: "pay", missing: [], problem: "no connection" })).toMatchObject({
      exitCode: 3,
      stdout: "✗ Cluster pay can't be reached: no connection\n",
    });
  });

  it("removes a cluster, and syncs a cluster", async () => {
    const answers = {
      "DELETE /v1/clusters/pay?by=ana": { body: { ...clusters, clusters: [] } },
      "POST /v1/clusters/prod/sync": { status: 202, body: { at, cluster: "prod" } },
    };

    expect((await lookout(["cluster", "remove", "pay"], answers)).stdout).toBe(
      "✓ Cluster pay is removed. Its workloads are untracked.\n",
    );
    expect((await lookout(["cluster", "sync", "prod"], answers)).stdout).toBe(
      "✓ A sync of cluster prod has started.\n",
    );
  });

  it.each([
    { verb: "check", route: "POST /v1/clusters/nope/check", message: "no cluster is called nope" },
    { verb: "sync", route: "POST /v1/clusters/nope/sync", message: "no cluster is called nope" },
    { verb: "remove", route: "DELETE /v1/clusters/nope?by=ana", message: "no cluster is registered as nope" },
  ])("shows the known names when $verb gets an unknown name", async ({ verb, route, message }) => {
    const body = problemOf("not-found", message);

    expect(await lookout(["cluster", verb, "nope"], { [route]: { status: 404, body } })).toMatchObject({
      exitCode: 1,
      stderr: lines(`✗ ${message}`, "  To see all clusters:  lookout cluster list"),
    });
  });

  it("of a local process points to lookout.yaml", async () => {
    const message =
      "this Lookout takes its clusters from lookout.yaml: lookout cluster add NAME --context CONTEXT writes an entry";
    const answers = { "POST /v1/clusters": { status: 501, body: problemOf("not-here", message) } };

    expect(await lookout(["cluster", "add", "pay"], answers)).toMatchObject({ exitCode: 1, stderr: `✗ ${message}\n` });
  });
});
