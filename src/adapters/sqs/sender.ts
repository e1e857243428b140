import { setTimeout as sleep } from "node:timers/promises";

/** One message to send. */
export interface Outgoing {
  readonly body: string;
  /** The group of the fair queue; empty: none. */
  readonly group: string;
  /** Whole seconds, at most 900. */
  readonly delaySeconds?: number;
}

/** Sends messages to the queue of a URL: all, or it throws, and some may have been sent. An empty list is fine. */
export type Sender = (queue: string, messages: readonly Outgoing[]) => Promise<void>;

/** Why each of the messages that were sent was not taken, in their order; undefined: it was. */
export type Refusals = readonly (Error | undefined)[];

/** How long the first message waits for others: what one run decides about several workloads is written within it. */
const gatherMs = 10;

/** Messages that are still to be sent. */
interface Gathered {
  readonly messages: Outgoing[];
  readonly sent: Promise<Refusals>;
}

/**
 * Has messages travel together that are sent to the same queue at about the same time: a request costs the same with one message as with
 * ten. Each sender hears of its own messages alone.
 */
export function sentTogether(sendAll: (queue: string, messages: readonly Outgoing[]) => Promise<Refusals>): Sender {
  const gathering = new Map<string, Gathered>();
  const gather = (queue: string): Gathered => {
    const messages: Outgoing[] = [];
    const sent = sleep(gatherMs).then(() => {
      gathering.delete(queue);
      return sendAll(queue, messages);
    });
    const gathered = { messages, sent };
    gathering.set(queue, gathered);
    return gathered;
  };
  return async (queue, own) => {
    if (own.length === 0) return;
    const { messages, sent } = gathering.get(queue) ?? gather(queue);
    const first = messages.length;
    messages.push(...own);
    const refused = (await sent).slice(first, first + own.length).find((refusal) => refusal !== undefined);
    if (refused !== undefined) throw refused;
  };
}
