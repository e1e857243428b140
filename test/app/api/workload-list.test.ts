import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { examine, repairRows } from "#app/api/doctor";
import { publishChanges } from "#app/notify/state-changed";
import type { WorkloadsView } from "#contracts/api/workloads";
import { epochMs, minutes, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { serveApi } from "#runtime/api";
import { deployment, firstRecord, nextRecord } from "#test/contracts/records";
import { handOn } from "#test/hand-on";
import { host, type World, world } from "../world.ts";

let lookout: World;
let api: string;
beforeEach(async () => {
  lookout = world();
  for (const name of ["api", "web", "odd", "jobs"]) await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
  const deploy = (name: string, namespace: string, annotations = {}, labels = {}): string =>
    lookout.deploy({ name, namespace, image: `${host}/shop/${name}:1.0.0`, annotations, labels });
  api = deploy("api", "shop", { "lookout.dev/maintenance-window": "02:00-03:00" }, { tier: "web", team: "shop" });
  deploy("web", "shop", {}, { tier: "web" });
  deploy("odd", "lab", { "lookout.dev/semver-range": ">>1" });
  deploy("jobs", "lab", {}, { tier: "jobs" });
  await lookout.pass(seconds(2));
  await lookout.sync();
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(5));
});

const get = async (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  serveApi(
    new Request(`http://localhost/v1/workloads?${query}`, { headers }),
    lookout.ports,
    new AbortController().signal,
  );
const list = async (query: string): Promise<WorkloadsView> => (await (await get(query)).json()) as WorkloadsView;
const names = ({ rows }: WorkloadsView): readonly string[] => rows.map(({ workload }) => workload.split("/")[3] ?? "");

describe("the list of workloads", () => {
  it("has a row of each workload with what a list shows, and no whole workload", async () => {
    const view = await list("view=row");
    const { row } = { row: view.rows.find(({ workload }) => workload === api) };
    const { pending } = await lookout.record(api);

    expect(view).toMatchObject({ workloads: [], total: 4, counts: { held: 1, problem: 1, "up-to-date": 2 } });
    expect(row).toEqual({
      workload: api,
      labels: { team: "shop", tier: "web" },
      runs: [
        {
          ...{ container: "app", image: `${host}/shop/api:1.0.0`, imageName: `${host}/shop/api`, tag: "1.0.0" },
          ...{ digest: expect.stringContaining("sha256:") as string, policy: expect.any(String) as string },
        },
      ],
      wants: [
        {
          ...{ container: "app", imageName: `${host}/shop/api`, tag: "1.1.0", digest: pending?.changes[0]?.digest },
          image: pending?.changes[0]?.to,
        },
      ],
      state: "held",
      why: expect.objectContaining({ reason: "window-closed" }) as object,
      reasonCount: 1,
      until: expect.any(String) as string,
      since: new Date(pending?.selectedAt ?? 0).toISOString(),
      version: expect.any(Number) as number,
    });
  });

  it("says in its row what is wrong with an annotation", async () => {
    const [row] = (await list("view=row&state=problem")).rows;
    expect(row?.why).toMatchObject({
      reason: "problem-in-settings",
      detail: expect.stringContaining('lookout.dev/semver-range ">>1"') as string,
    });
  });

  it.each([
    { query: "", gets: ["jobs", "odd", "api", "web"] },
    { query: "namespace=shop", gets: ["api", "web"] },
    { query: "cluster=stage", gets: [] },
    { query: "state=held,problem", gets: ["odd", "api"] },
    { query: "image=shop/w", gets: ["web"] },
    { query: "q=shop/deployment", gets: ["api", "web"] },
    { query: "selector=tier%3Dweb,!team", gets: ["web"] },
    { query: "sort=state", gets: ["odd", "api", "jobs", "web"] },
  ])("gets with $query the rows $gets", async ({ query, gets }) => {
    expect(names(await list(`view=row&${query}`))).toEqual(gets);
  });

  it("counts all states that fit the other filters, whatever state is asked for", async () => {
    expect(await list("view=row&namespace=shop&state=held")).toMatchObject({
      total: 1,
      counts: { held: 1, "up-to-date": 1 },
    });
  });

  it.each(["name", "state", "since"])("has pages by %s, in which each workload is once", async (sort) => {
    const seen: string[] = [];
    for (let after = ""; ;) {
      const page = await list(`view=row&limit=1&sort=${sort}${after}`);
      seen.push(...names(page));
      if (page.next === undefined) break;
      after = `&after=${page.next}`;
    }
    expect(seen.toSorted()).toEqual(["api", "jobs", "odd", "web"]);
  });

  it.each([
    { query: "limit=1001", says: "limit: expected a whole number from 1 to 1000" },
    { query: "state=hold", says: 'no state is called "hold"; did you mean held? (up-to-date, newer-skipped, held,' },
    { query: "selector=a>1", says: 'selector: "a>1" is no part of a label selector: expected KEY=VALUE' },
    { query: "after=prod%2Fx", says: "after: it is of another list: pass the next of the page before" },
    { query: "sort=age", says: "sort: expected" },
  ])("refuses $query, and says what is possible", async ({ query, says }) => {
    const response = await get(query);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { readonly detail: string }).detail).toContain(says);
  });

  it("refuses the place of a page of another query", async () => {
    const { next } = await list("view=row&limit=1&namespace=shop");
    expect((await get(`view=row&limit=1&namespace=shop&after=${next}`)).status).toBe(200);
    expect((await get(`view=row&limit=1&namespace=lab&after=${next}`)).status).toBe(400);
    expect((await get(`view=row&limit=1&namespace=shop&sort=since&after=${next}`)).status).toBe(400);
  });

  it("shows a problem while a repository can't be read, without a new row, and none after", async () => {
    const { registry, repository } = { registry: host, repository: "shop/web" };
    const state = await lookout.ports.repositories.read({ registry, repository });
    const problem = {
      reason: "registry-denied",
      detail: "answered 403",
      since: epochMs(5_000),
      at: epochMs(6_000),
    } as const;
    await lookout.ports.repositories.write({ ...state, registry, repository, missed: 0, problem });
    const [row] = (await list("view=row&q=web")).rows;
    await lookout.ports.repositories.write({ registry, repository, missed: 0 });

    expect(row).toMatchObject({
      state: "problem",
      since: "1970-01-01T00:00:05.000Z",
      why: { reason: "registry-denied" },
    });
    expect((await list("view=row&q=web")).rows).toMatchObject([{ state: "up-to-date", reasonCount: 0 }]);
  });

  it("is compressed for who accepts it", async () => {
    const response = await get("view=row", { "accept-encoding": "gzip" });
    const plain = await get("view=row");

    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(JSON.parse(gunzipSync(await response.arrayBuffer()).toString())).toEqual(await plain.json());
  });

  it("answers 304 until something changes, whatever the time is", async () => {
    const etag = (await get("view=row")).headers.get("etag") ?? "";
    lookout.clock.turn(seconds(10));
    const same = await get("view=row", { "if-none-match": etag });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(5));

    expect({ status: same.status, body: await same.text() }).toEqual({ status: 304, body: "" });
    expect((await get("view=row", { "if-none-match": etag })).status).toBe(200);
  });

  it("has no row of a workload that is no longer tracked", async () => {
    lookout.cluster.remove({ namespace: "shop", kind: "Deployment", name: "web" });
    await lookout.sync();
    expect(names(await list("view=row"))).toEqual(["jobs", "odd", "api"]);
  });

  it("finds a workload by a label that changed alone, without a decision about it", async () => {
    const before = await lookout.ports.ledger.read(api, 100);
    const container = { name: "app", image: `${host}/shop/api:1.0.0` };
    lookout.cluster.apply({
      kind: "Deployment",
      metadata: { namespace: "shop", name: "api", labels: { tier: "edge" } },
      spec: { replicas: 3, template: { spec: { containers: [container] } } },
    });
    await lookout.sync();

    expect(names(await list("view=row&selector=tier%3Dedge"))).toEqual(["api"]);
    expect(await lookout.ports.ledger.read(api, 100)).toEqual(before);
  });
});

