import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { QueueMessage } from "#runtime/handler";
import { type LocalQueue, localQueue } from "#runtime/local/queue";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Seen {
  readonly queue: LocalQueue;
  /** Bodies by delivery, each with its arrival to a tenth of a second. */
  readonly deliveries: readonly { readonly at: number; readonly body: string }[];
  readonly deadLetters: readonly string[];
}

/** A queue whose function fails for these bodies, each so many times. */
function queueThatFails(failures: Readonly<Record<string, number>>, concurrency = 10): Seen {
  const began = Date.now();
  const left = new Map(Object.entries(failures));
  const deliveries: { at: number; body: string }[] = [];
  const deadLetters: string[] = [];
  const run = async ({ body }: QueueMessage) => {
    deliveries.push({ at: Math.round((Date.now() - began) / 100) * 100, body });
    const times = left.get(body) ?? 0;
    left.set(body, times - 1);
    return times > 0 ? "again" : "done";
  };
  const queue = localQueue({
    run,
    concurrency: () => concurrency,
    deadLetter: async ({ body }) => void deadLetters.push(body),
  });
  return { queue, deliveries, deadLetters };
}

describe("a queue of the local process", () => {
  it("delivers each message alone, so that no message waits for a slow message", async () => {
    const { queue, deliveries } = queueThatFails({});

    for (const body of ["one", "two"]) queue.send(body, "prod", 0);
    await vi.advanceTimersByTimeAsync(1);

    expect(deliveries).toEqual([
      { at: 0, body: "one" },
      { at: 0, body: "two" },
    ]);
  });

  it("does not deliver a message at once because its delay is longer than a timer can be", async () => {
    const { queue, deliveries } = queueThatFails({});

    queue.send("in 500 days", "prod", 500 * 86_400_000);
    await vi.advanceTimersByTimeAsync(86_400_000);

    expect(deliveries).toEqual([]);
  });

  it("delivers messages of the first place before all others", async () => {
    const { queue, deliveries } = queueThatFails({}, 1);

    for (const body of ["one", "two"]) queue.send(body, "prod", 0);
    queue.send("hint", "prod", 0, { place: "first" });
    await vi.runAllTimersAsync();

    expect(deliveries.map(({ body }) => body)).toEqual(["hint", "one", "two"]);
  });

  it("delays a message", async () => {
    const { queue, deliveries } = queueThatFails({});

    queue.send("later", "prod", 900_000);
    queue.send("now", "prod", 0);
    await vi.advanceTimersByTimeAsync(900_001);

    expect(deliveries).toEqual([
      { at: 0, body: "now" },
      { at: 900_000, body: "later" },
    ]);
  });

  it("delivers only failed messages again, later each time", async () => {
    const { queue, deliveries } = queueThatFails({ bad: 2 });

    queue.send("good", "prod", 0);
    queue.send("bad", "prod", 0);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(deliveries).toEqual([
      { at: 0, body: "good" },
      { at: 0, body: "bad" },
      { at: 500, body: "bad" },
      { at: 1_500, body: "bad" },
    ]);
  });

  it("drops a message after five deliveries, and delays no other message", async () => {
    const { queue, deliveries, deadLetters } = queueThatFails({ poison: 100 });

    queue.send("poison", "prod", 0);
    await vi.advanceTimersByTimeAsync(2_000);
    queue.send("good", "prod", 0);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(deliveries.filter(({ body }) => body === "poison")).toHaveLength(5);
    expect(deliveries).toContainEqual({ at: 2_000, body: "good" });
    expect(deadLetters).toEqual(["poison"]);
  });

  it("continues with other clusters while one hangs", async () => {
    const done: string[] = [];
    const run = async ({ body }: QueueMessage) => {
      if (body.startsWith("hanging")) await new Promise((resolve) => setTimeout(resolve, 60_000));
      done.push(body);
      return "done" as const;
    };
    const queue = localQueue({ run, concurrency: () => 2, deadLetter: async () => undefined });

    for (let index = 0; index < 20; index += 1) queue.send(`hanging ${index}`, "hanging", 0);
    for (const body of ["one", "two", "three"]) queue.send(body, "prod", 0);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(done).toEqual(["one", "two", "three"]);
    expect([queue.isWaiting("hanging"), queue.isWaiting("prod")]).toEqual([true, false]);
  });

  it("reads the limit of concurrent messages before each delivery", async () => {
    let room = 1;
    let inWork = 0;
    const run = async () => {
      inWork += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
      inWork -= 1;
      return "done" as const;
    };
    const queue = localQueue({ run, concurrency: () => room, deadLetter: async () => undefined });

    for (let index = 0; index < 20; index += 1) queue.send(String(index), "prod", 0);
    await vi.advanceTimersByTimeAsync(50);
    const before = inWork;
    room = 5;
    await vi.advanceTimersByTimeAsync(100);

    expect([before, inWork]).toEqual([1, 5]);
  });

  it("keeps the limit of concurrent messages", async () => {
    let inWork = 0;
    let most = 0;
    const run = async () => {
      inWork += 1;
      most = Math.max(most, inWork);
      await new Promise((resolve) => setTimeout(resolve, 100));
      inWork -= 1;
      return "done" as const;
    };
    const queue = localQueue({ run, concurrency: () => 3, deadLetter: async () => undefined });

    for (let index = 0; index < 20; index += 1) queue.send(String(index), "prod", 0);
    await vi.advanceTimersByTimeAsync(5_000);

    expect({ most, inWork }).toEqual({ most: 3, inWork: 0 });
  });

  it("runs at most 250 messages of all groups, in turns", async () => {
    let [inWork, most, done] = [0, 0, 0];
    const begun: string[] = [];
    const run = async ({ body }: QueueMessage) => {
      begun.push(body);
      most = Math.max(most, (inWork += 1));
      await new Promise((resolve) => setTimeout(resolve, 100));
      inWork -= 1;
      done += 1;
      return "done" as const;
    };
    const queue = localQueue({ run, concurrency: () => 10, deadLetter: async () => undefined });

    for (let index = 0; index < 10; index += 1)
      for (let host = 0; host < 440; host += 1) queue.send("flood", `${host}.example`, 0);
    queue.send("of another", "registry.example", 0);
    await vi.advanceTimersByTimeAsync(5_000);

    expect(most).toBe(250);
    // The 441st group has its turn in the second round of runs.
    expect(begun.indexOf("of another")).toBeLessThan(500);
    expect([done, queue.size()]).toEqual([4_401, { waiting: 0, groups: 0 }]);
  });

  it("serves the tenants of a group in turns, so that a flood of one tenant delays no other", async () => {
    const { queue, deliveries } = queueThatFails({}, 1);

    for (let index = 0; index < 1_000; index += 1) queue.send("flood", "prod", 0, { tenant: "hostile" });
    for (const body of ["one", "two"]) queue.send(body, "prod", 0, { tenant: "shop" });
    queue.send("hint", "prod", 0, { tenant: "shop", place: "first" });
    await vi.runAllTimersAsync();

    const bodies = deliveries.map(({ body }) => body);
    expect(bodies.slice(0, 7)).toEqual(["flood", "hint", "flood", "one", "flood", "two", "flood"]);
    expect([bodies.length, queue.size()]).toEqual([1_003, { waiting: 0, groups: 0 }]);
  });

  it("keeps places of a group free from a tenant with hanging messages", async () => {
    const begun: string[] = [];
    const run = async ({ body }: QueueMessage) => {
      begun.push(body);
      if (body === "hanging") await new Promise((resolve) => setTimeout(resolve, 60_000));
      return "done" as const;
    };
    const options = { run, concurrency: () => 3, concurrencyOfTenant: 2, deadLetter: async () => undefined };
    const queue = localQueue(options);

    for (let index = 0; index < 20; index += 1) queue.send("hanging", "prod", 0, { tenant: "hostile" });
    for (const body of ["one", "two"]) queue.send(body, "prod", 0, { tenant: "shop" });
    await vi.advanceTimersByTimeAsync(1_000);

    expect(begun).toEqual(["hanging", "one", "hanging", "two"]);
  });

  it("delivers only the last waiting message of a subject, in the place of the first, with the number of replaced messages", async () => {
    const seen: QueueMessage[] = [];
    const run = async (message: QueueMessage) => {
      seen.push(message);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return "done" as const;
    };
    const queue = localQueue({ run, concurrency: () => 1, deadLetter: async () => undefined });

    queue.send("api, in work", "registry.test", 0, { subject: "api" });
    await vi.advanceTimersByTimeAsync(100);
    for (const body of ["api, one", "web", "api, two", "api, three"])
      queue.send(body, "registry.test", 0, { subject: body.slice(0, 3) });
    queue.send("api, elsewhere", "other.test", 0, { subject: "api" });
    await vi.advanceTimersByTimeAsync(10_000);

    expect(seen.map(({ body, replaced }) => ({ body, replaced }))).toEqual([
      { body: "api, in work", replaced: undefined },
      { body: "api, elsewhere", replaced: undefined },
      { body: "api, three", replaced: 2 },
      { body: "web", replaced: undefined },
    ]);
  });

  it("handles requests after each 25 started messages", async () => {
    const order: string[] = [];
    const run = async () => {
      order.push("message");
      return "done" as const;
    };
    const queue = localQueue({ run, concurrency: () => 100, deadLetter: async () => undefined });

    for (let index = 0; index < 60; index += 1) queue.send("", "prod", 0);
    setImmediate(() => order.push("request"));
    await vi.runAllTimersAsync();

    expect([order.indexOf("request"), order.length]).toEqual([25, 61]);
  });

  it("delivers a message again when its function throws", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 1) throw new Error("a bug");
      return "done" as const;
    };
    const queue = localQueue({ run, concurrency: () => 10, deadLetter: async () => undefined });

    queue.send("one", "prod", 0);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(runs).toBe(2);
  });

  it("delivers no message after its stop, and ends running messages", async () => {
    const { queue, deliveries } = queueThatFails({});
    queue.send("kept back", "prod", 1_000);

    await queue.stop();
    queue.send("too late", "prod", 0);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(deliveries).toEqual([]);
  });
});

