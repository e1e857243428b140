import { describe, expect, it } from "vitest";
import { operations, type Operations } from "#contracts/api/operations";
import type { ApprovalsView } from "#contracts/api/approvals";
import type { HistoryView } from "#contracts/api/history";
import type { Ports } from "#app/shared/ports";
import { hours, minutes, plus, seconds, toIso } from "#domain/shared/time";
import { exportSchema } from "#contracts/api/transfer";
import { serveApi } from "#runtime/api";
import { memoryCluster } from "#test/model/world/cluster-hands";
import { stateInMemory } from "#test/state";
import { type Approving, bothOfShop, path, rulesOf, startApproving } from "./approving.ts";

type Name = keyof Operations;

/** Operations that change something, and are no act of a person about versions, rights or stops. */
const noActs: Partial<Readonly<Record<Name, string>>> = {
  checkCluster: "it only asks a cluster",
  checkRegistry: "it only asks a registry",
  testChannel: "it only sends a harmless message",
  syncCluster: "it looks earlier than the schedule does",
  repairRows: "it writes derived rows again, and decides nothing",
  sweepNow: "it looks earlier than the schedule does",
  resumeRegistry: "it ends a pause that Lookout chose, and the schedule would end it too",
  sendSyntheticPush: "it tests the way of a push, and names an image that nobody has",
  pushToDemo: "it pushes to the registry of the demo, as a build would",
};

interface Request {
  readonly path: string;
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An act of a person: what comes before it, and the request. */
interface Act {
  readonly what: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly request: (bed: Approving, ports: Ports) => Request | Promise<Request>;
  readonly about: Readonly<Record<string, unknown>>;
}

const digest = `sha256:${"d".repeat(64)}`;
const why = "incident 4711";
const asked = `by=ana&why=${encodeURIComponent(why)}`;
const free = { "lookout.dev/approval-required": "false" };
const workload = "prod/shop/deployment/api";

async function voteRequest(bed: Approving, decision: string): Promise<Request> {
  const { lookout } = bed;
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(5));
  const { uid, version, update, bindingHash } = await bed.pending();
  const body = { update, bindingHash, why };
  return { path: `${path}/${decision}`, body, headers: { "if-match": `${uid}/${version}` } };
}

