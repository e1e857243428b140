import { ruleOf } from "#contracts/event-rules";
import { eventDetail, eventSource, imagePushedPattern } from "#contracts/events";
import { matchesPattern } from "#domain/event-pattern";
import type { DomainEvent, Fact } from "#domain/events";
import { groupOf } from "#domain/work";
import type { Bus, Queues } from "#ports/messaging";
import type { queueFunctions } from "./functions.ts";
import type { LocalQueue } from "./queue.ts";

/** What a queue of this process is for: a command, an event, or what the others gave up. */
export type QueueName = keyof typeof queueFunctions;

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

/** The account of this process, for the pattern of the rule that the stack deploys. */
const account = "000000000000";

/** Publishes within this process: what the rule of the stack takes, into the queue of pushes; and facts to one listener. */
export function busOver(queues: LocalQueues, onFact: (fact: Fact) => void): Bus {
  const pushes = ruleOf(imagePushedPattern(account));
  const deliver = (event: DomainEvent): void => {
    const detail = eventDetail(event);
    if (matchesPattern(pushes, { source: eventSource, "detail-type": event.name, account, detail }))
      queues.get("ImagePushed")?.send(JSON.stringify(detail), "registry" in event ? event.registry : "", 0);
    if (event.name !== "ImagePushed") onFact(event);
  };
  return {
    publish(events) {
      events.forEach(deliver);
      return Promise.resolve();
    },
  };
}