describe("rows", () => {
  const change = (record: WorkloadRecord) => ({ id: String(record.version), record });
  const first = firstRecord(deployment("late"));
  const second = nextRecord(first, { observed: { ...first.observed, labels: { version: "2" } } });
  const third = nextRecord(second, { observed: { ...first.observed, labels: { version: "3" } } });
  const ended = nextRecord(third, { tracked: false });
  const key = workloadKey(first.workload);
  const late = async () => (await list("view=row&q=late")).rows;

  it.each([
    { what: "doubled", batches: [[first], [first], [second, second], [third]] },
    { what: "late", batches: [[third], [second], [first]] },
    { what: "lost, but the last", batches: [[third]] },
    { what: "mixed in one batch", batches: [[third, first, second]] },
  ])("end with the last version when changes come $what", async ({ batches }) => {
    for (const batch of batches) await publishChanges(batch.map(change), lookout.ports);
    expect(await late()).toMatchObject([{ version: 3, labels: { version: "3" } }]);
  });

  it("show the record after a late change between two equal versions", async () => {
    const stop = { by: "ana", why: "load test", at: first.changedAt };
    const stopped = nextRecord(first, { suspension: stop });
    const { suspension: _, ...resumed } = nextRecord(stopped, {});
    for (const one of [first, stopped, resumed]) await lookout.ports.store.write(one);
    for (const one of [first, resumed, stopped]) await publishChanges([change(one)], lookout.ports);
    expect((await late())[0]).not.toMatchObject({ state: "suspended" });
  });

  it("of an untracked workload don't come back by a late change", async () => {
    await publishChanges([first, ended].map(change), lookout.ports);
    await publishChanges([change(second)], lookout.ports);
    expect(await late()).toEqual([]);
  });

  it("are written only when what a list shows changes", async () => {
    await publishChanges([change(first)], lookout.ports);
    const same = nextRecord(first, { cause: "Wake:1:2" });
    await publishChanges([change(same)], lookout.ports);
    expect(await late()).toMatchObject([{ version: 1 }]);
  });

  it("that differ from the records are found by the doctor, and repaired", async () => {
    const { ports } = lookout;
    const signal = new AbortController().signal;
    const check = async () => (await examine(ports, signal)).checks.filter((one) => one.check === "derived rows");
    lookout.clock.turn(minutes(5));
    await handOn(ports);
    expect(await check()).toEqual([]);
    const right = await list("view=row");
    const [row] = await ports.fleet.readMany([api]);
    await ports.fleet.forget(right.rows.map(({ workload }) => workload).slice(2));
    await ports.fleet.write([
      { ...row!, version: 99 },
      { ...row!, workload: key },
    ]);

    expect(await check()).toEqual([
      {
        check: "derived rows",
        verdict: "wrong",
        detail: "the rows of the list of workloads of 3 of 5 compared workloads differ from their records",
        remedy: "Write them again: lookout doctor --repair.",
      },
    ]);
    expect(await repairRows({ limit: 1_000 }, ports)).toMatchObject({
      rows: [{ of: "rows of the list of workloads", workloads: 5, repaired: 3 }, {}, {}, {}],
    });
    expect(await check()).toEqual([]);
    const repaired = await list("view=row");
    const known = ({ rows }: WorkloadsView) => rows.map(({ version: _, since: __, ...rest }) => rest);
    expect(known(repaired)).toEqual(known(right));
    expect(await repairRows({ limit: 1_000 }, ports)).toMatchObject({
      rows: [{ workloads: 4, repaired: 0 }, {}, {}, {}],
    });
  });
});

