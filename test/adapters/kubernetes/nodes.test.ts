import { afterEach, describe, expect, it } from "vitest";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import { apiServer, sendJson } from "./api-server.ts";

const { signal } = new AbortController();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listFrom(status: number, items: readonly unknown[]) {
  const paths: string[] = [];
  const server = await apiServer((request, response) => {
    paths.push(request.url ?? "");
    sendJson(response, status, status === 200 ? { metadata: { resourceVersion: "9" }, items } : { kind: "Status" });
  });
  const cluster = clusterOfContext({ name: "prod", kubeConfig: server.kubeConfig });
  closing.push(
    () => cluster.close(),
    () => server.close(),
  );
  const list = await cluster.nodes({ labels: ["zone"], names: [] }, signal);
  return { list, paths, host: server.host };
}

describe("the nodes of a cluster", () => {
  it("are listed with their platform, their taints and the requested labels", async () => {
    const labels = { "kubernetes.io/arch": "arm64", "kubernetes.io/os": "linux", zone: "a", other: "x" };
    const taints = [{ key: "spot", value: "yes", effect: "NoSchedule", timeAdded: "2026-03-02T12:00:00Z" }];
    const info = { nodeInfo: { operatingSystem: "linux", architecture: "amd64" } };
    const { list, paths } = await listFrom(200, [
      { metadata: { name: "one", labels }, spec: { taints }, status: info },
      { metadata: { name: "two", labels }, spec: {}, status: {} },
    ]);

    expect(list).toEqual({
      kind: "nodes",
      nodes: [
        {
          name: "one",
          os: "linux",
          architecture: "amd64",
          labels: { zone: "a" },
          taints: [{ key: "spot", value: "yes", effect: "NoSchedule" }],
        },
        { name: "two", os: "linux", architecture: "arm64", labels: { zone: "a" }, taints: [] },
      ],
    });
    expect(paths).toEqual(["/api/v1/nodes?limit=500"]);
  });

  it.each([{}, { metadata: { name: "new" } }, { metadata: { name: "new", labels: {} }, status: {} }, null])(
    "leave out a node without a platform: %j",
    async (item) => {
      expect((await listFrom(200, [item])).list).toEqual({ kind: "nodes", nodes: [] });
    },
  );

  it("are denied without the right to list them", async () => {
    const { list, host } = await listFrom(403, []);

    expect(list).toMatchObject({ kind: "denied", detail: expect.stringContaining(`list nodes`) as unknown });
    expect(list).toMatchObject({ detail: expect.stringContaining(host) as unknown });
  });
});
