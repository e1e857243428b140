import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import type { Cluster } from "#ports/cluster";
import { apiServer, sendJson } from "./api-server.ts";

const signal = new AbortController().signal;
const deployments = "/apis/apps/v1/deployments";
const mebibyte = 1_024 * 1_024;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Writes a Deployment whose one variable has so many characters. */
function deployment(namespace: string, index: number, characters: number): string {
  const env = [{ name: "BIG", value: "x".repeat(characters) }];
  const name = `d-${String(index).padStart(4, "0")}`;
  const annotations = { "lookout.dev/enabled": "true", note: "y".repeat(characters / 10) };
  return JSON.stringify({
    metadata: { name, namespace, uid: `u-${name}`, generation: 1, labels: { team: "x" }, annotations },
    spec: { template: { metadata: {}, spec: { containers: [{ name: "app", image: "r/a:1", env }] } } },
  });
}

/** An API server with these Deployments, and the limits of the pages that it was asked for. */
async function clusterWith(objects: readonly string[]): Promise<{ cluster: Cluster; limits: readonly number[] }> {
  const limits: number[] = [];
  const page = (url: URL, response: ServerResponse): void => {
    const from = Number(url.searchParams.get("continue") ?? 0);
    const limit = Number(url.searchParams.get("limit"));
    limits.push(limit);
    const end = from + limit;
    const next = end < objects.length ? String(end) : "";
    response.write(`{"metadata":{"resourceVersion":"9","continue":"${next}"},"items":[`);
    const parts = objects.slice(from, end).values();
    let isFirst = true;
    const more = (): void => {
      for (const part of parts) {
        const comma = isFirst ? "" : ",";
        isFirst = false;
        if (!response.write(comma + part)) return void response.once("drain", more);
      }
      response.end("]}");
    };
    more();
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "", "http://cluster");
    if (url.pathname === deployments) page(url, response);
    else sendJson(response, 200, { metadata: { resourceVersion: "9" }, items: [] });
  };
  const server = await apiServer(answer);
  const cluster = clusterOfContext({ name: "prod", kubeConfig: server.kubeConfig });
  closing.push(
    () => cluster.close(),
    () => server.close(),
  );
  return { cluster, limits };
}

describe("a list of large objects", () => {
  it("is read in shorter pages, so that one namespace hides no other", async () => {
    const large = Array.from({ length: 80 }, (_, index) => deployment("hostile", index, mebibyte));
    const { cluster, limits } = await clusterWith([...large, deployment("shop", 80, 10)]);

    const list = await cluster.list(undefined, signal);

    const live = list.kind === "workloads" ? list.live : [];
    expect(live.map(({ workload }) => workload.namespace)).toEqual([...Array<string>(80).fill("hostile"), "shop"]);
    expect(limits).toEqual([500, 250, 125, 62, 31, 15, ...Array<number>(12).fill(7)]);
  });

  it("keeps only the compared fields of each object", async () => {
    const { cluster } = await clusterWith([deployment("hostile", 0, mebibyte)]);

    const list = await cluster.list(undefined, signal);

    expect(list.kind === "workloads" ? list.live : list).toEqual([
      {
        workload: { cluster: "prod", namespace: "hostile", kind: "Deployment", name: "d-0000" },
        uid: "u-d-0000",
        generation: 1,
        annotations: { "lookout.dev/enabled": "true" },
        labels: { team: "x" },
        existingMaps: { labels: true, annotations: true, templateAnnotations: false, templateLabels: false },
        containers: [{ list: "containers", index: 0, name: "app", image: "r/a:1" }],
      },
    ]);
  });
});