const acts: Partial<Readonly<Record<Name, Act>>> = {
  approve: {
    what: "approve",
    request: (bed) => voteRequest(bed, "approval"),
    about: { workload, update: 1, provedBy: "token" },
  },
  reject: {
    what: "reject",
    request: (bed) => voteRequest(bed, "rejection"),
    about: { workload, update: 1, provedBy: "token", ended: "rejected" },
  },
  askForApproval: {
    what: "ask-again",
    async request(bed) {
      const { path: where, body, headers } = await voteRequest(bed, "rejection");
      await bed.ask(where, { person: "ana", ...(body && { body }), ...(headers && { headers }) });
      await bed.lookout.pass(seconds(5));
      return { path: `${path}/approval-request`, body: { by: "ana", why } };
    },
    about: { workload, provedBy: "token" },
  },
  unblockWorkload: {
    what: "unblock",
    annotations: free,
    async request({ lookout }) {
      await lookout.push("shop/api", "1.1.0", { broken: true });
      await lookout.pass(minutes(15));
      return { path: `${path}/unblock`, body: { by: "ana", why } };
    },
    about: { workload, provedBy: "token" },
  },
  release: {
    what: "release",
    annotations: free,
    async request({ lookout }) {
      const observe = { clusters: [], observe: [] };
      Object.assign(lookout.ports.rules, { observe: { ...observe, mode: "observe" } });
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(minutes(1));
      Object.assign(lookout.ports.rules, { observe });
      return { path: "/v1/releases", body: { scope: workload, past: ["observe"], by: "ana", why } };
    },
    about: { workload, update: 1, provedBy: "token" },
  },
  setVersion: {
    what: "set",
    annotations: free,
    async request({ lookout }) {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(minutes(5));
      return { path: `${path}/version`, body: { version: "1.0.0", by: "ana", why } };
    },
    about: { workload },
  },
  rollBack: {
    what: "rollback",
    annotations: free,
    async request({ lookout }) {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(minutes(5));
      return { path: `${path}/rollback`, body: { by: "ana", why } };
    },
    about: { workload },
  },
  skipTag: {
    what: "skip",
    request: () => ({ path: `${path}/skips`, body: { tag: "1.1.0", by: "ana", why } }),
    about: { workload },
  },
  suspendWorkload: {
    what: "suspend",
    request: () => ({ path: `${path}/suspension`, body: { by: "ana", why } }),
    about: { workload },
  },
  resumeWorkload: {
    what: "resume",
    async request(bed) {
      await bed.ask(`${path}/suspension`, { body: { by: "ben", why: "a test" } });
      return { path: `${path}/resumption`, body: { by: "ana", why } };
    },
    about: { workload },
  },
  retryWorkload: {
    what: "retry",
    annotations: free,
    async request({ lookout }) {
      await lookout.push("shop/api", "1.1.0", { broken: true });
      await lookout.pass(minutes(15));
      return { path: `${path}/retry`, body: { by: "ana", why } };
    },
    about: { workload },
  },
  freeze: {
    what: "freeze",
    request: () => ({ path: "/v1/freezes", body: { scope: "prod/shop", by: "ana", why } }),
    about: { scope: "prod/shop", provedBy: "token" },
  },
  liftFreeze: {
    what: "unfreeze",
    async request({ lookout: { ports, clock } }) {
      await ports.freezes.put({ scope: { cluster: "prod" }, by: "ben", why: "sale", at: clock.now() });
      return { path: `/v1/freezes/prod?${asked}`, method: "DELETE" };
    },
    about: { scope: "prod", provedBy: "token" },
  },
  putInQuarantine: {
    what: "quarantine",
    request: () => ({ path: "/v1/quarantine", body: { digest, by: "ana", why } }),
    about: { subject: digest, provedBy: "token" },
  },
  liftQuarantine: {
    what: "lift-quarantine",
    async request({ lookout: { ports, clock } }) {
      await ports.quarantine.add({ digest, by: "ben", why: "bad", at: clock.now() });
      return { path: `/v1/quarantine/${digest}?${asked}`, method: "DELETE" };
    },
    about: { subject: digest, provedBy: "token" },
  },
  createToken: {
    what: "create-token",
    request: () => ({ path: "/v1/tokens", body: { name: "eva", role: "viewer", why } }),
    about: { subject: "eva", provedBy: "token" },
  },
  revokeToken: {
    what: "revoke-token",
    async request({ lookout: { clock } }, { tokens }) {
      const marks = { id: "a".repeat(12), hash: "a".repeat(64) };
      const token = { name: "eva", role: "viewer", createdBy: "ben", createdAt: clock.now(), ...marks } as const;
      await tokens?.replace(undefined, token);
      return { path: `/v1/tokens/eva?${asked}`, method: "DELETE" };
    },
    about: { subject: "eva", provedBy: "token" },
  },
  addCluster: {
    what: "register-cluster",
    request: () => ({ path: "/v1/clusters", body: { name: "pay", eks: { name: "pay-1" }, by: "ana", why } }),
    about: { scope: "pay", provedBy: "token" },
  },
  removeCluster: {
    what: "remove-cluster",
    async request({ lookout: { ports, clock } }) {
      await ports.registrations.put({ name: "pay", eks: { name: "pay-1" }, by: "ben", at: clock.now() });
      return { path: `/v1/clusters/pay?${asked}`, method: "DELETE" };
    },
    about: { scope: "pay", provedBy: "token" },
  },
  importState: {
    what: "import",
    async request({ lookout: { ports, clock } }) {
      const installation = await ports.store.readInstallation();
      const at = toIso(clock.now());
      const header = { lookout: "export", schemaVersion: exportSchema, installation, version: "1", clusters: [], at };
      return { path: "/v1/state", body: { header, firstLine: 2, by: "ana", why, rows: [] } };
    },
    about: { subject: "abc123", provedBy: "token" },
  },
};

/** Opens a Lookout that registers clusters and has personal tokens. */
async function open(annotations?: Readonly<Record<string, string>>) {
  const bed = await startApproving(rulesOf(bothOfShop), annotations);
  const { clock } = bed.lookout;
  const ports: Ports = {
    ...bed.lookout.ports,
    tokens: stateInMemory().tokens,
    registering: { configured: ["prod"], reach: ({ eks }) => memoryCluster({ name: eks.name, clock }) },
  };
  const send = async ({ path: where, body, method, headers = {} }: Request) => {
    const init = {
      method: method ?? (body === undefined ? "GET" : "POST"),
      ...(body && { body: JSON.stringify(body) }),
    };
    const proof = { "x-lookout-person": "token of ana", ...headers };
    const request = new Request(`http://localhost${where}`, { ...init, headers: proof });
    const response = await serveApi(request, ports, new AbortController().signal);
    return { status: response.status, body: await response.json() };
  };
  const history = async (query = "") =>
    ((await send({ path: `/v1/history?limit=100${query}` })).body as HistoryView).rows;
  return { bed, ports, send, history };
}

