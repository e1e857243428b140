import { describe, expect, it } from "vitest";
import { evaluatePush } from "#app/evaluate/image-pushed";
import type { ImagePushed } from "#domain/image/push";
import { TransientError } from "#ports/errors";
import { minutes, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Clock } from "#ports/clock";
import { host, trackApi, world, worldWithApi } from "../world.ts";

const pushOf = (clock: Clock, tag: string): ImagePushed => ({
  name: "ImagePushed",
  id: tag,
  registry: host,
  repository: "shop/api",
  tag,
  source: "hub",
  at: clock.now(),
});

it("the failure of one workload is retried alone, and delays no other page", async () => {
  const lookout = world({ maxConcurrentRollouts: 1000 });
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  const keys = Array.from({ length: 160 }, (_, index) =>
    lookout.deploy({ name: `w${String(index).padStart(3, "0")}`, image: `${host}/shop/api:1.0.0`, replicas: 1 }),
  );
  await lookout.pass(seconds(2));
  await lookout.sync();
  const { store } = lookout.ports;
  const write = store.write.bind(store);
  let throttled = true;
  const mayFail = (record: WorkloadRecord) =>
    throttled && /w\d50$/.test(record.workload.name)
      ? Promise.reject(new TransientError("simulated: throttled"))
      : write(record);
  Object.assign(store, { write: mayFail });
  const publish = lookout.ports.bus.publish.bind(lookout.ports.bus);
  let pages = 0;
  Object.assign(lookout.ports.bus, {
    publish: (events: Parameters<typeof publish>[0]) => {
      pages += events.filter(({ name }) => name === "ImagePushed").length;
      return publish(events);
    },
  });

  const digest = await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(30));
  const done = (): number => keys.filter((key) => lookout.image(key) === `${host}/shop/api:1.1.0@${digest}`).length;
  expect([pages, done()]).toEqual([4, 158]);
  expect(new Set(lookout.failures)).toEqual(new Set(["TransientError: simulated: throttled"]));
  throttled = false;
  await lookout.pass(minutes(1));

  expect([pages, done()]).toEqual([4, 160]);
});

describe("a failure that ends within a moment", () => {
  /** Lets the next call of a method fail, before its effect or after it. */
  function failOnce(ports: object, method: string, when: "before" | "after"): void {
    const port = ports as Record<string, (...given: unknown[]) => Promise<unknown>>;
    const usual = port[method]?.bind(port);
    const fail = async (...given: unknown[]): Promise<never> => {
      Object.assign(port, { [method]: usual });
      if (when === "after") await usual?.(...given);
      throw new TransientError("simulated: throttled");
    };
    Object.assign(port, { [method]: fail });
  }

  it.each([
    { what: "a write without effect", port: "store", method: "write", when: "before" },
    { what: "a write whose answer is lost", port: "store", method: "write", when: "after" },
    { what: "a command that is not sent", port: "queues", method: "send", when: "before" },
  ] as const)("costs an update two seconds at most: $what", async ({ port, method, when }) => {
    const lookout = world();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    await lookout.pass(seconds(2));
    await lookout.sync();
    failOnce(lookout.ports[port], method, when);

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(2));

    expect(lookout.failures).toEqual(["TransientError: simulated: throttled"]);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });
});

it("a push whose digest the registry gives late starts each page once", async () => {
  const lookout = world({ maxConcurrentRollouts: 1000 });
  const image = `${host}/shop/api:1.0.0`;
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  const annotations = { "lookout.dev/policy": "latest" };
  const keys = Array.from({ length: 160 }, (_, index) => lookout.deploy({ name: `w${index}`, image, annotations }));
  await lookout.pass(seconds(2));
  await lookout.sync();
  const { registry, bus } = lookout.ports;
  const resolve = registry.resolve.bind(registry);
  let refusals = 3;
  Object.assign(registry, {
    resolve: (...name: Parameters<typeof resolve>) => {
      refusals -= 1;
      return refusals < 0 ? resolve(...name) : Promise.resolve({ kind: "unreachable", detail: "simulated" });
    },
  });
  const publish = bus.publish.bind(bus);
  const pages: (string | undefined)[] = [];
  Object.assign(bus, {
    publish: (events: Parameters<typeof publish>[0]) => {
      pages.push(...events.flatMap((event) => (event.name === "ImagePushed" ? [event.after] : [])));
      return publish(events);
    },
  });

  const digest = await lookout.push("shop/api", "main");
  await lookout.pass(minutes(3));

  expect(pages).toEqual([...new Set(pages)]);
  expect(lookout.failures).not.toEqual([]);
  expect(new Set(keys.map((key) => lookout.image(key)))).toEqual(new Set([`${host}/shop/api:main@${digest}`]));
});