describe("a freeze and a quarantine", () => {
  const post = async (path: string, body: object): Promise<{ readonly status: number; readonly body: unknown }> => {
    const request = new Request(`http://localhost/v1/${path}`, { method: "POST", body: JSON.stringify(body) });
    const response = await serveApi(request, lookout.ports, new AbortController().signal);
    return { status: response.status, body: await response.json() };
  };
  const freeze = { why: "sale", by: "ana" };

  it("tell how many workloads they cover, and what they hold", async () => {
    const digest = (await lookout.record(api)).pending?.changes[0]?.digest;

    expect(await post("freezes", { ...freeze, scope: "prod/shop" })).toMatchObject({
      status: 200,
      body: { effect: { workloads: 2, inFlight: 0, holds: 1 } },
    });
    expect(await post("quarantine", { digest, why: "CVE", by: "ana" })).toMatchObject({
      status: 200,
      body: { effect: { workloads: 4, runs: 0, holds: 1 } },
    });
    const running = (await list("view=row&q=web")).rows[0]?.runs[0]?.digest;
    expect(await post("quarantine", { digest: running, why: "CVE", by: "ana" })).toMatchObject({
      body: { effect: { workloads: 4, runs: 1, holds: 0 } },
    });
  });

  it.each([
    { scope: "prd", says: "no cluster is called prd; did you mean prod?; to freeze it all the same, set force" },
    { scope: "prod/shp", says: "no workload is tracked in prod/shp; did you mean prod/shop?; to freeze it" },
    { scope: "prod/zzzzzz", says: "no workload is tracked in prod/zzzzzz; to freeze it all the same" },
  ])("of an unknown scope is refused: $scope, unless it is forced", async ({ scope, says }) => {
    const refused = await post("freezes", { ...freeze, scope });

    expect(refused).toMatchObject({ status: 404, body: { detail: expect.stringContaining(says) as string } });
    expect(await lookout.ports.freezes.list()).toEqual([]);
    expect(await post("freezes", { ...freeze, scope, force: true })).toMatchObject({
      status: 200,
      body: { effect: { workloads: 0 } },
    });
  });
});
