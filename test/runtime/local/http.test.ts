import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerWithin } from "#app/api/scoped-ports";
import { operations } from "#contracts/api/operations";
import { problemOf } from "#contracts/problem";
import { TransientError } from "#ports/errors";
import { FactView, SettingsView } from "#contracts/api/process";
import { eventsIn } from "#cli/event-stream";
import type { Fact } from "#domain/update/events";
import { epochMs, plus, seconds } from "#domain/shared/time";
import type { CopyToRead } from "#runtime/local/backups";
import { openDemo } from "#runtime/local/demo-server";
import { type FactStream, factStream } from "#runtime/local/fact-stream";
import { httpFace } from "#runtime/local/http";
import { summedMetrics, type SummedMetrics } from "#runtime/local/metrics";
import { openShell, type Shell } from "#runtime/local/shell";
import { stateInMemory } from "#test/state";

const apiOperations = Object.values(operations).map(({ method, path }) => ({ method: method.toUpperCase(), path }));
const token = "the token of this test";
const settings = {
  settings: [{ setting: "listen", value: "127.0.0.1:0", source: "flag", place: "--listen" }],
} as const;

let facts: FactStream;
let shell: Shell;
let metrics: SummedMetrics;
let app: ReturnType<typeof httpFace>;
let readCopy: () => CopyToRead;
const copyOfState = (): CopyToRead => ({ bytes: 6, content: new Blob(["a copy"]).stream() });

beforeEach(() => {
  readCopy = copyOfState;
  const clock = { now: () => epochMs(Date.now()) };
  const demo = openDemo(clock);
  const log = { outcome: () => undefined, failure: () => undefined };
  facts = factStream();
  metrics = summedMetrics();
  shell = openShell({
    ports: { clock, ...stateInMemory(), ...demo },
    receivers: demo.receivers,
    log,
    metrics: metrics.port,
    onFact: facts.publish,
  });
  const backups = { read: async () => readCopy() };
  app = httpFace({
    ...{ shell, token, log, settings: () => settings, facts, metrics: metrics.text, backups },
    demoPush: demo.pushTo(shell),
  });
});
afterEach(async () => {
  facts.end();
  await shell.stop(1_000);
});

const ask = (path: string, method = "GET", body?: object): Promise<Response> =>
  Promise.resolve(
    app.request(path, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );

/** The operations that only a stack offers: the clusters of a local process are in lookout.yaml. */
const notOffered: ReadonlySet<string> = new Set(["DELETE /v1/clusters/{cluster}"]);

describe("the local process", () => {
  it.each(apiOperations)("serves $method $path to every caller with the token", async ({ method, path }) => {
    const real = path.replaceAll(/\{\w+\}/g, "x");
    const unproved = await app.request(real, { method });
    const { status, body } = await ask(real, method);
    // A missing body is a 400, and an unknown name is a 404.
    const said = status === 200 ? "" : await new Response(body).text();

    expect(unproved.status).toBe(401);
    expect(notOffered.has(`${method} ${path}`) ? [501] : [200, 202, 400, 404]).toContain(status);
    expect(said).not.toContain(`there is no ${method}`);
    facts.end();
  });

  it("accepts the token's scheme in either case, and no other scheme", async () => {
    const status = async (authorization: string): Promise<number> =>
      (await app.request("/v1/workloads", { headers: { authorization } })).status;

    expect([await status(`bearer ${token}`), await status(token), await status(`Basic ${token}`)]).toEqual([
      200, 401, 401,
    ]);
  });

  it("has no unlisted path under /v1", () => {
    const own = app.routes.filter(({ path }) => path.startsWith("/v1/") && !path.endsWith("*"));
    const listed: readonly string[] = apiOperations.map(({ method, path }) => `${method} ${path}`);

    expect(own.length).toBeGreaterThan(2);
    expect(own.map(({ method, path }) => `${method} ${path}`).filter((route) => !listed.includes(route))).toEqual([]);
  });

  it("sends a copy of its state, or the reason why there is none", async () => {
    const answer = await ask("/v1/state/file");
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("content-length")]).toEqual([
      ...[200, "application/vnd.sqlite3"],
      "6",
    ]);
    expect(await answer.text()).toBe("a copy");
    readCopy = () => {
      throw new TransientError("the disk is full");
    };

    const refused = await ask("/v1/state/file");
    expect([refused.status, await refused.json()]).toEqual([
      503,
      problemOf("try-again", "Lookout can't copy its state: the disk is full"),
    ]);
  });

  it("shows its settings", async () => {
    const answer: unknown = await (await ask("/v1/configuration")).json();

    expect(SettingsView.parse(answer)).toEqual(settings);
    expect(answer).toEqual(settings);
  });

  it("streams each published fact in the form of its schema, until the process stops", async () => {
    const response = await ask("/v1/events");
    await shell.start();
    await ask("/v1/demo/push", "POST", { image: "shop/api:1.3.0" });
    const names: string[] = [];
    for await (const data of eventsIn(response.body!)) {
      const fact: unknown = JSON.parse(data);
      expect(FactView.parse(fact)).toEqual(fact);
      const { name, workload, seq } = fact as Fact;
      if (workload.name === "api" && seq === 1) names.push(name);
      if (name === "RolloutSucceeded") facts.end();
    }

    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(names).toEqual([
      "UpdateReleased",
      "RolloutPrepared",
      "RolloutStarted",
      "WorkloadRunning",
      "RolloutSucceeded",
    ]);
  });
});

