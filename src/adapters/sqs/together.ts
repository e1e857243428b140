import { setTimeout as sleep } from "node:timers/promises";
import type { Outgoing, Sender } from "./sender.ts";

/** How long the first message waits for others: what one run decides about several workloads is written within it. */
const gatherMs = 10;

/** Messages of one request that is still to be made. */
interface Gathered {
  readonly messages: Outgoing[];
  readonly sent: Promise<void>;
}

/**
 * Has messages travel together that are sent to the same queue at about the same time: a request costs the same with one message as with ten.
 *
 * Each sender is told what became of the request that its messages are in, whoever else is in it.
 */
export function sentTogether(send: Sender): Sender {
  const gathering = new Map<string, Gathered>();
  return (queue, messages) => {
    const open = gathering.get(queue);
    if (open !== undefined) {
      open.messages.push(...messages);
      return open.sent;
    }
    const own = [...messages];
    const sent = sleep(gatherMs).then(() => {
      gathering.delete(queue);
      return send(queue, own);
    });
    gathering.set(queue, { messages: own, sent });
    return sent;
  };
}
