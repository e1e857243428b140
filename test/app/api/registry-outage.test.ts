import { WorkloadsQuery } from "#contracts/api/workloads";
import { beforeEach, describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { explain } from "#app/api/explain";
import { repositoryHandlers } from "#app/api/repositories";
import { readWorkload, workloadHandlers } from "#app/api/workloads";
import { sweepDue } from "#app/detect/sweep-repository";
import type { WorkloadView } from "#contracts/api/workloads";
import type { RegistryFact } from "#domain/registry/outage";
import { epochMs, minutes, seconds, toIso } from "#domain/shared/time";
import { openLimitedRegistry } from "#runtime/limited-registry";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

const dead = "dead.test";
const { signal } = new AbortController();
const asked = { caller: undefined } as never;

let lookout: World;
let facts: RegistryFact[];
let key: string;
let web: string;

/** Two workloads of two registries, which were swept. */
beforeEach(async () => {
  lookout = await worldWithApi();
  facts = [];
  const { ports } = lookout;
  const gate = openLimitedRegistry([], {
    ...ports,
    registry: lookout.registry,
    publish: async (published) => void facts.push(...published),
  });
  Object.assign(ports, { registry: gate(memoryMetrics()) });
  lookout.registry.push(dead, "shop/web", "1.0.0");
  web = lookout.deploy({ name: "web", image: `${dead}/shop/web:1.0.0` });
  key = await trackApi(lookout);
  await lookout.sweep();
});

const now = () => toIso(lookout.clock.now());

async function view(of: string): Promise<WorkloadView> {
  const read = await readWorkload(of, lookout.ports);
  if (read === undefined) throw new Error(`${of} is not tracked`);
  return read;
}

/** Returns the state, the check and the registries that left a workload unchecked. */
async function check(of: string) {
  const { state, checkedAt, unchecked = [] } = await view(of);
  return { state, checkedAt, unchecked: unchecked.map(({ registry, why: { reason } }) => `${registry} ${reason}`) };
}

/** Runs the schedule of sweeps each minute. */
async function pass(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await lookout.pass(minutes(1));
    await sweepDue(lookout.ports);
    await lookout.settle();
  }
}

describe("the check of a workload", () => {
  it("is as old as the older of the sync and the sweep", async () => {
    const swept = now();
    expect(await check(key)).toEqual({ state: "up-to-date", checkedAt: swept_synced(swept), unchecked: [] });

    await lookout.pass(minutes(2));
    await lookout.sync();
    expect((await check(key)).checkedAt).toBe(swept);
  });

  it("is at the evaluation until the first sweep, and missing before both", async () => {
    const fresh = await worldWithApi();
    const tracked = await trackApi(fresh);
    const { checkedAt, changedAt } = (await readWorkload(tracked, fresh.ports)) ?? {};
    expect(checkedAt).toBe(changedAt);

    const record = await fresh.record(tracked);
    await fresh.ports.store.write({ ...record, version: record.version + 1, needsEvaluation: true });
    expect(await readWorkload(tracked, fresh.ports)).not.toHaveProperty("checkedAt");
  });
});

/** The sync of the tracked workload is a second older than the sweep. */
function swept_synced(swept: string): string {
  return toIso(epochMs(Date.parse(swept) - 1_000));
}

