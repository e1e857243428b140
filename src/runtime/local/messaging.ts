import { eventDetail } from "#contracts/messages/events";
import type { DomainEvent, Fact, PushDisputed } from "#domain/update/events";
import { groupOf, tenantOf } from "#domain/update/commands";
import type { Bus, Queues } from "#ports/messaging";
import type { QueueName } from "./functions.ts";
import type { LocalQueue } from "./queue.ts";

/** The queues of this process. They may be added later: each message looks its queue up. */
export type LocalQueues = ReadonlyMap<QueueName, Pick<LocalQueue, "send">>;

/** Returns the port that sends commands to the local queues. */
export function localQueues(queues: LocalQueues): Queues {
  return {
    send(sendings) {
      for (const { command, delay } of sendings) {
        // An extra command follows a change; other commands only check for one.
        const place = "requestedBy" in command ? "first" : "last";
        const order = { tenant: tenantOf(command), place } as const;
        queues.get(command.name)?.send(JSON.stringify(command), groupOf(command), delay ?? 0, order);
      }
      return Promise.resolve();
    },
  };
}

/** Returns the local bus: pushes go to their queue, as in the stack, and facts to one listener. */
export function localBus(
  queues: LocalQueues,
  onFact: (fact: Fact) => void,
  onDispute: (dispute: PushDisputed) => void = () => undefined,
): Bus {
  const deliver = (event: DomainEvent): void => {
    if (event.name === "ImagePushed")
      queues.get("ImagePushed")?.send(JSON.stringify(eventDetail(event)), event.registry, 0);
    else if (event.name === "PushDisputed") onDispute(event);
    else onFact(event);
  };
  return {
    publish(events) {
      events.forEach(deliver);
      return Promise.resolve();
    },
  };
}
