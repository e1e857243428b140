import { afterEach, describe, expect, it } from "vitest";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import { definitionKinds } from "#domain/definitions/definition";
import type { StatusPatch } from "#ports/cluster";
import { apiServer, sendJson } from "./api-server.ts";

const { signal } = new AbortController();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Sent {
  readonly status: number;
  readonly body: unknown;
}

/** Returns a cluster whose server answers each path, and the paths that were asked. */
async function clusterWith(answer: (path: string) => Sent) {
  const paths: string[] = [];
  const server = await apiServer((request, response) => {
    const path = (request.url ?? "").replace(/\?.*/, "");
    paths.push(path);
    const { status, body } = answer(path);
    sendJson(response, status, body);
  });
  const cluster = clusterOfContext({ name: "prod", kubeConfig: server.kubeConfig });
  closing.push(
    () => cluster.close(),
    () => server.close(),
  );
  return { cluster, paths, host: server.host };
}

const notFound: Sent = { status: 404, body: "404 page not found" };
const empty: Sent = { status: 200, body: { metadata: { resourceVersion: "9" }, items: [] } };
const forbidden: Sent = { status: 403, body: { kind: "Status", reason: "Forbidden", message: "no" } };
const groups: Sent = { status: 200, body: { groups: [] } };

const policies = "/apis/operator.technomad.dev/v1alpha1/imagepolicies";
const services = "/apis/services.azurehealthcareapis.com/v1alpha1/serviceimages";
const registries = "/apis/registry.lookout.dev/v1alpha1/imageregistries";

describe("the definitions of a cluster", () => {
  it("cost one request for each kind that was absent before", async () => {
    const { cluster, paths } = await clusterWith(() => notFound);

    expect(await cluster.definitions(definitionKinds, signal)).toEqual({
      ...{ objects: [], absent: definitionKinds, unlisted: [], troubles: [] },
    });
    expect(paths).toEqual([policies, services, registries]);
  });

  it("are absent for the first time only if the API server says so, and not a proxy", async () => {
    const asked = (says: Sent) =>
      clusterWith((path) =>
        path === "/apis" ? says : path === policies || path.endsWith("/v1alpha1") ? notFound : empty,
      );
    const well = await asked(groups);
    const proxy = await asked(notFound);

    expect(await well.cluster.definitions([], signal)).toMatchObject({ absent: ["ImagePolicy"], unlisted: [] });
    expect(await proxy.cluster.definitions([], signal)).toMatchObject({ absent: [], unlisted: ["ImagePolicy"] });
  });

  it("that may not be listed are named, and the others count", async () => {
    const { cluster, host } = await clusterWith((path) => (path === services ? forbidden : empty));

    expect(await cluster.definitions([], signal)).toEqual({
      ...{ objects: [], absent: [], unlisted: ["ServiceImage"] },
      troubles: [
        {
          ...{ kind: "ServiceImage", reason: "list-denied" },
          detail: `Lookout may not list serviceimages (403 Forbidden from ${host})`,
        },
      ],
    });
  });

  it("that give no answer are named, and the others count", async () => {
    const item = { metadata: { namespace: "shop", name: "hub", uid: "u", resourceVersion: "1" }, spec: {} };
    const one: Sent = { status: 200, body: { metadata: { resourceVersion: "9" }, items: [item] } };
    const failed: Sent = { status: 500, body: { kind: "Status", reason: "InternalError", message: "canary" } };
    const { cluster, host } = await clusterWith((path) =>
      path === services ? failed : path === registries ? one : empty,
    );
    const list = await cluster.definitions([], signal);

    expect(list.objects.map(({ name }) => name)).toEqual(["hub"]);
    expect(list).toMatchObject({
      ...{ absent: [], unlisted: ["ServiceImage"] },
      troubles: [
        {
          ...{ kind: "ServiceImage", reason: "list-failed" },
          detail: `Lookout could not list serviceimages (500 InternalError from ${host})`,
        },
      ],
    });
  });

  it("count up to 5,000 of a kind, and the list says so", async () => {
    const items = Array.from({ length: 5_001 }, (_, index) => {
      const name = `p-${String(index).padStart(4, "0")}`;
      return { metadata: { namespace: "shop", name, uid: name, resourceVersion: "1" }, spec: {} };
    });
    const body = { metadata: { resourceVersion: "9" }, items };
    const { cluster } = await clusterWith((path) => (path === policies ? { status: 200, body } : empty));
    const list = await cluster.definitions([], signal);

    expect(list).toMatchObject({
      troubles: [
        {
          ...{ kind: "ImagePolicy", reason: "too-many" },
          detail:
            "the cluster has 5,001 objects of the kind ImagePolicy: only the first 5,000 by namespace and name count",
        },
      ],
    });
    expect([list.objects.length, list.objects.at(-1)?.name]).toEqual([5_000, "p-4999"]);
  });
});

it("the rights in a cluster name its kinds of definitions", async () => {
  const kinds: Sent = { status: 200, body: { resources: [{ name: "imageregistries" }] } };
  const allowed: Sent = { status: 201, body: { status: { allowed: true } } };
  const { cluster } = await clusterWith((path) =>
    path.startsWith("/apis/authorization") ? allowed : path.startsWith("/apis/registry") ? kinds : notFound,
  );

  expect(await cluster.rights(signal)).toMatchObject({ kind: "rights", missing: [], definitions: ["ImageRegistry"] });
});

describe("a patch of a status", () => {
  const patch: StatusPatch = {
    ...{ kind: "ImagePolicy", namespace: "shop", name: "web", uid: "u", resourceVersion: "1" },
    status: {},
  };
  const status = (code: number, reason: string, message: string, details?: object): Sent => ({
    status: code,
    body: { kind: "Status", reason, message, ...(details && { details }) },
  });
  const by = "ValidatingAdmissionPolicy 'lookout-images-only' with binding 'x' denied request: canary";

  it.each<{ what: string; sent: Sent; outcome: object }>([
    { what: "an object that changed", sent: status(422, "Invalid", "canary", {}), outcome: { kind: "changed" } },
    {
      what: "an object that is gone",
      sent: status(404, "NotFound", "", { name: "web" }),
      outcome: { kind: "changed" },
    },
    {
      what: "a missing right",
      sent: status(403, "Forbidden", "canary"),
      outcome: {
        kind: "denied",
        detail: "Lookout may not patch the status of imagepolicies (403 Forbidden from HOST)",
      },
    },
    {
      what: "an admission policy",
      sent: status(422, "Invalid", by, { causes: [{ message: "canary" }] }),
      outcome: {
        kind: "denied",
        detail: "ValidatingAdmissionPolicy lookout-images-only denies patches of the status of imagepolicies",
      },
    },
    {
      what: "another form of the kind",
      sent: status(422, "Invalid", "canary", { causes: [{ field: "status.conditions", message: "canary" }] }),
      outcome: {
        kind: "invalid",
        detail: "the API server refuses fields of the status of imagepolicies: status.conditions",
      },
    },
    {
      what: "a failing webhook",
      sent: status(500, "InternalError", "canary"),
      outcome: {
        kind: "unreachable",
        detail: "Lookout could not patch the status of imagepolicies (500 InternalError from HOST)",
      },
    },
  ])("tells of $what, without the server's message", async ({ sent, outcome }) => {
    const { cluster, host } = await clusterWith(() => sent);
    const found = await cluster.patchStatus(patch, signal);

    expect(JSON.parse(JSON.stringify(found).replaceAll(host, "HOST"))).toEqual(outcome);
  });
});
