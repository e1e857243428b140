import { type Envelope, sealEnvelope } from "#contracts/messages/envelope";
import { durationMs, type EpochMs, plus, since } from "#domain/shared/time";
import { groupOf, type Work } from "#domain/update/commands";
import type { Clock } from "#ports/clock";
import type { Queues } from "#ports/messaging";
import type { Outgoing, Sender } from "./sender.ts";

/** The longest that SQS keeps a message back by itself. Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html */
const longestDelayMs = 900_000;
/** Delays are whole seconds: what is this near is due. */
const nearMs = 500;

/** A message, and the URL of the queue that it is for. */
export interface Addressed {
  readonly queue: string;
  readonly envelope: Envelope;
}

/** What the queues are made of. */
export interface SqsQueuesOptions {
  readonly send: Sender;
  readonly clock: Clock;
  /** Answers the URL of the queue for a piece of work. @throws PermanentError for one that this function may not send to. */
  readonly urlOf: (work: Work) => string;
  /** Keeps messages for longer than a queue can, and puts them into their queues shortly before their time. An empty list is fine. */
  readonly keep: (messages: readonly Addressed[]) => Promise<void>;
}

/** The queues of commands. What is kept back is in an envelope, so that whoever gets it early can send it again. */
export function sqsQueues({ send, clock, urlOf, keep }: SqsQueuesOptions): Queues {
  return {
    async send(sendings) {
      const now = clock.now();
      const addressed = sendings.map(({ work, delay = durationMs(0) }) => ({
        queue: urlOf(work),
        envelope: { notBefore: plus(now, delay), body: JSON.stringify(work), group: groupOf(work) },
      }));
      const { far = [], near = [] } = Object.groupBy(addressed, ({ envelope }) =>
        since(now, envelope.notBefore) > longestDelayMs ? "far" : "near",
      );
      const queues = Map.groupBy(near, ({ queue }) => queue);
      const sent = [...queues].map(([queue, all]) =>
        send(
          queue,
          all.map(({ envelope }) => outgoing(envelope, now)),
        ),
      );
      // What can be sent is sent, whatever becomes of the rest.
      const done = await Promise.allSettled([keep(far), ...sent]);
      for (const one of done) if (one.status === "rejected") throw one.reason;
    },
  };
}

/** Answers whether a message came before its time. */
export function isEarly({ notBefore }: Envelope, now: EpochMs): boolean {
  return since(now, notBefore) > nearMs;
}

/** Makes a message that comes at its time, within half a second; of one that is further away than a queue can wait, one that comes early. */
export function outgoing(envelope: Envelope, now: EpochMs): Outgoing {
  const { body, group } = envelope;
  if (!isEarly(envelope, now)) return { body, group };
  const delaySeconds = Math.round(Math.min(since(now, envelope.notBefore), longestDelayMs) / 1_000);
  return { body: sealEnvelope(envelope), group, delaySeconds };
}
