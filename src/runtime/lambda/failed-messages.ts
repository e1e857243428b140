/** What becomes of messages whose delivery failed. */
import type { Context, SQSRecord } from "aws-lambda";
import { sqsClient } from "#adapters/sqs/client";
import { isEarly, outgoing } from "#adapters/sqs/queues";
import { queueUrlOf } from "#adapters/sqs/queue-url";
import { type Outgoing, sqsSender } from "#adapters/sqs/sender";
import { deliverAgain } from "#adapters/sqs/visibility";
import { environment as names } from "#contracts/aws/environment";
import { openEnvelope } from "#contracts/messages/envelope-schema";
import { delivery, triggerOf } from "#contracts/routes";
import { type EpochMs, epochMs, plus, toIso } from "#domain/shared/time";
import { keptError, type Letter, letterAgain, letterBody, letterIn } from "../dead-letter.ts";
import type { Log } from "../handler.ts";
import { lambdaLog } from "./log.ts";
import { variable } from "./wiring/part.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/** The longest time for the requests. The response needs the rest of the run. */
const mostMs = 1_000;
const forTheResponseMs = 200;

type Client = ReturnType<typeof sqsClient>;

/**
 * Returns a function that lets failed messages come again soon. It sends a dead letter whose
 * deliveries all failed to its queue again, for a try after hours, or keeps the letter for a user.
 *
 * The function returns the messages that are still on their queue. It never rejects: a message that
 * it does not reach comes again after the visibility timeout of its queue. It works without any part
 * of the wiring, because the wiring may be what failed.
 */
export function comingAgain({ name, environment = process.env }: FunctionSettings) {
  const isDeadLetter = triggerOf(name)?.kind === "dead-letter";
  const logOf = lambdaLog(name);
  let client: Client | undefined;
  return async (failed: readonly SQSRecord[], context: Context): Promise<readonly SQSRecord[]> => {
    const leftMs = Math.min(mostMs, context.getRemainingTimeInMillis() - forTheResponseMs);
    if (failed.length === 0 || leftMs <= 0) return failed;
    const log = logOf(context.awsRequestId);
    try {
      client ??= sqsClient();
      const signal = AbortSignal.timeout(leftMs);
      const isLast = (record: SQSRecord): boolean => isDeadLetter && receivesOf(record) >= delivery.maximumReceives;
      const last = failed.filter(isLast);
      const others = failed.filter((record) => !isLast(record));
      const keptQueue = (): string => variable(environment, names.keptQueue, "the construct of the queues sets it");
      const [notSent] = await Promise.all([
        sendOn(last, { name, keptQueue, now: epochMs(Date.now()), client, signal, log }),
        comeSoon(others, { name, client, signal, log }),
      ]);
      return [...notSent, ...others];
    } catch (error) {
      log.failure({ id: name, error });
      return failed;
    }
  };
}

interface Doing extends Pick<FunctionSettings, "name"> {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Shortens the visibility timeouts of failed messages. */
async function comeSoon(records: readonly SQSRecord[], { name, client, signal, log }: Doing): Promise<void> {
  const [first] = records;
  if (first === undefined) return;
  try {
    await deliverAgain(client, first.eventSourceARN, records.map(returned), signal);
  } catch (error) {
    log.failure({ id: name, error });
  }
}

/** Returns when a message is delivered again. After its last delivery, SQS moves it at once. */
function returned(record: SQSRecord) {
  const afterSeconds = delivery.stackRetrySeconds[receivesOf(record) - 1] ?? 0;
  return { receiptHandle: record.receiptHandle, afterSeconds };
}

function receivesOf({ attributes: { ApproximateReceiveCount: count } }: SQSRecord): number {
  return Math.max(1, Number(count) || 1);
}

interface SendingOn extends Doing {
  /** Returns the URL of the queue of kept messages. */
  readonly keptQueue: () => string;
  readonly now: EpochMs;
}

/**
 * Sends letters whose deliveries all failed to their next queue. Returns those that were not sent. A
 * letter may be sent and still be delivered again: its handling is safe to repeat.
 */
async function sendOn(
  records: readonly SQSRecord[],
  { name, keptQueue, now, client, signal, log }: SendingOn,
): Promise<readonly SQSRecord[]> {
  const send = sqsSender(client, signal);
  const letters = records.map((record) => ({ record, ...onward(record.body, name, now) }));
  const left = await Promise.all(
    Map.groupBy(letters, ({ to, record }) => (to === "kept" ? keptQueue() : queueUrlOf(record.eventSourceARN)))
      .entries()
      .map(async ([queue, some]) => {
        try {
          await send(
            queue,
            some.map(({ message }) => message),
          );
          for (const { record, tell } of some) tell(log, record.messageId);
          return [];
        } catch (error) {
          log.failure({ id: name, error });
          return some.map(({ record }) => record);
        }
      }),
  );
  return left.flat();
}

interface Onward {
  readonly to: "own" | "kept";
  readonly message: Outgoing;
  /** Logs what became of the letter. */
  readonly tell: (log: Log, id: string) => void;
}

/**
 * Returns the next message of a letter whose deliveries all failed: for its own queue after a pause,
 * or for a user after the last pause. An early letter was not tried, so it keeps its time.
 */
function onward(body: string, name: FunctionSettings["name"], now: EpochMs): Onward {
  const envelope = openEnvelope(body);
  if (envelope !== undefined && isEarly(envelope, now)) return later(envelope, now);
  const letter = letterIn(envelope?.body ?? body);
  const again = letterAgain(letter);
  return again === undefined
    ? kept(letter, name)
    : later({ notBefore: plus(now, again.pause), body: again.body, group: "" }, now);
}

function later(envelope: Parameters<typeof outgoing>[0], now: EpochMs): Onward {
  const outcome = { kind: "tried-again", at: toIso(envelope.notBefore) };
  return {
    to: "own",
    message: outgoing(envelope, now),
    tell: (log, id) => {
      log.outcome({ id, outcome });
    },
  };
}

function kept({ body, why }: Letter, name: FunctionSettings["name"]): Onward {
  return {
    to: "kept",
    message: { body: letterBody({ body, why }), group: "", attributes: { function: name } },
    tell: (log, id) => {
      log.failure({ id, error: keptError({ body, why }) });
    },
  };
}