/** A queue whose messages run until the test ends them, by body. */
function queueOfSlow(options: { readonly places: number; readonly mostOfTenant?: number; readonly most?: number }) {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const queue = localQueue({
    concurrency: () => options.places,
    concurrencyOfTenant: options.mostOfTenant,
    mostOfTenant: options.most === undefined ? undefined : (_, tenant) => (tenant === "lab" ? options.most : undefined),
    deadLetter: async () => undefined,
    run: ({ body }) =>
      new Promise((resolve) => {
        running.push(body);
        ends.set(body, () => resolve("done"));
      }),
  });
  const send = (tenant: string, count: number, group = "prod"): void => {
    for (let index = 0; index < count; index += 1) queue.send(`${tenant}${index}`, group, 0, { tenant });
  };
  const of = (tenant: string): number => running.filter((body) => body.startsWith(tenant)).length;
  return { queue, running, send, of, end: (body: string) => ends.get(body)?.() };
}

describe("the places of a group", () => {
  it("are never all taken from a namespace without a running message", async () => {
    const { send, of } = queueOfSlow({ places: 30, mostOfTenant: 25 });
    send("hostile", 100);
    send("other", 100);
    await vi.advanceTimersByTimeAsync(10);
    send("victim", 3);
    await vi.advanceTimersByTimeAsync(10);

    expect([of("hostile"), of("other"), of("victim")]).toEqual([15, 15, 1]);
  });

  it.each([2, 5, 20])("are shared equally by %i namespaces, and a new one begins at once", async (count) => {
    const { send, of } = queueOfSlow({ places: 30, mostOfTenant: 25 });
    const names = Array.from({ length: count }, (_, index) => `hostile-${index}-`);
    for (const name of names) send(name, 60);
    await vi.advanceTimersByTimeAsync(100);
    const each = names.map(of);
    send("victim", 1);
    await vi.advanceTimersByTimeAsync(10);

    expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(1);
    expect(of("victim")).toBe(1);
  });

  it("are free again after a second for a message that waits for a slow server", async () => {
    const { send, of } = queueOfSlow({ places: 10 });
    send("slow", 10);
    await vi.advanceTimersByTimeAsync(10);
    send("slow-too", 10);
    await vi.advanceTimersByTimeAsync(900);
    const before = of("slow-too");
    await vi.advanceTimersByTimeAsync(200);

    expect([before, of("slow-too")]).toEqual([1, 10]);
  });

  it("are given back by at most 25 messages of a namespace, and 125 of all", async () => {
    const { send, of } = queueOfSlow({ places: 10 });
    send("hostile", 500);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(of("hostile")).toBe(35);
  });

  it("go to all waiting messages of one namespace if no other waits", async () => {
    const { send, of } = queueOfSlow({ places: 30, mostOfTenant: 25 });
    send("one", 100);
    await vi.advanceTimersByTimeAsync(10);

    expect(of("one")).toBe(25);
  });

  it("are at most the budget of a namespace, with slow messages", async () => {
    const { send, of } = queueOfSlow({ places: 30, most: 3 });
    send("lab", 10);
    send("shop", 10);
    await vi.advanceTimersByTimeAsync(5_000);

    expect([of("lab"), of("shop")]).toEqual([3, 10]);
  });

  it("of a share are never all taken from a group without a running message", async () => {
    const { queue, of } = queueOfSlow({ places: 10 });
    for (let host = 0; host < 40; host += 1)
      for (let index = 0; index < 10; index += 1)
        queue.send(`hostile-${host}-${index}`, `host-${host}`, 0, { share: "unlisted" });
    await vi.advanceTimersByTimeAsync(100);
    const before = of("hostile");
    queue.send("victim", "docker.io", 0, { share: "unlisted" });
    await vi.advanceTimersByTimeAsync(10);

    expect(before).toBe(50);
    expect(of("victim")).toBe(1);
  });
});