it("a namespace with 300 workloads delays the workload of another namespace by 20 evaluations", async () => {
  const lookout = world({ maxConcurrentRollouts: 1000 });
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  for (let index = 0; index < 300; index += 1)
    lookout.deploy({ namespace: "hostile", name: `w${index}`, image: `${host}/shop/api:1.0.0`, replicas: 1 });
  const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0`, replicas: 1 });
  await lookout.pass(seconds(2));
  await lookout.sync();
  const { store } = lookout.ports;
  const write = store.write.bind(store);
  const written = new Set<string>();
  let before: number | undefined;
  Object.assign(store, {
    write: (record: WorkloadRecord) => {
      if (record.workload.namespace === "shop") before ??= written.size;
      else written.add(record.workload.name);
      return write(record);
    },
  });

  const digest = await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(30));

  expect({ before, all: written.size, image: lookout.image(key) }).toEqual({
    before: 20,
    all: 300,
    image: `${host}/shop/api:1.1.0@${digest}`,
  });
});

it("the log tells the failure of the first evaluation, after the evaluation for pushes that joined", async () => {
  const lookout = await worldWithApi();
  await trackApi(lookout);
  const { store, pushCoalescing, clock } = lookout.ports;
  const { signal } = new AbortController();
  const failure = new TransientError("simulated: throttled");
  const write = store.write.bind(store);
  const end = pushCoalescing.end.bind(pushCoalescing);
  Object.assign(store, { write: () => Promise.reject(failure) });
  Object.assign(pushCoalescing, {
    end: async (...burst: Parameters<typeof end>) => {
      Object.assign(pushCoalescing, { end });
      Object.assign(store, { write });
      await evaluatePush(pushOf(clock, "1.1.1"), lookout.ports, signal);
      return end(...burst);
    },
  });
  await lookout.push("shop/api", "1.1.0", { quietly: true });

  expect(await evaluatePush(pushOf(clock, "1.1.0"), lookout.ports, signal)).toEqual({
    kind: "evaluated",
    workloads: 1,
    changed: 1,
    failure,
  });
});

it("the changes of all evaluations of a burst are counted together", async () => {
  const lookout = await worldWithApi();
  await trackApi(lookout);
  const { pushCoalescing, clock } = lookout.ports;
  const { signal } = new AbortController();
  const end = pushCoalescing.end.bind(pushCoalescing);
  Object.assign(pushCoalescing, {
    end: async (...burst: Parameters<typeof end>) => {
      Object.assign(pushCoalescing, { end });
      await lookout.push("shop/api", "1.2.0", { quietly: true });
      await evaluatePush(pushOf(clock, "1.2.0"), lookout.ports, signal);
      return end(...burst);
    },
  });
  await lookout.push("shop/api", "1.1.0", { quietly: true });

  expect(await evaluatePush(pushOf(clock, "1.1.0"), lookout.ports, signal)).toEqual({
    kind: "evaluated",
    workloads: 1,
    changed: 2,
  });
});

it("a workload that subscribes during a burst is evaluated with the joined pushes", async () => {
  const lookout = await worldWithApi();
  await trackApi(lookout);
  const { pushCoalescing, clock } = lookout.ports;
  const end = pushCoalescing.end.bind(pushCoalescing);
  const endLater: typeof end = async (...burst) => {
    Object.assign(pushCoalescing, { end });
    lookout.deploy({ name: "late", image: `${host}/shop/api:1.0.0` });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    expect(await evaluatePush(pushOf(clock, "1.1.0"), lookout.ports, new AbortController().signal)).toEqual({
      kind: "joined",
    });
    return end(...burst);
  };
  Object.assign(pushCoalescing, { end: endLater });
  const outcome = await evaluatePush(pushOf(clock, "main"), lookout.ports, new AbortController().signal);

  expect(outcome).toEqual({ kind: "evaluated", workloads: 2, changed: 2 });
});
