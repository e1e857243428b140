import { type Envelope, sealEnvelope } from "#contracts/messages/envelope";
import { durationMs, type EpochMs, plus, since } from "#domain/shared/time";
import { groupOf, type Command } from "#domain/update/commands";
import type { Clock } from "#ports/clock";
import type { Queues } from "#ports/messaging";
import type { Outgoing, Sender } from "./sender.ts";

/**
 * The longest delay of SQS.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html
 */
const longestDelayMs = 900_000;
/** A message is due this long before its time, because delays of SQS are whole seconds. */
const nearMs = 500;

/** A message and the URL of its queue. */
export interface Addressed {
  readonly queue: string;
  readonly envelope: Envelope;
}

/** The options of the queues. */
export interface SqsQueuesOptions {
  readonly send: Sender;
  readonly clock: Clock;
  /**
   * Returns the URL of a command's queue. @throws PermanentError when this function may not send
   * the command.
   */
  readonly urlOf: (command: Command) => string;
  /**
   * Delivers messages shortly before their time, for delays that SQS does not support. The list may
   * be empty.
   */
  readonly keep: (messages: readonly Addressed[]) => Promise<void>;
}

/**
 * Returns the queues of commands. The envelope of a delayed message says when the message is due, so
 * that a message that arrives early can be sent again.
 */
export function sqsQueues({ send, clock, urlOf, keep }: SqsQueuesOptions): Queues {
  return {
    async send(sendings) {
      const now = clock.now();
      const addressed = sendings.map(({ command, delay = durationMs(0) }) => ({
        queue: urlOf(command),
        envelope: { notBefore: plus(now, delay), body: JSON.stringify(command), group: groupOf(command) },
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
      // One failed request must not stop the others.
      const done = await Promise.allSettled([keep(far), ...sent]);
      for (const one of done) if (one.status === "rejected") throw one.reason;
    },
  };
}

/** Returns whether a message came before its time. */
export function isEarly({ notBefore }: Envelope, now: EpochMs): boolean {
  return since(now, notBefore) > nearMs;
}

/**
 * Returns the message to send. The message arrives within half a second of its time, or earlier
 * when SQS's longest delay is too short.
 */
export function outgoing(envelope: Envelope, now: EpochMs): Outgoing {
  const { body, group } = envelope;
  if (!isEarly(envelope, now)) return { body, group };
  const delaySeconds = Math.round(Math.min(since(now, envelope.notBefore), longestDelayMs) / 1_000);
  return { body: sealEnvelope(envelope), group, delaySeconds };
}
