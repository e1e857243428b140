import { beforeEach, describe, expect, it } from "vitest";
import { hours, minutes } from "#domain/shared/time";
import { controlOf } from "../control-of.ts";
import { host, trackApi, type World, world } from "../world.ts";

let lookout: World;
let key: string;
const params = { cluster: "prod", namespace: "shop", kind: "deployment", name: "api" };
const person = { by: "ana", why: "checkout fails" };
const ask = () => controlOf(lookout);
const rollback = (to?: string) => ask().rollBack({ params, body: { ...person, ...(to === undefined ? {} : { to }) } });
const set = (version: string) => ask().setVersion({ params, body: { version, ...person } });
async function runs() {
  await lookout.pass(minutes(1));
  await lookout.sweep();
  await lookout.pass(minutes(2));
  return lookout.image(key).replace(`${host}/shop/`, "");
}
const both = ["linux/amd64", "linux/arm64"];
let platforms: readonly string[];
/** How many architectures of nodes report their pods. */
let arches: number;

/** The pods of every text without a digest report the digests of the platforms of the tag's index, as on nodes of two architectures. */
function reportPlatforms(): void {
  const { cluster } = lookout;
  const before = cluster.runningImages.bind(cluster);
  Object.assign(cluster, {
    runningImages: (async (live, signal) => {
      const read = await before(live, signal);
      if (read.kind !== "running") return read;
      const repository = lookout.registry.repositories.get(`${host}/shop/api`);
      const images = Object.fromEntries(
        Object.entries(read.images).map(([name, digests]) => [
          name,
          digests.flatMap((digest) => {
            const all = repository?.manifests.get(digest) ?? [];
            return all.length === 0 ? [digest] : all.slice(0, arches);
          }),
        ]),
      );
      return { kind: "running", images };
    }) satisfies typeof cluster.runningImages,
  });
}

beforeEach(async () => {
  arches = 2;
  lookout = world();
  const index = await lookout.push("shop/api", "1.0.0", { quietly: true, platforms: both });
  platforms = lookout.registry.repositories.get(`${host}/shop/api`)?.manifests.get(index) ?? [];
  reportPlatforms();
});

describe("pods that report the digests of platforms, of a tag that never moved", () => {
  it("set to the digest that runs pins no platform", async () => {
    key = await trackApi(lookout);
    const running = (await lookout.record(key)).observed.containers[0]?.digest ?? "";
    expect(platforms).toContain(running);
    await set(running);
    expect(await runs()).toBe("api:1.0.0");
  });

  it.each(["tag", "restart"])("rollback with apply: %s writes the tag, and no platform", async (apply) => {
    key = await trackApi(lookout, { "lookout.dev/apply": apply });
    await lookout.push("shop/api", "1.1.0", { platforms: both });
    expect(await runs()).toBe("api:1.1.0");
    await rollback();
    expect(await runs()).toBe("api:1.0.0");
  });

  it("rollback with apply: tag while the registry is down writes no platform", async () => {
    key = await trackApi(lookout, { "lookout.dev/apply": "tag" });
    await lookout.push("shop/api", "1.1.0", { platforms: both });
    expect(await runs()).toBe("api:1.1.0");
    const { registry } = lookout.ports;
    const down = () => Promise.resolve({ kind: "unreachable", detail: "down", isOutage: true });
    Object.assign(lookout.ports, { registry: { ...registry, tags: down, resolve: down, manifest: down } });
    await rollback();
    expect(await runs()).toBe("api:1.0.0");
  });

  it("rollback during a rollout, default apply: one rollback and no second rollout", async () => {
    key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0", { platforms: both });
    await lookout.settle();
    expect((await lookout.record(key)).active?.status).toBe("rolling-out");
    await rollback();
    expect(await runs()).toBe("api:1.0.0");
    await lookout.pass(hours(2));
    await lookout.sync();
    expect(await runs()).toBe("api:1.0.0");
  });
});

describe("a kept digest of a platform, which pods of both architectures report beside the other one", () => {
  it("is not written over the tag that names its index still", async () => {
    arches = 1;
    key = await trackApi(lookout);
    const running = (await lookout.record(key)).observed.containers[0]?.digest ?? "";
    const { registry } = lookout.ports;
    // As if the request found that the tag did not move: a record from before the change, or after a fix of mayHaveMoved.
    Object.assign(lookout.ports, {
      registry: { ...registry, resolve: async () => ({ kind: "manifest", digest: running, platforms: [] }) },
    });
    await set(running);
    expect((await lookout.record(key)).kept).toMatchObject([{ digest: running, landed: true }]);
    Object.assign(lookout.ports, { registry });
    expect(await runs()).toBe("api:1.0.0");
    // A node of the other architecture joins.
    arches = 2;
    await lookout.pass(hours(2));
    await lookout.sync();
    expect(await runs()).toBe("api:1.0.0");
  });
});