describe("an outage of one of two registries", () => {
  it("is in the status of its workloads after the first failed read, and gone after the first answer", async () => {
    const { checkedAt } = await check(web);
    const before = lookout.clock.now();
    lookout.registry.unreachable(dead, true);
    await lookout.sweep();

    expect(await check(web)).toMatchObject({
      state: "problem",
      unchecked: [`${dead} registry-unreachable`],
    });
    expect(await check(key)).toMatchObject({ state: "up-to-date", unchecked: [] });
    expect((await view(web)).unchecked).toMatchObject([
      {
        container: "app",
        imageName: `${dead}/shop/web`,
        registry: dead,
        checkedAt: toIso(before),
        since: now(),
        why: { reason: "registry-unreachable", detail: `${dead} could not be reached` },
      },
    ]);
    expect(Date.parse(checkedAt ?? "")).toBeLessThanOrEqual(before);
    expect(facts.map(({ name, registry }) => [name, registry])).toEqual([["RegistryUnreachable", dead]]);

    lookout.registry.unreachable(dead, false);
    await lookout.ports.registry.tags({ registry: dead, repository: "shop/web" }, signal);
    expect(await check(web)).toMatchObject({ state: "up-to-date", unchecked: [] });
    expect((await check(web)).checkedAt).toBe(toIso(epochMs(before - 1_000)));
    expect(facts.map(({ name }) => name)).toEqual(["RegistryUnreachable", "RegistryRecovered"]);
  });

  it("is in the list of workloads and of repositories, and in the explanation", async () => {
    lookout.registry.unreachable(dead, true);
    await lookout.ports.registry.tags({ registry: dead, repository: "shop/other" }, signal);

    const served = { ports: lookout.ports, signal, asked } as never;
    const workloads = await workloadHandlers(served).listWorkloads({ query: WorkloadsQuery.parse({}) });
    const repositories = await repositoryHandlers(served).listRepositories({});
    expect(workloads).toMatchObject({
      workloads: [
        { workload: key, state: "up-to-date" },
        { workload: web, state: "problem", unchecked: [{ registry: dead }] },
      ],
    });
    expect(repositories).toMatchObject({
      repositories: [{ imageName: `${dead}/shop/web`, problem: { reason: "registry-unreachable" } }, {}],
    });
    expect(
      JSON.stringify((repositories as { readonly repositories: readonly unknown[] }).repositories[1]),
    ).not.toContain("problem");
    expect((await explain(web, lookout.ports, signal))?.workload.unchecked).toMatchObject([{ registry: dead }]);
  });

  it("names the dead registry of a workload with containers of both", async () => {
    const containers = [
      { name: "app", image: `${host}/shop/api:1.0.0` },
      { name: "web", image: `${dead}/shop/web:1.0.0` },
    ];
    lookout.cluster.apply({
      kind: "Deployment",
      metadata: { namespace: "shop", name: "both", annotations: { "lookout.dev/enabled": "true" } },
      spec: { replicas: 1, template: { spec: { containers } } },
    } as never);
    await lookout.pass(seconds(2));
    await lookout.sync();
    lookout.registry.unreachable(dead, true);
    await lookout.sweep();

    const { unchecked = [], state } = await view("prod/shop/deployment/both");
    expect(state).toBe("problem");
    expect(unchecked.map(({ container, registry }) => [container, registry])).toEqual([["web", dead]]);
  });

  it("is looked at each minute, and all its repositories are swept after its end", async () => {
    lookout.registry.push(dead, "shop/job", "1.0.0");
    const job = lookout.deploy({ name: "job", image: `${dead}/shop/job:1.0.0` });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.sweep();
    lookout.registry.unreachable(dead, true);
    await pass(20);
    expect([(await check(web)).state, (await check(job)).state]).toEqual(["problem", "problem"]);
    expect(facts).toHaveLength(1);

    lookout.registry.unreachable(dead, false);
    await pass(2);
    await lookout.sync();

    expect(facts.map(({ name }) => name)).toEqual(["RegistryUnreachable", "RegistryRecovered"]);
    for (const one of [web, job]) {
      const { state, checkedAt } = await check(one);
      expect(state).toBe("up-to-date");
      expect(lookout.clock.now() - Date.parse(checkedAt ?? "")).toBeLessThanOrEqual(minutes(2));
    }
  });

  it("of a push is in the status at once, and ends for a workload that an evaluation could not read", async () => {
    lookout.registry.unreachable(dead, true);
    await lookout.tell({ id: "push", registry: dead, repository: "shop/web", tags: ["1.1.0"] });
    await lookout.settle();
    expect((await lookout.record(web)).selectionFailures).toMatchObject([{ reason: "registry-unreachable" }]);
    expect(await check(web)).toMatchObject({ state: "problem", unchecked: [`${dead} registry-unreachable`] });

    lookout.registry.unreachable(dead, false);
    await lookout.pass(seconds(1));
    await lookout.ports.registry.tags({ registry: dead, repository: "shop/web" }, signal);
    expect(await view(web)).toMatchObject({ state: "up-to-date", reasons: [] });
  });
});

describe("another failure of a registry", () => {
  it("of the credential leaves its workloads unchecked, and is no outage", async () => {
    lookout.registry.denied(dead, true);
    await lookout.sweep();
    expect(await check(web)).toMatchObject({ state: "problem", unchecked: [`${dead} registry-denied`] });
    expect(facts).toEqual([]);

    lookout.registry.denied(dead, false);
    await lookout.sweep();
    expect(await check(web)).toMatchObject({ state: "up-to-date", unchecked: [] });
  });

  it("of a missing repository leaves its workloads unchecked", async () => {
    lookout.registry.push(dead, "gone/app", "1.0.0");
    const gone = lookout.deploy({ name: "gone", image: `${dead}/never/there:1.0.0` });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.sweep();

    expect(await check(gone)).toMatchObject({ state: "problem", unchecked: [`${dead} repository-not-found`] });
  });
});
