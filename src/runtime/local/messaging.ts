import { eventDetail } from "#contracts/messages/events";
import type { DomainEvent, Fact } from "#domain/update/events";
import { groupOf } from "#domain/update/commands";
import type { Bus, Queues } from "#ports/messaging";
import type { QueueName } from "./functions.ts";
import type { LocalQueue } from "./queue.ts";

/** The queues of this process. They may be put in later: they are looked up with each message. */
export type LocalQueues = ReadonlyMap<QueueName, Pick<LocalQueue, "send">>;

/** Sends commands to the queues of this process. */
export function queuesOver(queues: LocalQueues): Queues {
  return {
    send(sendings) {
      for (const { work, delay } of sendings) {
        // What a hint asks for has just changed; the others only look whether anything has.
        const place = "hint" in work ? "first" : "last";
        queues.get(work.command)?.send(JSON.stringify(work), groupOf(work), delay ?? 0, place);
      }
      return Promise.resolve();
    },
  };
}

/** Publishes within this process: pushes into their queue, as the stack's rule does, and facts to one listener. */
export function busOver(queues: LocalQueues, onFact: (fact: Fact) => void): Bus {
  const deliver = (event: DomainEvent): void => {
    if (event.name === "ImagePushed")
      queues.get("ImagePushed")?.send(JSON.stringify(eventDetail(event)), event.registry, 0);
    else onFact(event);
  };
  return {
    publish(events) {
      events.forEach(deliver);
      return Promise.resolve();
    },
  };
}