describe("a rollback during a rollout while the registry is down", () => {
  it.each([{}, { "lookout.dev/apply": "tag" }])("rolls out once, with %j", async (annotations) => {
    lookout = world();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    key = await trackApi(lookout, annotations);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect((await lookout.record(key)).active?.status).toBe("rolling-out");
    const { registry } = lookout.ports;
    const down = () => Promise.resolve({ kind: "unreachable", detail: "down", isOutage: true });
    Object.assign(lookout.ports, { registry: { ...registry, tags: down, resolve: down, manifest: down } });
    await rollback();
    await runs();
    await lookout.pass(minutes(10));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(lookout.factNames(key).filter((name) => name === "RolloutStarted")).toHaveLength(1);
  });
});

describe("without any request", () => {
  it("pods that report the two platforms of the tag's present index do not drift ", async () => {
    key = await trackApi(lookout);
    await lookout.pass(hours(2));
    await lookout.sync();
    await lookout.pass(minutes(5));
    expect((await lookout.record(key)).selectionFailures).toEqual([]);
  });
});

it("pods of two architectures are not restarted for ever with policy: digest and apply: restart ", async () => {
  key = await trackApi(lookout, { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" });
  for (let hour = 0; hour < 10; hour += 1) {
    await lookout.pass(hours(1));
    await lookout.sync();
    await lookout.sweep();
    await lookout.pass(minutes(5));
  }
  expect(lookout.factNames(key).filter((name) => name === "RolloutStarted")).toHaveLength(0);
});

describe("a rollback with apply: tag to a digest that the registry removed after its tag moved", () => {
  it("writes no digest that nobody can pull", async () => {
    lookout = world();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    key = await trackApi(lookout, { "lookout.dev/apply": "tag" });
    const first = (await lookout.record(key)).observed.containers[0]?.digest ?? "";
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(3));
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    // A lifecycle policy removes untagged images.
    lookout.registry.repositories.get(`${host}/shop/api`)?.manifests.delete(first);
    lookout.broken.add(first);
    await rollback();
    await lookout.pass(minutes(33));
    // Or the request is refused, as with --to: the registry no longer has it.
    expect(lookout.image(key).replace(`${host}/shop/`, "")).toBe("api:1.0.0");
  });
});

describe("a registry that Lookout itself does not ask now (its own limit)", () => {
  it("does not change what apply: tag writes", async () => {
    lookout = world();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    key = await trackApi(lookout, { "lookout.dev/apply": "tag" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(3));
    const { registry } = lookout.ports;
    const resolve = async () => ({ kind: "unreachable", reason: "registry-throttled", detail: "20 requests a minute" });
    Object.assign(lookout.ports, { registry: { ...registry, resolve } });
    await rollback();
    await lookout.pass(minutes(3));
    expect(lookout.image(key).replace(`${host}/shop/`, "")).toBe("api:1.0.0");
  });
});

it("a rollback by name asks a registry that hangs in two rounds at most, so that it ends within 30 s", async () => {
  lookout = world();
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  key = await trackApi(lookout, { "lookout.dev/apply": "tag" });
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(minutes(3));
  const hanging: (() => void)[] = [];
  const hang = async () => {
    await new Promise<void>((resolve) => hanging.push(resolve));
    return { kind: "unreachable", detail: "did not answer within 10000 ms", isOutage: true };
  };
  const { registry } = lookout.ports;
  Object.assign(lookout.ports, { registry: { ...registry, tags: hang, resolve: hang, manifest: hang, config: hang } });
  let hasEnded = false;
  const asked = Promise.resolve(rollback("1.0.0")).finally(() => (hasEnded = true));
  let rounds = 0;
  const isOver = (): boolean => hasEnded;
  while (!isOver()) {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const waiting = hanging.splice(0);
    if (waiting.length > 0) rounds += 1;
    for (const end of waiting) end();
  }
  await asked;

  expect((await lookout.record(key)).kept).toHaveLength(1);
  expect(rounds).toBeLessThanOrEqual(2);
});
