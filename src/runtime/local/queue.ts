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
export function localQueue(options: QueueOptions): LocalQueue {
  const delays = delayLine((message) => {
    ready.push(message);
    setImmediate(deliver);
  });
  const ready: Message[] = [];
  const running = new Set<Promise<void>>();
  let inWork = 0;
  let sent = 0;

  const deliver = (): void => {
    while (!delays.stopped() && ready.length > 0 && inWork < options.concurrency) {
      const batch = ready.splice(0, Math.min(delivery.batchSize, options.concurrency - inWork));
      inWork += batch.length;
      const done = work(batch, options, delays.keep).finally(() => {
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
      delays.keep({ id: `m${sent}`, body, receives: 0 }, delayMs);
    },
    async stop() {
      delays.stop();
      await Promise.allSettled(running);
    },
  };
}

interface DelayLine {
  readonly keep: (message: Message, delayMs: number) => void;
  stop(): void;
  stopped(): boolean;
}

/** Keeps messages back, each for its own time; after a stop all are dropped. */
function delayLine(release: (message: Message) => void): DelayLine {
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;
  return {
    keep(message, delayMs) {
      if (isStopped) return;
      if (delayMs <= 0) {
        release(message);
        return;
      }
      const timer = setTimeout(() => {
        timers.delete(timer);
        release(message);
      }, delayMs);
      timers.add(timer);
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
    stopped: () => isStopped,
  };
}

/** Runs one batch: what failed comes again later, or is given up. A run that throws as a whole fails the whole batch, as on SQS. */
async function work(batch: readonly Message[], { run, giveUp }: QueueOptions, keep: DelayLine["keep"]): Promise<void> {
  for (const message of batch) message.receives += 1;
  const event = { Records: batch.map(({ id, body }) => ({ messageId: id, body })) };
  const all: BatchResponse = { batchItemFailures: batch.map(({ id }) => ({ itemIdentifier: id })) };
  const { batchItemFailures } = await run(event).catch(() => all);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const message of batch.filter(({ id }) => failed.has(id))) {
    if (message.receives >= delivery.maximumReceives) await giveUp(message);
    else keep(message, retryDelayMs(message.receives));
  }
}
