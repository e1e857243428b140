import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import type { WorkloadPatch } from "#domain/workload/patch";
import { epochMs } from "#domain/shared/time";
import { apiServer, sendJson } from "./api-server.ts";

type Handler = Parameters<typeof apiServer>[0];

const signal = new AbortController().signal;
const deployments = "/apis/apps/v1/deployments";
const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
const object = {
  metadata: { name: "api", namespace: "shop", uid: "u-1", generation: 1, resourceVersion: "5" },
  spec: { template: { metadata: {}, spec: { containers: [{ name: "app", image: "r/a:1" }] } } },
};
const patch: WorkloadPatch = {
  workload,
  uid: "u-1",
  generation: 1,
  existingMaps: { labels: false, annotations: false, templateAnnotations: false, templateLabels: false },
  images: [],
  updateLabel: { from: undefined, to: "abcdef-1" },
  annotations: {},
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function clusterAt(answer: Handler) {
  const server = await apiServer(answer);
  const cluster = clusterOfContext({ name: "prod", kubeConfig: server.kubeConfig });
  closing.push(
    () => cluster.close(),
    () => server.close(),
  );
  return { cluster, host: server.host };
}

/** Answers with so many mebibytes of blanks, and a text after them. */
function mebibytes(count: number, end = ""): Readable {
  const piece = Buffer.alloc(1_024 * 1_024, " ");
  return Readable.from([...Array.from({ length: count }, () => piece), Buffer.from(end)]);
}

describe("a connection to an API server", () => {
  it("is shared by calls in a row", async () => {
    const sockets = new Set<unknown>();
    const { cluster } = await clusterAt((request, response) => {
      sockets.add(request.socket);
      sendJson(response, 200, object);
    });

    for (let read = 0; read < 20; read += 1) await cluster.read(workload, signal);

    expect(sockets.size).toBe(1);
  });

  it("sends a JSON Patch, with the field manager and the escapes of Go", async () => {
    const seen: unknown[] = [];
    const { cluster } = await clusterAt((request, response) => {
      seen.push(request.method, request.url, request.headers["content-type"], request.headers["user-agent"]);
      request.setEncoding("utf8").on("data", (text) => seen.push(text));
      request.on("end", () => sendJson(response, 200, object));
    });

    const unchangedAnnotations = { range: ">=1 <2" };
    const existingMaps = { ...patch.existingMaps, annotations: true };
    expect((await cluster.patch({ ...patch, existingMaps, unchangedAnnotations }, signal)).kind).toBe("written");
    expect(seen).toEqual([
      "PATCH",
      "/apis/apps/v1/namespaces/shop/deployments/api?fieldManager=lookout",
      "application/json-patch+json",
      "lookout",
      expect.stringContaining(String.raw`"/metadata/annotations","value":{"range":"\u003e=1 \u003c2"}`),
    ]);
  });

  it("repeats a read after a kept connection closed, and never a patch", async () => {
    const methods: (string | undefined)[] = [];
    const { cluster } = await clusterAt((request, response) => {
      methods.push(request.method);
      if (methods.length === 1 || request.method === "PATCH") request.socket.destroy();
      else sendJson(response, 200, object);
    });

    expect(await cluster.read(workload, signal)).toMatchObject({ kind: "found" });
    expect(await cluster.patch(patch, signal)).toMatchObject({ kind: "unknown" });
    expect(methods).toEqual(["GET", "GET", "PATCH"]);
  });

  it("rejects an answer of more than 64 MiB, also uncompressed", async () => {
    const { cluster, host } = await clusterAt((request, response) => {
      if (request.url?.startsWith(deployments)) {
        response.writeHead(200, { "content-encoding": "gzip" });
        mebibytes(65)
          .pipe(createGzip({ level: 1 }))
          .pipe(response);
      } else mebibytes(65, JSON.stringify(object)).pipe(response);
    });
    const detail = `no answer from ${host} (ERR_BUFFER_TOO_LARGE): the answer is longer than 64 MiB, check the proxies in front of the server`;

    expect(await cluster.read(workload, signal)).toEqual({ kind: "unreachable", detail });
    expect(await cluster.list(undefined, signal)).toEqual({ kind: "unreachable", detail });
  });

  it("reports an unknown outcome when a patch's connection was cut", async () => {
    const { cluster, host } = await clusterAt((request) => void request.socket.destroy());

    expect(await cluster.patch(patch, signal)).toEqual({
      kind: "unknown",
      detail: `no answer from ${host} (UND_ERR_SOCKET)`,
    });
    expect(await cluster.read(workload, signal)).toMatchObject({ kind: "unreachable" });
  });

  it("reports an unknown outcome when a patch was cancelled in flight", async () => {
    const stop = new AbortController();
    const { cluster, host } = await clusterAt(() => stop.abort());

    expect(await cluster.patch(patch, stop.signal)).toEqual({
      kind: "unknown",
      detail: `no answer from ${host} (AbortError)`,
    });
    expect(await cluster.patch(patch, stop.signal)).toEqual({
      kind: "unreachable",
      detail: `the request to ${host} was stopped before it was sent`,
    });
  });

  it("does not send a patch when its gates were evaluated too long ago", async () => {
    let requests = 0;
    const { cluster } = await clusterAt((_, response) => {
      requests += 1;
      sendJson(response, 200, object);
    });

    expect(await cluster.patch({ ...patch, sendBy: epochMs(Date.now() - 1) }, signal)).toEqual({ kind: "read-again" });
    expect(requests).toBe(0);
    expect((await cluster.patch({ ...patch, sendBy: epochMs(Date.now() + 60_000) }, signal)).kind).toBe("written");
  });

  it.each([
    { page: "a login page", text: "<html>" },
    { page: "an empty page", text: "" },
    { page: "null", text: "null" },
    { page: "a text", text: '"hello"' },
    { page: "other JSON", text: '{"items":{},"metadata":{"resourceVersion":"9"}}' },
  ])("reports that $page is no Kubernetes API", async ({ text }) => {
    const { cluster, host } = await clusterAt((_, response) => void response.writeHead(200).end(text));
    const refused = { kind: "unreachable", detail: `${host} does not answer as a Kubernetes API (200)` };

    expect(await cluster.identity(signal)).toEqual(refused);
    expect(await cluster.list(undefined, signal)).toEqual(refused);
    expect(await cluster.read(workload, signal)).toEqual(refused);
  });

  it("does not take a proxy's 404 for a deleted workload", async () => {
    const { cluster, host } = await clusterAt((_, response) => void response.writeHead(404).end("<html>"));

    expect(await cluster.read(workload, signal)).toEqual({
      kind: "unreachable",
      detail: `Lookout could not get deployments (404 from ${host})`,
    });
  });
});

const page = (items: readonly object[], more: object = {}) => ({ metadata: { resourceVersion: "9", ...more }, items });
const position = '{"Deployment":"9","StatefulSet":"9","DaemonSet":"9","CronJob":"9"}';

describe("a list", () => {
  it("fails when a later page is missing", async () => {
    const { cluster } = await clusterAt((request, response) =>
      request.url?.includes("continue=")
        ? sendJson(response, 500, { reason: "InternalError" })
        : sendJson(response, 200, page([object], { continue: "next" })),
    );

    expect(await cluster.list(undefined, signal)).toMatchObject({ kind: "unreachable" });
  });

  it("starts again when the server dropped the first page", async () => {
    let expired = 0;
    const { cluster } = await clusterAt((request, response) => {
      const url = request.url ?? "";
      if (!url.startsWith(deployments)) sendJson(response, 200, page([]));
      else if (!url.includes("continue=")) sendJson(response, 200, page([object], { continue: "next" }));
      else if (expired++ === 0) sendJson(response, 410, { reason: "Expired" });
      else sendJson(response, 200, page([]));
    });

    expect(await cluster.list(undefined, signal)).toMatchObject({
      kind: "workloads",
      complete: true,
      live: [{ uid: "u-1" }],
      position,
    });
  });

  it("is complete when a watch reports a too old position in its answer", async () => {
    const { cluster } = await clusterAt((request, response) => {
      if (!request.url?.includes("watch=")) sendJson(response, 200, page([]));
      else response.end(`${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410 } })}\n`);
    });

    expect(await cluster.list(position, signal)).toEqual({
      kind: "workloads",
      complete: true,
      live: [],
      deleted: [],
      position,
    });
  });

  it("has the last of several changes, and continues from the last bookmark", async () => {
    const event = (type: string, version: string, name = "api") =>
      `${JSON.stringify({ type, object: { ...object, metadata: { ...object.metadata, name, resourceVersion: version } } })}\n`;
    const { cluster } = await clusterAt((request, response) => {
      if (!request.url?.startsWith(deployments)) response.end();
      else {
        response.write(event("MODIFIED", "10") + event("DELETED", "11") + event("ADDED", "12").slice(0, 20));
        response.write(event("ADDED", "12").slice(20) + event("DELETED", "13", "old"));
        response.end(`${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "20" } } })}\n`);
      }
    });

    const answer = await cluster.list(position, signal);

    expect(answer).toMatchObject({
      complete: false,
      live: [{ workload }],
      deleted: [{ ...workload, name: "old" }],
      position: '{"Deployment":"20","StatefulSet":"9","DaemonSet":"9","CronJob":"9"}',
    });
  });
});
