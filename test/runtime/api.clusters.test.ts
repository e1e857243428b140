import { beforeEach, describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import type { RefusalCode } from "#contracts/refusals";
import { memoryCluster } from "#test/model/world/cluster-hands";
import type { Ports } from "#app/shared/ports";
import { ClusterCheckView } from "#contracts/api/clusters";
import { seconds, toIso } from "#domain/shared/time";
import type { OutgoingCommand } from "#ports/messaging";
import type { Cluster } from "#ports/cluster";
import { serveApi } from "#runtime/api";
import { begins, type World, worldWithApi } from "#test/app/world";

let lookout: World;
let ports: Ports;
let sent: OutgoingCommand[];
/** What EKS clusters are behind the names that EKS has for them. */
let behind: Map<string, Cluster>;

beforeEach(async () => {
  lookout = await worldWithApi();
  sent = [];
  const { clock } = lookout.ports;
  behind = new Map(["pay-1", "stage-1"].map((name) => [name, memoryCluster({ name, clock })]));
  ports = {
    ...lookout.ports,
    queues: { send: async (sendings) => void sent.push(...sendings) },
    registering: {
      configured: lookout.ports.clusters.names(),
      reach: ({ eks }) => behind.get(eks.name) ?? memoryCluster({ name: eks.name, clock }),
    },
  };
});

async function ask(method: string, path: string, body?: unknown, asked = ports) {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await serveApi(new Request(`http://localhost${path}`, init), asked, new AbortController().signal);
  return { status: response.status, body: await response.json() };
}

const refused = (status: number, code: RefusalCode, detail: string) => ({ status, body: problemOf(code, detail) });
const pay = { name: "pay", eks: { name: "pay-1", region: "eu-central-1" }, by: "ana" };

describe("a registered cluster", () => {
  it("is checked first, and synced after every function knows the cluster", async () => {
    const { status, body } = await ask("POST", "/v1/clusters", pay);

    expect({ status, body: ClusterCheckView.parse(body) }).toEqual({
      status: 200,
      body: { at: toIso(begins), cluster: "pay", identity: expect.any(String) as unknown, missing: [] },
    });
    expect(sent).toEqual([
      { command: { name: "SyncCluster", id: `added:${String(begins)}`, cluster: "pay" }, delay: seconds(30) },
    ]);
    expect(await ports.registrations.list()).toEqual([{ ...pay, at: begins }]);
  });

  it("is refused with the reason when it can't be reached", async () => {
    const away = memoryCluster({ name: "pay-1", clock: ports.clock });
    away.deny(true);
    behind.set("pay-1", away);

    expect(await ask("POST", "/v1/clusters", pay)).toEqual(
      refused(
        409,
        "cluster-not-registered",
        "pay is not registered, because it gives no answer: 403 Forbidden from pay-1",
      ),
    );
    expect([await ports.registrations.list(), sent]).toEqual([[], []]);
  });

  it("is refused under a second name", async () => {
    const identity = await behind.get("pay-1")?.identity(new AbortController().signal);
    const uid = identity?.kind === "identity" ? identity.uid : "";
    await ports.clusterStates.write({ name: "prod", identity: uid });

    expect(await ask("POST", "/v1/clusters", pay)).toEqual(
      refused(409, "cluster-not-registered", "pay is the same cluster as prod, which Lookout already has"),
    );
  });

  it("must not have the name of another cluster", async () => {
    await ask("POST", "/v1/clusters", pay);

    expect(await ask("POST", "/v1/clusters", { ...pay, eks: { name: "stage-1" } })).toEqual(
      refused(
        409,
        "cluster-not-registered",
        "pay is already registered. To change it, first remove it: lookout cluster remove pay",
      ),
    );
    expect(await ask("POST", "/v1/clusters", { ...pay, name: "prod" })).toEqual(
      refused(409, "from-configuration", "prod is a cluster of lookout.yaml: change it there, and deploy"),
    );
  });

  it("is removed once, but a cluster of lookout.yaml is never removed", async () => {
    await ask("POST", "/v1/clusters", pay);

    expect((await ask("DELETE", "/v1/clusters/pay")).status).toBe(200);
    expect(await ask("DELETE", "/v1/clusters/pay")).toEqual(
      refused(404, "not-found", "no cluster is registered as pay"),
    );
    expect(await ask("DELETE", "/v1/clusters/prod")).toEqual(
      refused(409, "from-configuration", "prod is a cluster of lookout.yaml: remove it there, and deploy"),
    );
  });

  it("is rejected with invalid keys", async () => {
    expect(await ask("POST", "/v1/clusters", { ...pay, eks: { name: "arn:aws:eks" } })).toEqual(
      refused(
        400,
        "bad-request",
        "eks.name: the name of an EKS cluster: at most 100 letters, digits, dashes and underscores",
      ),
    );
  });

  it("is refused by a process with clusters of lookout.yaml", async () => {
    const { registering: _, ...local } = ports;
    const message =
      "this Lookout takes its clusters from lookout.yaml: lookout cluster add NAME --context CONTEXT writes an entry";

    expect(await ask("POST", "/v1/clusters", pay, local)).toEqual(refused(501, "not-here", message));
    expect(await ask("DELETE", "/v1/clusters/prod", undefined, local)).toEqual(refused(501, "not-here", message));
  });
});

describe("a cluster", () => {
  it("is checked with its identity and its missing rights", async () => {
    expect(await ask("POST", "/v1/clusters/prod/check")).toEqual({
      status: 200,
      body: { at: toIso(begins), cluster: "prod", identity: expect.any(String) as unknown, missing: [] },
    });

    const cluster = ports.clusters.cluster("prod");
    const lacking: Cluster = {
      ...(cluster ?? memoryCluster({ name: "prod", clock: ports.clock })),
      rights: async () => ({ kind: "rights", missing: ["patch deployments"] }),
    };
    const asked = { ...ports, clusters: { names: () => ["prod"], cluster: () => lacking } };
    expect((await ask("POST", "/v1/clusters/prod/check", undefined, asked)).body).toMatchObject({
      missing: ["patch deployments"],
      remedy: "Apply the output of `lookout cluster manifests` to the cluster, with kubectl.",
    });
  });

  it("is synced on request", async () => {
    expect(await ask("POST", "/v1/clusters/prod/sync")).toEqual({
      status: 202,
      body: { at: toIso(begins), cluster: "prod" },
    });
    expect(sent).toEqual([{ command: { name: "SyncCluster", id: `asked:${String(begins)}`, cluster: "prod" } }]);
  });

  it.each(["check", "sync"])("that is unknown is refused: %s", async (what) => {
    expect(await ask("POST", `/v1/clusters/nowhere/${what}`)).toEqual(
      refused(404, "not-found", "no cluster is called nowhere"),
    );
  });
});
