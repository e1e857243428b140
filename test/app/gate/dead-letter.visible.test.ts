import { beforeEach, describe, expect, it } from "vitest";
import { handleDeadLetter } from "#app/gate/dead-letter";
import { readWorkload } from "#app/api/workloads";
import { minutes, seconds } from "#domain/shared/time";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;

beforeEach(async () => {
  lookout = await worldWithApi();
  key = await trackApi(lookout);
});

const repository = { registry: host, repository: "shop/api" };

/** Lets a method of a port fail, until the result is called. */
function failing(port: "store" | "sightings" | "tagHistory" | "queues", method: string, error: Error): () => void {
  const before = lookout.ports[port];
  Object.assign(lookout.ports, { [port]: { ...before, [method]: () => Promise.reject(error) } });
  return () => Object.assign(lookout.ports, { [port]: before });
}

describe("an evaluation that fails five times", () => {
  it("is a problem of its workload with the cause, until an evaluation succeeds", async () => {
    const mend = failing("store", "slots", new TypeError("no slots"));
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(3));

    expect(await readWorkload(key, lookout.ports)).toMatchObject({
      state: "problem",
      reasons: [{ reason: "evaluation-failed", detail: "container app: TypeError: no slots" }],
    });

    mend();
    await lookout.pass(minutes(10));
    expect(lookout.image(key)).toMatch(/:1\.1\.0@/);
    expect(await readWorkload(key, lookout.ports)).toMatchObject({ state: "up-to-date", reasons: [] });
  });

  it("is tried again after a pause that doubles", async () => {
    failing("store", "slots", new TypeError("no slots"));
    await lookout.push("shop/api", "1.1.0");
    const counts: unknown[] = [];
    for (let passed = 0; passed < 8; passed += 1) {
      await lookout.pass(minutes(1));
      counts.push((await lookout.record(key)).retry?.failedEvaluations);
    }

    expect(counts).toEqual([1, 1, 2, 2, 2, 2, 3, 3]);
  });
});

describe("a push that fails five times", () => {
  it("updates a workload that follows moves, although only the push shows the move of its tag", async () => {
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/policy": "latest" },
    );
    await lookout.sync();
    await lookout.pass(minutes(1));
    const mend = failing("tagHistory", "remember", new TypeError("no history"));
    await lookout.push("shop/api", "nightly");
    await lookout.pass(seconds(30));
    mend();
    expect(lookout.image(key)).toMatch(/:1\.0\.0$/);

    await lookout.pass(minutes(2));
    expect(lookout.image(key)).toMatch(/:nightly@/);
  });
});

describe("an annotation that fails five times", () => {
  it("holds no update, because only users read it", async () => {
    const { workload, uid, seq, version } = await lookout.record(key);
    const command = { name: "ShowAvailable", workload, uid, seq, version } as const;

    expect(await handleDeadLetter(command, { why: "TypeError: no text" }, lookout.ports)).toEqual({
      kind: "nothing-open",
    });
    expect(await lookout.record(key)).toMatchObject({ version });
  });
});

describe("a sweep that fails five times", () => {
  it("is a problem of its repository with the cause, until a sweep succeeds", async () => {
    const mend = failing("store", "subscribers", new TypeError("no page"));
    await lookout.sweep();
    await lookout.pass(seconds(10));

    expect((await lookout.ports.repositories.read(repository))?.problem).toMatchObject({
      reason: "evaluation-failed",
      detail: "TypeError: no page",
    });

    mend();
    await lookout.sweep();
    expect((await lookout.ports.repositories.read(repository))?.problem).toBeUndefined();
  });
});

describe("a sync that fails five times", () => {
  it("is a problem of its cluster with the cause, until a sync succeeds", async () => {
    const mend = failing("queues", "send", new TypeError("no queue"));
    lookout.cluster.annotate({ namespace: "shop", kind: "Deployment", name: "api" }, { "lookout.dev/suspend": "true" });
    await lookout.sync();
    await lookout.pass(seconds(10));
    const problem = async () => (await lookout.ports.clusterStates.read("prod"))?.problem;

    expect(await problem()).toMatchObject({
      reason: "cluster-unreachable",
      detail: "Lookout failed while it synced the cluster: TypeError: no queue",
    });

    mend();
    await lookout.sync();
    expect(await problem()).toBeUndefined();
  });
});