describe("the history has", () => {
  it("a place for each operation that changes something: it is an act, or it is on the list of others", () => {
    const changing = Object.entries(operations).flatMap(([name, { method }]) => (method === "get" ? [] : [name]));
    expect([...Object.keys(acts), ...Object.keys(noActs)].sort()).toEqual(changing.sort());
  });

  it.each(Object.entries(acts))("exactly one row of %s, with who, why and when", async (_, act) => {
    const { bed, ports, send, history } = await open(act.annotations);
    const request = await act.request(bed, ports);
    await bed.lookout.pass(seconds(7));
    const before = new Set((await history()).map(({ id }) => id));
    const now = toIso(bed.lookout.clock.now());

    expect((await send(request)).status).toBe(200);
    await bed.lookout.settle();

    const rows = (await history()).filter(({ id, by }) => !before.has(id) && by !== undefined);
    expect(rows).toEqual([expect.objectContaining({ at: now, what: act.what, by: "ana", why, ...act.about })]);
    // The decisions about the workload name the person too.
    if (act.about["workload"] !== undefined)
      expect((await history(`&of=${encodeURIComponent(workload)}&by=ana`)).map(({ what }) => what)).toContain(act.what);
  });
});

describe("the history tells", () => {
  it("that a freeze has ended by itself, once, whoever asks", async () => {
    const { bed, send, history } = await open();
    const until = plus(bed.lookout.clock.now(), hours(1));
    await send({ path: "/v1/freezes", body: { scope: "prod", by: "ana", why, until: toIso(until) } });
    await bed.lookout.pass(hours(2));

    await history();
    const rows = (await history()).filter(({ scope }) => scope === "prod");
    expect(rows).toMatchObject([
      { what: "unfreeze", by: "lookout", at: toIso(until), why: "its end has passed; ana had set it" },
      { what: "freeze", by: "ana", detail: `until ${toIso(until)}` },
    ]);
    expect(rows).toHaveLength(2);
  });

  it("of a change of the mode in lookout.yaml, once", async () => {
    const { bed, history } = await open();
    await bed.lookout.sweep();
    Object.assign(bed.lookout.ports.rules, { observe: { clusters: [{ name: "prod", mode: "observe" }], observe: [] } });
    await bed.lookout.sweep();
    await bed.lookout.sweep();

    expect((await history()).filter(({ what }) => what === "change-mode")).toMatchObject([
      { by: "lookout.yaml", scope: "*", detail: "Lookout observes cluster prod; before, it observed nowhere" },
    ]);
  });

  it("of a vote by an annotation, with the person whom the annotation names", async () => {
    const entry = { ...bothOfShop, needed: 1, byAnnotation: true };
    const bed = await startApproving(rulesOf(entry));
    await bed.lookout.push("shop/api", "1.1.0");
    await bed.lookout.pass(seconds(5));
    const { approvals } = (await bed.ask("/v1/approvals")).body as unknown as ApprovalsView;
    const [image] = approvals[0]!.images;
    bed.lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/approved-by": "ana", "lookout.dev/approved-image": `1.1.0@${image!.digest}` },
    );
    await bed.lookout.sync();
    await bed.lookout.pass(seconds(30));

    const { rows } = (await bed.ask("/v1/history?what=approve")).body as unknown as HistoryView;
    expect(rows).toMatchObject([{ what: "approve", by: "ana", provedBy: "annotation", workload, update: 1 }]);
  });

  it("of an ended update, and by its push, its workload, its number and its digest what led to it", async () => {
    const { bed, history, send } = await open(free);
    const pushed = await bed.lookout.push("shop/api", "1.1.0");
    await bed.lookout.pass(minutes(5));

    const [ended] = await history("&what=succeeded");
    expect(ended).toMatchObject({ what: "succeeded", ended: "succeeded", workload, update: 1, reasons: [] });
    expect(ended).not.toHaveProperty("by");
    const chain = ["succeeded", "running", "patched", "patching", "released"];
    for (const of of [ended!.correlationId!, `${workload}#1`, pushed, ended!.id])
      expect(
        (await history(`&of=${encodeURIComponent(of)}`)).map(({ what }) => what),
        of,
      ).toEqual(chain);
    const { facts } = bed.lookout;
    const fact = facts.find(({ name }) => name === "RolloutStarted")!;
    expect((await history(`&of=${encodeURIComponent(fact.id)}`)).map(({ what }) => what)).toEqual(chain);
    expect(await send({ path: "/v1/history?of=unheard-of" })).toMatchObject({
      status: 404,
      body: { code: "not-found" },
    });
  });

  it("nothing about another list with a cursor, and nothing by a page of 1,001", async () => {
    const { send } = await open();
    for (const scope of ["prod", "prod/shop", "prod/web"])
      await send({ path: "/v1/freezes", body: { scope, by: "ana", why, force: true } });
    const first = (await send({ path: "/v1/history?limit=2" })).body as HistoryView;
    const after = encodeURIComponent(first.next!);

    expect(((await send({ path: `/v1/history?limit=2&after=${after}` })).body as HistoryView).rows).toHaveLength(1);
    expect(await send({ path: `/v1/history?limit=2&by=ana&after=${after}` })).toMatchObject({
      status: 400,
      body: { detail: "after belongs to a list with other filters: leave out after" },
    });
    expect((await send({ path: "/v1/history?limit=1001" })).status).toBe(400);
  });

  it("a token with a scope only of its namespaces", async () => {
    const { bed, send } = await open(free);
    await bed.lookout.push("shop/api", "1.1.0");
    await bed.lookout.pass(minutes(5));
    for (const scope of ["*", "prod/shop", "prod/web"])
      await send({ path: "/v1/freezes", body: { scope, by: "ana", why, force: true } });
    await send({ path: "/v1/tokens", body: { name: "eva", role: "viewer", why } });
    const answers = async (namespaces: readonly string[]) => {
      const access = { role: "viewer", scope: { namespaces } } as const;
      const read = async (where: string) => (await bed.ask(where, { access })).body as unknown;
      const rows = (await read("/v1/history?limit=100")) as HistoryView;
      const images = (await read("/v1/images")) as { readonly images: readonly unknown[] };
      const chain = await read(`/v1/history?of=${encodeURIComponent(`${workload}#1`)}`);
      return [rows.rows.map((row) => row.workload ?? row.scope ?? row.subject), images.images.length, chain] as const;
    };

    expect(await answers(["shop"])).toMatchObject([
      ["prod/shop", "*", workload],
      1,
      { rows: expect.any(Array) as unknown },
    ]);
    expect(await answers(["web"])).toMatchObject([["prod/web", "*"], 0, { code: "not-found" }]);
  });
});

