import type { QueueName } from "#runtime/local/functions";

/** A message on its queue. */
export interface Message {
  readonly number: number;
  readonly queue: QueueName;
  readonly body: string;
  /** When it is ready. */
  readonly at: number;
  /** How often it was delivered before. */
  readonly receives: number;
}

/** All queues in one. */
export interface Mailbox {
  put(message: Omit<Message, "number">): Message;
  ready(now: number): readonly Message[];
  take(message: Message): void;
  /** When the next message that waits is ready; undefined: none waits. */
  nextAt(): number | undefined;
  readonly all: readonly Message[];
  /** Bodies that were ever put in, lost ones too. */
  readonly sent: Set<string>;
}

/** Empty queues. */
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
