import type { QueueName } from "#runtime/local/functions";

/** A message on its queue. */
export interface Message {
  readonly number: number;
  readonly queue: QueueName;
  readonly body: string;
  /** The time at which the message is ready. */
  readonly at: number;
  /** The number of earlier deliveries. */
  readonly receives: number;
}

/** The messages of all queues. */
export interface Mailbox {
  put(message: Omit<Message, "number">): Message;
  ready(now: number): readonly Message[];
  take(message: Message): void;
  /** Returns the time of the next waiting message; undefined without one. */
  nextAt(): number | undefined;
  readonly all: readonly Message[];
  /** All bodies so far, including lost messages. */
  readonly sent: Set<string>;
}

/** Returns empty queues. */
export function emptyMailbox(): Mailbox {
  const waiting: Message[] = [];
  const sent = new Set<string>();
  let count = 0;
  return {
    all: waiting,
    sent,
    put(message) {
      count += 1;
      const numbered = { ...message, number: count };
      waiting.push(numbered);
      sent.add(message.body);
      return numbered;
    },
    ready: (now) => waiting.filter(({ at }) => at <= now),
    take(message) {
      const index = waiting.indexOf(message);
      if (index !== -1) waiting.splice(index, 1);
    },
    nextAt: () => (waiting.length === 0 ? undefined : Math.min(...waiting.map(({ at }) => at))),
  };
}
