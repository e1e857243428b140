import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type * as z from "zod";
import { operations } from "#contracts/api/operations";
import { ProblemView } from "#contracts/api/schema";
import { problemOf } from "#contracts/problem";
import { plus, seconds, toIso } from "#domain/shared/time";
import { api, serveApi } from "#runtime/api";
import { host, type World, world } from "#test/app/world";
import { handOn } from "#test/hand-on";

type Operation = Exclude<keyof typeof operations, "followFacts" | "backUpState">;
/** An operation, and how it is asked for. */
type Asked = [operation: Operation, method: string, path: string, body?: object];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

let lookout: World;
const name = "/v1/workloads/prod/shop/deployment";

/** Asks the real server over the world's memory. */
async function ask(path: string, method = "GET", body?: unknown): Promise<Answer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const init = body === undefined ? { method } : { method, body: text };
  const request = new Request(`http://localhost${path}`, init);
  await handOn(lookout.ports);
  const response = await serveApi(request, lookout.ports, new AbortController().signal);
  return { status: response.status, body: await response.json() };
}

/** A workload that runs, one that was rolled back, one that is held, one with a problem. */
beforeAll(async () => {
  lookout = world();
  for (const one of ["api", "web", "held", "odd"]) await lookout.push(`shop/${one}`, "1.0.0", { quietly: true });
  const deploy = (one: string, annotations = {}): string =>
    lookout.deploy({ name: one, image: `${host}/shop/${one}:1.0.0`, annotations });
  deploy("api");
  deploy("web");
  deploy("held", { "lookout.dev/maintenance-window": "02:00-03:00" });
  deploy("odd", { "lookout.dev/semver-range": ">>1" });
  await lookout.pass(seconds(2));
  await lookout.sync();
  await lookout.push("shop/api", "1.1.0");
  await lookout.push("shop/web", "1.1.0", { crashes: true });
  await lookout.push("shop/held", "1.1.0");
  await lookout.pass(seconds(5));
  await lookout.push("shop/held", "1.2.0");
  await lookout.pass(seconds(60));
});

const frozen = { scope: "prod/pay", why: "the year ends", by: "ana", until: "2027-01-02T00:00:00Z", force: true };
const quarantined = { digest: `sha256:${"a".repeat(64)}`, why: "CVE-2026-1234", by: "ana" };

