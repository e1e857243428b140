import { delivery } from "#contracts/routes";
import type { BatchResponse, QueueEvent } from "../handler.ts";

/** What a queue needs of the process that runs it. */
export interface QueueOptions {
  /** Runs a batch; the messages that it names come again. */
  readonly run: (event: QueueEvent) => Promise<BatchResponse>;
  /** Takes a message that failed every time. */
  readonly giveUp: (message: { readonly id: string; readonly body: string }) => Promise<void>;
  /** How many messages may be in work at once. */
  readonly concurrency: number;
}

/** A queue of this process, with the delivery rules of SQS: at least once, in no order, delays, partial batch failure, giving up. */
export interface LocalQueue {
  /** @param delayMs - how long it is kept back; 0: at once. */
  send(body: string, delayMs: number): void;
  /** Messages that are ready or in work; what is kept back does not count. */
  busy(): number;
  /** Delivers nothing any more, and answers when the runs in work have ended. */
  stop(): Promise<void>;
}

interface Message {
  readonly id: string;
  readonly body: string;
  receives: number;
}

/** How long a failed message is kept back: half a second, doubling with each delivery, half a minute at the most. */
function retryDelayMs(receives: number): number {
  return Math.min(30_000, 500 * 2 ** (receives - 1));
}

/** Opens a queue. */
export function localQueue({ run, giveUp, concurrency }: QueueOptions): LocalQueue {
  const ready: Message[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  let inWork = 0;
  let sent = 0;
  let stopped = false;

  const later = (message: Message, delayMs: number): void => {
    if (stopped) return;
    if (delayMs <= 0) {
      ready.push(message);
      setImmediate(deliver);
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      later(message, 0);
    }, delayMs);
    timers.add(timer);
  };

  const settle = async (batch: readonly Message[], failed: ReadonlySet<string>): Promise<void> => {
    for (const message of batch) {
      if (!failed.has(message.id)) continue;
      if (message.receives >= delivery.maximumReceives) await giveUp(message);
      else later(message, retryDelayMs(message.receives));
    }
  };

  const work = async (batch: readonly Message[]): Promise<void> => {
    for (const message of batch) message.receives += 1;
    const event = { Records: batch.map(({ id, body }) => ({ messageId: id, body })) };
    // A run that throws as a whole returns the whole batch, as it does on SQS.
    const response = await run(event).catch((): BatchResponse => ({
      batchItemFailures: batch.map(({ id }) => ({ itemIdentifier: id })),
    }));
    await settle(batch, new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)));
  };

  const deliver = (): void => {
    while (!stopped && ready.length > 0 && inWork < concurrency) {
      const batch = ready.splice(0, Math.min(delivery.batchSize, concurrency - inWork));
      inWork += batch.length;
      const done = work(batch).finally(() => {
        inWork -= batch.length;
        running.delete(done);
        deliver();
      });
      running.add(done);
    }
  };

  return {
    send(body, delayMs) {
      sent += 1;
      later({ id: `m${sent}`, body, receives: 0 }, delayMs);
    },
    busy: () => ready.length + inWork,
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.allSettled(running);
    },
  };
}
