import { afterEach, describe, expect, it, vi } from "vitest";
import type { QueueCommand } from "#contracts/routes";
import { imagePushedSchema } from "#contracts/messages/event-schemas";
import { syntheticPush } from "#domain/image/synthetic-push";
import { epochMs } from "#domain/shared/time";
import type { DomainEvent } from "#domain/update/events";
import type { Command } from "#domain/update/commands";
import type { QueueMessage } from "#runtime/handler";
import type { QueueName } from "#runtime/local/functions";
import { localBus, localQueues } from "#runtime/local/messaging";
import { type LocalQueue, localQueue } from "#runtime/local/queue";
import { busContract, type Handed, type MessagingBed, queuesContract } from "#test/contracts/messaging.contract";

const commands = ["SyncCluster", "SweepRepository", "EvaluateWorkload", "Wake", "RollOut", "CheckRollout"] as const;

async function bed(): Promise<MessagingBed> {
  vi.useFakeTimers();
  const began = Date.now();
  const handed: Handed[] = [];
  const told: DomainEvent[] = [];
  const queues = new Map<QueueName, LocalQueue>();
  const queueOf = (take: (body: string) => void): LocalQueue =>
    localQueue({
      run: async ({ body }) => {
        take(body);
        return "done";
      },
      deadLetter: () => Promise.reject(new Error("nothing here fails")),
      concurrency: () => 10,
    });
  const taken = (to: QueueCommand) => (body: string) =>
    handed.push({ to, command: JSON.parse(body) as Command, afterMs: Date.now() - began });
  for (const to of commands) queues.set(to, queueOf(taken(to)));
  queues.set(
    "ImagePushed",
    queueOf((body) => told.push(imagePushedSchema.parse(JSON.parse(body)))),
  );
  return {
    ...{
      queues: localQueues(queues, () => []),
      bus: localBus(
        queues,
        () => [],
        (fact) => told.push(fact),
      ),
      handed,
      told,
    },
    pass: async (duration) => {
      await vi.advanceTimersByTimeAsync(duration);
    },
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.stop()));
      vi.useRealTimers();
    },
  };
}

describe("the queues of the local process", () => {
  queuesContract(bed);
});

describe("the bus of the local process", () => {
  busContract(bed);
});

describe("a tenant with hanging registries", () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const entries = Array.from({ length: 60 }, (_, index) => ({ host: `listed${index}.test` }));
  const pushOf = (registry: string, source: string) =>
    ({ name: "ImagePushed", id: registry, registry, repository: "app", source, at: epochMs(0) }) as const;

  it.each([
    { hosts: "hosts without an entry", push: "of such a host", registry: "other.test" },
    { hosts: "hosts without an entry and with one", push: "of a host with an entry", registry: "listed59.test" },
  ])("with sweeps of 60 $hosts delays no push of a webhook $push", async ({ registry }) => {
    vi.useFakeTimers();
    const begun: string[] = [];
    const run = ({ body }: { readonly body: string }) => {
      begun.push(imagePushedSchema.parse(JSON.parse(body)).source);
      return new Promise<"done">((resolve) =>
        setTimeout(() => {
          resolve("done");
        }, 59_000),
      );
    };
    const queue = localQueue({ run, deadLetter: () => Promise.resolve(), concurrency: () => 10 });
    const bus = localBus(
      new Map([["ImagePushed", queue]]),
      () => entries,
      () => undefined,
    );

    const hanging = Array.from({ length: 600 }, (_, index) => `${index % 2 === 0 ? "listed" : "h"}${index % 60}.test`);
    await bus.publish(hanging.map((host, index) => ({ ...pushOf(host, "sweep"), repository: `app-${index}` })));
    await vi.advanceTimersByTimeAsync(1_000);
    await bus.publish([pushOf(registry, "harbor")]);
    await vi.advanceTimersByTimeAsync(1_000);

    // Each of the 60 hosts gets a place, of both shares together.
    expect(begun.filter((source) => source === "sweep")).toHaveLength(100);
    expect(begun.at(-1)).toBe("harbor");
  });

  it("causes one evaluation for each image of waiting repeated pushes, and loses no probe", async () => {
    vi.useFakeTimers();
    const begun: string[] = [];
    const run = async ({ body, replaced = 0 }: QueueMessage) => {
      begun.push(`${imagePushedSchema.parse(JSON.parse(body)).id} +${String(replaced)}`);
      return "done" as const;
    };
    const queue = localQueue({ run, deadLetter: () => Promise.resolve(), concurrency: () => 10 });
    const bus = localBus(
      new Map([["ImagePushed", queue]]),
      () => entries,
      () => undefined,
    );
    const push = { ...pushOf("listed0.test", "harbor"), tag: "1.0.0", digest: "sha256:1" };
    const told = [
      push,
      { ...push, tag: "1.1.0" },
      { ...push, digest: "sha256:2" },
      { ...push, repository: "web" },
      { ...push, source: "sweep" },
      { ...push, after: "prod/shop/deployment/api" },
      syntheticPush("probe", epochMs(0)),
    ];

    await bus.publish([...told, ...told].map((one, index) => ({ ...one, id: `p${index}` })));
    await vi.advanceTimersByTimeAsync(1_000);

    expect(begun.sort()).toEqual(
      ["p11 +1", "p10 +1", "p12 +0", "p13 +0", "p5 +0", "p6 +0", "p7 +1", "p8 +1", "p9 +1"].sort(),
    );
  });

  it("delays no push of a listed host by pushes of unlisted hosts", async () => {
    vi.useFakeTimers();
    const begun: string[] = [];
    const run = ({ body }: { readonly body: string }) => {
      begun.push(imagePushedSchema.parse(JSON.parse(body)).registry);
      return new Promise<"done">(() => undefined);
    };
    const queue = localQueue({ run, deadLetter: () => Promise.resolve(), concurrency: () => 10 });
    const bus = localBus(
      new Map([["ImagePushed", queue]]),
      () => entries,
      () => undefined,
    );

    await bus.publish(
      Array.from({ length: 300 }, (_, index) => ({
        ...pushOf(`h${index % 60}.test`, "harbor"),
        repository: `app-${index}`,
      })),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await bus.publish([pushOf("listed0.test", "harbor")]);
    await vi.advanceTimersByTimeAsync(1_000);

    expect([begun.length, begun.at(-1)]).toEqual([61, "listed0.test"]);
  });
});