describe("an answer of the API", () => {
  it.each([
    ["listWorkloads", "GET", "/v1/workloads"],
    ["readWorkload", "GET", `${name}/api`],
    ["readWorkload", "GET", `${name}/web`],
    ["readWorkload", "GET", `${name}/odd`],
    ["explainWorkload", "GET", `${name}/api/explanation`],
    ["explainWorkload", "GET", `${name}/web/explanation`],
    ["explainWorkload", "GET", `${name}/held/explanation`],
    ["mayVote", "GET", `${name}/held/approval?decision=reject&update=1`],
    ["readDecisions", "GET", `${name}/held/decisions`],
    ["readUpdate", "GET", `${name}/web/updates/1`],
    ["listUpdates", "GET", "/v1/updates"],
    ["listClusters", "GET", "/v1/clusters"],
    ["readCluster", "GET", "/v1/clusters/prod"],
    ["putInQuarantine", "POST", "/v1/quarantine", quarantined],
    ["listQuarantine", "GET", "/v1/quarantine"],
    ["liftQuarantine", "DELETE", `/v1/quarantine/${quarantined.digest}`],
    ["listRepositories", "GET", "/v1/repositories"],
    ["sweepNow", "POST", "/v1/sweep"],
    ["listRegistries", "GET", "/v1/registries"],
    ["resumeRegistry", "POST", `/v1/registries/${host}/resume`],
    ["freeze", "POST", "/v1/freezes", frozen],
    ["listFreezes", "GET", "/v1/freezes"],
    ["liftFreeze", "DELETE", "/v1/freezes/prod%2Fpay"],
    ["freeze", "POST", "/v1/freezes", frozen],
    ["liftFreeze", "DELETE", "/v1/freezes/prod/pay"],
    ["unblockWorkload", "POST", `${name}/web/unblock`],
    ["examine", "GET", "/v1/doctor"],
    ["examineCluster", "GET", "/v1/doctor/clusters/prod"],
    ["exportState", "GET", "/v1/state?history=true"],
    ["readProbe", "GET", "/v1/doctor/probes/e-1"],
  ] satisfies readonly Asked[])(
    "to %s (%s %s) has exactly the members of its schema",
    async (...[operation, ...asked]: Asked) => {
      const { status, body: answer } = await ask(asked[1], asked[0], asked[2]);
      const schema = answerOf(operation);

      expect(status).toBe(200);
      expect(schema.parse(answer)).toEqual(answer);
    },
  );

  it("to the resume of a registry has the ended pauses, and the next has none", async () => {
    const { clock, ports } = lookout;
    const pause = { since: clock.now(), until: plus(clock.now(), seconds(30)), detail: "answered 429" };
    await ports.registryLimits.writePauses(host, { version: 1, registry: pause, repositories: [] }, clock.now());
    const resume = () => ask(`/v1/registries/${host}/resume`, "POST");

    const view = { ...pause, since: toIso(pause.since), until: toIso(pause.until) };
    expect(await resume()).toMatchObject({ status: 200, body: { ended: [view], breaker: "unchanged" } });
    expect(await resume()).toMatchObject({ status: 200, body: { ended: [], breaker: "unchanged", repositories: 0 } });
    expect(await ask("/v1/registries/nope.test/resume", "POST")).toMatchObject({ status: 404 });
  });

  it.each([
    { path: "/v1/workloads?limit=0", says: "limit: expected a whole number from 1 to 1000" },
    { path: "/v1/workloads?limit=many", says: "limit: expected a whole number from 1 to 1000" },
    { path: "/v1/workloads?namspace=shop", says: "namspace: is not known here; did you mean namespace?" },
    { path: "/v1/state?history=yes", says: "history: expected true or false" },
    { path: `${name}/api/updates/first`, says: "the number of an update is a whole number from 1" },
    { path: `${name}/api/approval?update=0`, says: "update: the number of an update is a whole number from 1" },
    { path: `${name}/api/approval?decision=veto`, says: "decision: expected approve or reject" },
    { path: "/v1/workloads/prod/shop/pod/api", says: "name a workload as cluster/namespace/kind/name" },
  ])("to $path names the fault of the request", async ({ path, says }) => {
    const { status, body } = await ask(path);

    const problem = ProblemView.parse(body);
    expect({ status, problem }).toEqual({ status: 400, problem: problemOf(problem.code, says) });
  });

  it.each(["/v1/freezes", "/v1/quarantine", "/v1/sweep"])(
    "to %s reports a body that is not JSON, or too large",
    async (path) => {
      expect(await ask(path, "POST", "{")).toEqual({
        status: 400,
        body: problemOf("bad-request", "the body is not JSON"),
      });
      expect(await ask(path, "POST", "x".repeat(16_385))).toEqual({
        status: 413,
        body: problemOf("request-too-large", "a request may hold 16384 bytes"),
      });
    },
  );

  it("accepts JSON under any content type, as curl sends it", async () => {
    const body = JSON.stringify({ ...quarantined, digest: `sha256:${"b".repeat(64)}` });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const request = new Request("http://localhost/v1/quarantine", { method: "POST", body, headers });
    const { status } = await serveApi(request, lookout.ports, new AbortController().signal);

    expect(status).toBe(200);
  });

  it("names each faulty part of a request", async () => {
    expect(await ask("/v1/freezes", "POST", { scope: "*", why: "", who: "ana" })).toEqual({
      status: 400,
      body: problemOf(
        "bad-request",
        "why: is empty; by: expected 1 to 200 printable characters, and not only spaces; who: is not known here; did you mean why?",
      ),
    });
  });

  it.each([
    { path: "/v1//workloads", status: 404 },
    { path: "/V1/workloads", status: 404 },
    { path: "/v1%2fworkloads", status: 404 },
    { path: `${name}%2fapi`, status: 404 },
    { path: "/v1/workloads", method: "HEAD", status: 200 },
    { path: "/v1/workloads", method: "OPTIONS", status: 404 },
    { path: "/v1/workloads", method: "PUT", status: 404 },
  ])("to $method $path has the status $status", async ({ path, method = "GET", status }) => {
    const request = new Request(`http://localhost${path}`, { method });

    expect((await serveApi(request, lookout.ports, new AbortController().signal)).status).toBe(status);
  });

  it.each([
    { path: `${name}/nobody`, says: "prod/shop/deployment/nobody is not tracked" },
    { path: `${name}/api/updates/9`, says: "prod/shop/deployment/api has no known update 9" },
    { path: "/v1/clusters/other", says: "no cluster is called other" },
    { path: "/v1/nothing", says: "the API has no GET /v1/nothing" },
  ])("to $path names the missing item", async ({ path, says }) => {
    expect(await ask(path)).toEqual({ status: 404, body: problemOf("not-found", says) });
  });

  it.each(["/v1/configuration", "/v1/events"])(
    "to %s reports that this Lookout does not have the operation",
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 501, body: { code: "not-here" } });
    },
  );
});

