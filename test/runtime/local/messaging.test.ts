import { describe, vi } from "vitest";
import { imagePushedSchema } from "#contracts/messages/event-schemas";
import type { DomainEvent } from "#domain/update/events";
import type { CommandName, Command } from "#domain/update/commands";
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
  const taken = (to: CommandName) => (body: string) =>
    handed.push({ to, command: JSON.parse(body) as Command, afterMs: Date.now() - began });
  for (const to of commands) queues.set(to, queueOf(taken(to)));
  queues.set(
    "ImagePushed",
    queueOf((body) => told.push(imagePushedSchema.parse(JSON.parse(body)))),
  );
  return {
    ...{ queues: localQueues(queues), bus: localBus(queues, (fact) => told.push(fact)), handed, told },
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
