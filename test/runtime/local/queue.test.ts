import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { QueueEvent } from "#runtime/handler";
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
  readonly deliveries: readonly { readonly at: number; readonly bodies: readonly string[] }[];
  readonly givenUp: readonly string[];
}

/** A queue whose function fails for these bodies, each so many times. */
function queueThatFails(failures: Readonly<Record<string, number>>, concurrency = 10): Seen {
  const began = Date.now();
  const left = new Map(Object.entries(failures));
  const deliveries: { at: number; bodies: readonly string[] }[] = [];
  const givenUp: string[] = [];
  const run = async ({ Records }: QueueEvent) => {
    deliveries.push({ at: Math.round((Date.now() - began) / 100) * 100, bodies: Records.map(({ body }) => body) });
    const failed = Records.filter(({ body }) => {
      const times = left.get(body) ?? 0;
      left.set(body, times - 1);
      return times > 0;
    });
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
  const queue = localQueue({ run, concurrency, giveUp: async ({ body }) => void givenUp.push(body) });
  return { queue, deliveries, givenUp };
}

describe("a queue of the local process", () => {
  it("delivers what is ready together, at most ten messages in a batch", async () => {
    const { queue, deliveries } = queueThatFails({}, 100);

    for (let index = 0; index < 12; index += 1) queue.send(String(index), 0);
    await vi.advanceTimersByTimeAsync(1);

    expect(deliveries.map(({ bodies }) => bodies.length)).toEqual([10, 2]);
  });

  it("keeps a message back for its delay", async () => {
    const { queue, deliveries } = queueThatFails({});

    queue.send("later", 900_000);
    queue.send("now", 0);
    await vi.advanceTimersByTimeAsync(900_001);

    expect(deliveries).toEqual([
      { at: 0, bodies: ["now"] },
      { at: 900_000, bodies: ["later"] },
    ]);
  });

  it("delivers again only what failed of a batch, later each time", async () => {
    const { queue, deliveries } = queueThatFails({ bad: 2 });

    queue.send("good", 0);
    queue.send("bad", 0);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(deliveries).toEqual([
      { at: 0, bodies: ["good", "bad"] },
      { at: 500, bodies: ["bad"] },
      { at: 1_500, bodies: ["bad"] },
    ]);
  });

  it("gives a message up after five deliveries, and the others never wait for it", async () => {
    const { queue, deliveries, givenUp } = queueThatFails({ poison: 100 });

    queue.send("poison", 0);
    await vi.advanceTimersByTimeAsync(2_000);
    queue.send("good", 0);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(deliveries.filter(({ bodies }) => bodies.includes("poison"))).toHaveLength(5);
    expect(deliveries).toContainEqual({ at: 2_000, bodies: ["good"] });
    expect(givenUp).toEqual(["poison"]);
  });

  it("has no more messages in work than it may", async () => {
    let inWork = 0;
    let most = 0;
    const run = async ({ Records }: QueueEvent) => {
      inWork += Records.length;
      most = Math.max(most, inWork);
      await new Promise((resolve) => setTimeout(resolve, 100));
      inWork -= Records.length;
      return { batchItemFailures: [] };
    };
    const queue = localQueue({ run, concurrency: 3, giveUp: async () => undefined });

    for (let index = 0; index < 20; index += 1) queue.send(String(index), 0);
    await vi.advanceTimersByTimeAsync(5_000);

    expect({ most, inWork }).toEqual({ most: 3, inWork: 0 });
  });

  it("returns the whole batch when its function throws", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 1) throw new Error("a bug");
      return { batchItemFailures: [] };
    };
    const queue = localQueue({ run, concurrency: 10, giveUp: async () => undefined });

    queue.send("one", 0);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(runs).toBe(2);
  });

  it("delivers nothing after it was stopped, and ends what is in work", async () => {
    const { queue, deliveries } = queueThatFails({});
    queue.send("kept back", 1_000);

    await queue.stop();
    queue.send("too late", 0);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(deliveries).toEqual([]);
  });
});