describe("a digest", () => {
  it("has the workloads that run it, that ran it, and its path", async () => {
    const { bed, send } = await open(free);
    const { lookout } = bed;
    await lookout.pass(minutes(1));
    const first = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));
    const between = toIso(lookout.clock.now());
    const second = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(5));

    const read = async (named: string, at = "") => (await send({ path: `/v1/digests/${named}${at}` })).body;
    const run = (update: number) => ({ workload, container: "app", update });
    expect(await read(second.slice(0, 19))).toMatchObject({
      digest: second,
      images: ["registry.test/shop/api:1.2.0"],
      runs: [run(2)],
      ran: [],
      path: expect.arrayContaining([
        expect.objectContaining({ what: "seen" }),
        expect.objectContaining({ what: "selected", workload, update: 2 }),
      ]) as unknown,
    });
    expect(await read(first)).toMatchObject({ runs: [], ran: [run(1)] });
    expect(await read(first, `?at=${between}`)).toMatchObject({ runs: [run(1)], ran: [] });
    expect(await read(digest)).toMatchObject({ code: "not-found" });
    expect(await read("1.2.0")).toMatchObject({ code: "bad-request" });
    expect((await send({ path: "/v1/images?q=api:1.2" })).body).toMatchObject({
      images: [{ ...run(2), digest: second }],
    });
    expect((await send({ path: "/v1/images?q=api:1.1" })).body).toMatchObject({ images: [] });
  });
});
