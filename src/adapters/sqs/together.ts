import type { Outgoing, Sender } from "./sender.ts";

/** Messages that wait until the request before theirs is done. */
interface Gathered {
  readonly messages: Outgoing[];
  readonly sent: Promise<void>;
}

/**
 * Has messages travel together that are for the same queue, and are sent while others are on their way there: a request costs the same with
 * one message as with ten. The first waits for nobody. Each sender is told what became of its request, whoever else is in it.
 */
export function sentTogether(send: Sender): Sender {
  const gathering = new Map<string, Gathered>();
  const underWay = new Map<string, Promise<void>>();
  return (queue, messages) => {
    const gathered = gathering.get(queue);
    if (gathered !== undefined) {
      gathered.messages.push(...messages);
      return gathered.sent;
    }
    const own = [...messages];
    const before = underWay.get(queue) ?? Promise.resolve();
    const sent = before.then(() => {
      gathering.delete(queue);
      return send(queue, own);
    });
    gathering.set(queue, { messages: own, sent });
    // Those that wait for it begin whatever became of it.
    const done = sent.catch(() => undefined);
    underWay.set(queue, done);
    return sent;
  };
}