describe("a stream of facts", () => {
  const fact = {
    id: "u/1/2/UpdateHeld",
    name: "UpdateHeld",
    workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
    at: epochMs(0),
    reasons: [],
    changes: [],
  } as never as Fact;

  it("ends for a listener that left", async () => {
    const gone = new AbortController();
    const written: string[] = [];
    const following = facts.follow(async (text) => written.push(text), gone.signal);
    facts.publish(fact);
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await following;
    facts.publish(fact);

    expect(written.join("")).toContain("id: u/1/2/UpdateHeld\nevent: UpdateHeld\ndata: {");
    expect(written.join("").match(/^id:/gm)).toHaveLength(1);
  });

  it("sends a fact as its listener may see it, or not at all", async () => {
    const gone = new AbortController();
    const written: string[] = [];
    const wait = (namespace: string) => ({
      reason: "tier-pending",
      detail: `dev: dev/${namespace}/deployment/api has not run 1.5.0`,
      member: { tier: "dev", workload: `dev/${namespace}/deployment/api` },
    });
    const of = (namespace: string) => ({ ...fact, reasons: [wait(namespace)] }) as never as Fact;
    const following = facts.follow(
      async (text) => written.push(text),
      gone.signal,
      (one) => (one.id === "hidden" ? undefined : answerWithin({ namespaces: ["shop"] }, one)),
    );
    for (const one of [of("shop"), of("secret"), { ...fact, id: "hidden" } as Fact]) facts.publish(one);
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await following;

    const told = [...written.join("").matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as object);
    expect(told).toMatchObject([
      { reasons: [wait("shop")] },
      { reasons: [{ reason: "tier-pending", detail: "dev: another member", member: { tier: "dev" } }] },
    ]);
    expect(written.join("")).not.toMatch(/secret|hidden/);
  });

  it("ends for a listener that does not read, and continues for other listeners", async () => {
    const stuck = facts.follow(() => new Promise(() => undefined), new AbortController().signal);
    const written: string[] = [];
    const listening = facts.follow(async (text) => written.push(text), new AbortController().signal);
    for (let index = 0; index <= 10_000; index += 1) {
      facts.publish(fact);
      if (index % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await stuck;
    facts.end();
    await listening;

    expect(written.join("").match(/^id:/gm)!.length).toBeGreaterThan(5_000);
  });

  it("shows its metrics, and the registries' breakers and limits, to every caller with the token", async () => {
    const { repositories, registryLimits, clock } = shell.ports;
    const now = clock.now();
    await repositories.write({ registry: "ghcr.io", repository: "shop/api", missed: 0 });
    const lastFailure = { detail: "answered 503", at: now };
    const open = { version: 1, state: "open", since: now, until: plus(now, seconds(60)), lastFailure } as const;
    await registryLimits.writeBreaker("ghcr.io", open, now);
    metrics.port.add("RegistryRefusals", 1, { registry: "ghcr.io" });
    metrics.port.add("RegistryRefusals", 1);
    metrics.port.add("ReleasedToPatchedMs", 250);

    expect((await app.request("/metrics")).status).toBe(401);
    expect(await (await ask("/metrics")).text()).toBe(
      [
        "# TYPE lookout_registry_refusals_total counter",
        "lookout_registry_refusals_total 2",
        "# TYPE lookout_released_to_patched_seconds summary",
        "lookout_released_to_patched_seconds_sum 0.25",
        "lookout_released_to_patched_seconds_count 1",
        "# TYPE lookout_registry_breaker_state gauge",
        'lookout_registry_breaker_state{registry="ghcr.io"} 2',
        "# TYPE lookout_registry_tokens_left gauge",
        'lookout_registry_tokens_left{registry="ghcr.io"} 20',
        "# TYPE lookout_registry_tokens_leased gauge",
        'lookout_registry_tokens_leased{registry="ghcr.io"} 0',
        "# TYPE lookout_registry_paused gauge",
        'lookout_registry_paused{registry="ghcr.io"} 0',
        "",
      ].join("\n"),
    );
  });
});
