import { beforeEach, describe, expect, it } from "vitest";
import { sweepNow } from "#app/api/repositories";
import { portsWithin } from "#app/api/scoped-ports";
import type { Ports } from "#app/shared/ports";
import { reasons } from "#domain/shared/reasons";
import { minutes, toIso } from "#domain/shared/time";
import { serveApi } from "#runtime/api";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;

beforeEach(async () => {
  lookout = await worldWithApi();
  await lookout.push("shop/web", "2.0.0", { quietly: true });
  await trackApi(lookout);
  lookout.deploy({ name: "web", image: `${host}/shop/web:2.0.0` });
  await lookout.sync();
});

async function ask(method: string, path: string, body?: string): Promise<unknown> {
  const request = new Request(`http://localhost${path}`, { method, ...(body === undefined ? {} : { body }) });
  const response = await serveApi(request, lookout.ports, new AbortController().signal);
  return { status: response.status, answer: await response.json() };
}

/** The ports of a caller who sees all. */
const all = (ports: Ports) => ({ seen: ports, all: ports });

const now = (): string => toIso(lookout.ports.clock.now());

describe("a request to sweep", () => {
  it("reports the result of every repository after its sweep", async () => {
    await lookout.push("shop/api", "1.1.0", { quietly: true });

    expect(await ask("POST", "/v1/sweep")).toEqual({
      status: 200,
      answer: {
        at: now(),
        repositories: [
          { imageName: `${host}/shop/api`, workloads: 1, missed: true },
          { imageName: `${host}/shop/web`, workloads: 1, missed: false },
        ],
        notReached: [],
      },
    });
    await lookout.settle();
    expect((await ask("POST", "/v1/sweep", "{}")) as object).toMatchObject({
      answer: { repositories: [{ missed: false }, { missed: false }] },
    });
  });

  it("sweeps only the named repository", async () => {
    const asked = lookout.registry.calls.tags;

    expect(await ask("POST", "/v1/sweep", JSON.stringify({ imageName: `${host}/shop/web` }))).toMatchObject({
      status: 200,
      answer: { repositories: [{ imageName: `${host}/shop/web`, workloads: 1, missed: false }] },
    });
    expect(lookout.registry.calls.tags).toBe(asked + 1);
  });

  it.each([
    { because: "no workload has an image of it", body: { imageName: "nginx" }, status: 404, code: "not-found" },
    { because: "it has a tag", body: { imageName: `${host}/shop/api:1.0.0` }, status: 400, code: "bad-name" },
    { because: "it is no name", body: { imageName: "Shop/API" }, status: 400, code: "bad-name" },
    { because: "the request is another", body: { repo: "nginx" }, status: 400, code: "bad-request" },
  ])("is refused when $because", async ({ body, status, code }) => {
    expect(await ask("POST", "/v1/sweep", JSON.stringify(body))).toMatchObject({ status, answer: { code } });
  });

  it("is refused with a body that is not JSON", async () => {
    expect(await ask("POST", "/v1/sweep", "{")).toMatchObject({
      status: 400,
      answer: { code: "bad-request" },
    });
  });

  it("names the repositories that were not swept in time", async () => {
    expect(await sweepNow(undefined, all(lookout.ports), AbortSignal.abort())).toEqual({
      at: now(),
      repositories: [],
      notReached: [`${host}/shop/api`, `${host}/shop/web`],
    });
  });

  it("names the repository that was being swept at the timeout", async () => {
    const time = new AbortController();
    const store: typeof lookout.ports.store = {
      ...lookout.ports.store,
      subscribers: (...asked) => {
        time.abort();
        return lookout.ports.store.subscribers(...asked);
      },
    };

    const view = await sweepNow(undefined, all({ ...lookout.ports, store }), time.signal);

    expect(view?.notReached).toEqual([`${host}/shop/api`, `${host}/shop/web`]);
  });
});

describe("a sweep that a caller of one namespace asks for", () => {
  it("finds the missed push of another namespace, keeps its history, and counts only the caller's workloads", async () => {
    const annotations = {
      "lookout.dev/policy": "regex",
      "lookout.dev/tag-pattern": "^main-",
      "lookout.dev/order": "newest",
    };
    const enabled = { "lookout.dev/enabled": "true" };
    const image = `${host}/shop/api:main-1`;
    await lookout.push("shop/api", "main-1", { quietly: true });
    const pay = lookout.deploy({ namespace: "pay", name: "api", image, annotations: { ...enabled, ...annotations } });
    lookout.deploy({ namespace: "lab", name: "api", image: `${host}/shop/api:1.0.0`, annotations: enabled });
    await lookout.sync();
    await lookout.sweep();
    await lookout.pass(minutes(2));
    await lookout.push("shop/api", "main-2", { quietly: true });

    const seen = portsWithin({ namespaces: ["lab"] }, lookout.ports);
    const name = { registry: host, repository: "shop/api" };
    const view = await sweepNow(name, { seen, all: lookout.ports }, new AbortController().signal);
    await lookout.pass(minutes(3));

    expect(view?.repositories).toEqual([{ imageName: `${host}/shop/api`, workloads: 1, missed: true }]);
    expect(lookout.image(pay)).toContain("main-2@");
  });
});

describe("the list of repositories", () => {
  it("shows subscribers, findings of sweeps, and registry failures", async () => {
    expect(await ask("GET", "/v1/repositories")).toEqual({
      status: 200,
      answer: {
        at: now(),
        repositories: [
          { imageName: `${host}/shop/api`, workloads: 1, eventsMissed: 0 },
          { imageName: `${host}/shop/web`, workloads: 1, eventsMissed: 0 },
        ],
      },
    });
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.sweep();
    const lastMissedAt = now();
    lookout.registry.denied(host, true);
    await lookout.sweep();

    const since = now();
    const { sentence, remedy } = reasons["registry-denied"];
    const nextSweepAt = "2026-11-21T10:02:00.000Z";
    const problem = { reason: "registry-denied", sentence, remedy, detail: `${host} answered 401`, since };
    expect(await ask("GET", "/v1/repositories")).toEqual({
      status: 200,
      answer: {
        at: since,
        repositories: [
          {
            imageName: `${host}/shop/api`,
            workloads: 1,
            eventsMissed: 1,
            nextSweepAt,
            lastMissedAt,
            checkedAt: lastMissedAt,
            problem,
          },
          {
            imageName: `${host}/shop/web`,
            workloads: 1,
            eventsMissed: 0,
            nextSweepAt,
            checkedAt: lastMissedAt,
            problem,
          },
        ],
      },
    });
  });
});