describe("a reader of the API", () => {
  const keysOf = ({ body }: Answer): readonly string[] =>
    (body as { readonly workloads: readonly { readonly workload: string }[] }).workloads.map(
      ({ workload }) => workload.split("/").at(-1) ?? "",
    );
  const nextOf = ({ body }: Answer): string => (body as { readonly next?: string }).next ?? "";

  it("reads workloads page by page, each once", async () => {
    const first = await ask("/v1/workloads?limit=3");
    const second = await ask(`/v1/workloads?limit=3&after=${encodeURIComponent(nextOf(first))}`);

    expect([keysOf(first), keysOf(second)]).toEqual([["api", "held", "odd"], ["web"]]);
    expect(nextOf(second)).toBe("");
  });

  it("reads updates page by page, the newest first", async () => {
    const seen: string[] = [];
    let after = "";
    do {
      const page = await ask(`/v1/updates?limit=1${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`);
      const { updates } = page.body as { readonly updates: readonly { workload: string; seq: number }[] };
      seen.push(...updates.map(({ workload, seq }) => `${workload.split("/").at(-1) ?? ""} ${seq}`));
      after = nextOf(page);
    } while (after !== "");
    const whole = (await ask("/v1/updates")).body as { readonly updates: readonly { selectedAt: string }[] };
    const selected = whole.updates.map(({ selectedAt }) => selectedAt);

    expect(seen.toSorted()).toEqual(["api 1", "held 2", "web 1"]);
    expect(selected).toEqual(selected.toSorted().reverse());
  });

  it.each([
    { asks: "state=held", gets: ["held"] },
    { asks: "state=problem", gets: ["odd"] },
    { asks: "namespace=shop&cluster=prod&state=up-to-date", gets: ["api", "web"] },
    { asks: "namespace=pay", gets: [] },
    { asks: "cluster=stage", gets: [] },
  ])("gets only the workloads with $asks", async ({ asks, gets }) => {
    expect(keysOf(await ask(`/v1/workloads?${asks}`))).toEqual(gets);
  });

  it("gets one update with its decisions, even after a newer update", async () => {
    const open = (await ask(`${name}/held/updates/2`)).body;
    const past = (await ask(`${name}/held/updates/1`)).body as { decisions: readonly { seq: number; what: string }[] };

    expect(open).toMatchObject({ seq: 2, update: { status: "held" }, decisions: [{ seq: 2, what: "held" }] });
    expect(past.decisions.map(({ seq, what }) => [seq, what])).toEqual([
      [1, "superseded"],
      [1, "held"],
    ]);
  });

  it("gets a history from an instant on", async () => {
    const whole = (await ask(`${name}/api/decisions`)).body as { decisions: readonly { at: string; what: string }[] };
    const [last] = whole.decisions;
    const late = whole.decisions.filter(({ at }) => at >= last!.at);

    expect(late.length).toBeLessThan(whole.decisions.length);
    expect((await ask(`${name}/api/decisions?since=${last!.at}`)).body).toEqual({ ...whole, decisions: late });
  });
});

describe("the API document", () => {
  it("is published", async () => {
    const published = readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8");

    expect(await ask("/v1/openapi.json")).toEqual({ status: 200, body: JSON.parse(published) as unknown });
  });

  it("has exactly the served paths", () => {
    const served = api.routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}")}`);
    const listed = Object.values(operations).map(({ method, path }) => `${method.toUpperCase()} ${path}`);

    // The demo has one more, in the one process.
    expect(listed.filter((route) => !served.includes(route))).toEqual(["POST /v1/demo/push"]);
    expect(served.filter((route) => !route.startsWith("ALL ") && !listed.includes(route))).toEqual([]);
  });
});

function answerOf(operation: Operation): z.ZodType {
  const { responses } = operations[operation];
  return (200 in responses ? responses[200] : responses[202]).content["application/json"].schema;
}
