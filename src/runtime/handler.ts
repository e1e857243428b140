import type { Ports } from "#app/shared/ports";
import { imagePushedSchema, isOfNewerVersion } from "#contracts/messages/event-schemas";
import { commandSchemas } from "#contracts/messages/commands";
import { correlationIn, correlationOf } from "#domain/update/correlation";
import type { ImagePushed } from "#domain/image/push";
import { parseJson } from "#domain/shared/json";
import type { Command, EvaluateWorkload, VersionedCommand, Work } from "#domain/update/commands";
import { PermanentError, TransientError } from "#ports/errors";
import type { PushReceivers } from "#ports/push-receiver";
import type { Change } from "#ports/store";
import * as z from "zod/mini";

/** What a line is about. */
interface LogEntry {
  readonly id: string;
  /** The same on every line from the push to the end of the update; absent where no one message is worked off. */
  readonly correlationId?: string;
}

/** One line for operators: what a run came to. Never an event, a body or a secret. */
export interface Log {
  outcome(entry: LogEntry & { readonly outcome: unknown }): void;
  failure(entry: LogEntry & { readonly error: unknown }): void;
}

/** Where messages go that no delivery can help. */
export interface SetAside {
  /** Hands a message to the function that looks after its update. */
  deadLetter(message: DeadLetter): Promise<void>;
  /** Keeps a message for a person: nobody can tell what it is about. */
  keep(message: DeadLetter): Promise<void>;
}

/** A message that was given up, and why, in one line without secrets. */
export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  readonly why: string;
}

/** What a run of a function has besides its event. */
export interface Invocation {
  readonly ports: Ports;
  readonly receivers: PushReceivers;
  readonly setAside: SetAside;
  readonly log: Log;
  /** Aborts one second before the run is ended from outside. */
  readonly signal: AbortSignal;
}

/** A batch from a queue, in the form of SQS. */
export interface QueueEvent {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

/** The messages of a batch that are to be delivered again; all others are done. */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** A function that a queue triggers. */
export type QueueFunction = (event: QueueEvent, invocation: Invocation) => Promise<BatchResponse>;
/** A function that a schedule triggers. */
export type ScheduleFunction = (invocation: Invocation) => Promise<void>;
/** A function that the writes of records trigger; a throw hands the same changes on again. */
export type ChangesFunction = (changes: readonly Change[], invocation: Invocation) => Promise<void>;
/** A function that an HTTP request triggers. */
export type RequestFunction = (request: Request, invocation: Invocation) => Promise<Response>;

type Step<Message> = (message: Message, ports: Ports, signal: AbortSignal) => Promise<unknown>;

/**
 * Makes the function that works off a command's queue.
 *
 * Each message of a batch stands for itself: one that fails is delivered again, one that can't be understood or helped is set aside at
 * once, and neither delays the others.
 */
export function onCommand<Name extends Command>(
  command: Name,
  step: Step<Extract<Work, { command: Name }>>,
): QueueFunction {
  const schema = commandSchemas[command] as unknown as z.ZodMiniType<Extract<Work, { command: Name }>>;
  const parse = (body: string): Extract<Work, { command: Name }> => schema.parse(JSON.parse(body));
  return (event, invocation) => eachRecord(event, invocation, { parse, about: correlationIn, step });
}

/** Makes the function that works off the queue of an event's rule. */
export function onEvent(_event: "ImagePushed", step: Step<ImagePushed>): QueueFunction {
  const parse = (body: string): ImagePushed => imagePushedSchema.parse(ofKnownVersion(JSON.parse(body)));
  return (event, invocation) => eachRecord(event, invocation, { parse, about: correlationIn, step });
}

/** @throws TransientError when only a newer Lookout can read it. */
function ofKnownVersion(value: unknown): unknown {
  if (isOfNewerVersion(value))
    throw new TransientError("the event is of a newer version: it comes again, to the function that replaces this one");
  return value;
}

/** What a queue gave up and may do something about: work, or a push. */
export type GivenUp = VersionedCommand | EvaluateWorkload | ImagePushed;

/**
 * Makes the function that looks at what queues gave up: letters that say why, or the bare messages. All are counted; what comes again by
 * itself is only logged, and what nobody can read is kept for a person.
 */
export function onDeadLetter(step: (given: GivenUp, why: string, ports: Ports) => Promise<unknown>): QueueFunction {
  const { SyncCluster, SweepRepository, ...looked } = commandSchemas;
  const known = z.union([...Object.values(looked), imagePushedSchema]);
  const comesAgain = z.union([SyncCluster, SweepRepository]);
  const letterSchema = z.strictObject({ body: z.string(), why: z.string() });
  const parse = (text: string, id: string): Letter => {
    const letter = letterSchema.safeParse(parseJson(text)).data;
    // A queue that gives a message up by itself does not say why.
    const { body, why } = letter ?? { body: text, why: "it failed every time; the log says why" };
    const message = ofKnownVersion(parseJson(body));
    return { id, body, why, given: known.safeParse(message).data, again: comesAgain.safeParse(message).data };
  };
  const about = ({ given }: Letter): string | undefined => given && correlationIn(given);
  return (event, invocation) =>
    eachRecord(event, invocation, {
      ...{ parse, about },
      step: async ({ id, body, why, given, again }, ports) => {
        ports.metrics.add("MessagesDeadLettered", 1, { message: messageName(given ?? again), why });
        if (given !== undefined) return step(given, why, ports);
        if (again !== undefined) return { kind: "comes-again", why };
        await invocation.setAside.keep({ id, body, why });
        return { kind: "kept", why };
      },
    });
}

/** What was given up, as far as it can be read. */
interface Letter extends DeadLetter {
  /** Undefined: nothing can be done about it, or nobody can read it. */
  readonly given: GivenUp | undefined;
  /** Work that comes again by itself. */
  readonly again: Work | undefined;
}

function messageName(message: Work | ImagePushed | undefined): string {
  if (message === undefined) return "unknown";
  return "command" in message ? message.command : message.name;
}

/** Makes the function that a schedule runs. */
export function onSchedule(id: string, step: (ports: Ports) => Promise<unknown>): ScheduleFunction {
  return async ({ ports, log }) => {
    log.outcome({ id, outcome: await step(ports) });
  };
}

/** Makes the function that hands on the writes of records. */
export function onChanges(step: (changes: readonly Change[], ports: Ports) => Promise<unknown>): ChangesFunction {
  return async (changes, { ports }) => {
    await step(changes, ports);
  };
}

/** How the messages of a queue are worked off. */
interface Handling<Message> {
  readonly parse: (body: string, id: string) => Message;
  /** Answers its {@link LogEntry.correlationId}. */
  readonly about: (message: Message) => string | undefined;
  readonly step: Step<Message>;
}

async function eachRecord<Message>(
  event: QueueEvent,
  invocation: Invocation,
  handling: Handling<Message>,
): Promise<BatchResponse> {
  const done = await Promise.all(
    event.Records.map(async ({ messageId, body }) =>
      (await runOne(messageId, body, invocation, handling)) ? undefined : messageId,
    ),
  );
  return { batchItemFailures: done.filter((id) => id !== undefined).map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Answers whether the message is done: handled, or set aside for good. */
async function runOne<Message>(
  id: string,
  body: string,
  { ports, setAside, log, signal }: Invocation,
  { parse, about, step }: Handling<Message>,
): Promise<boolean> {
  let message: Message;
  try {
    message = parse(body, id);
  } catch (error) {
    log.failure({ id, error });
    if (error instanceof TransientError) return false;
    await setAside.keep({ id, body, why: "the message can't be understood" });
    return true;
  }
  const entry = { id, ...correlationOf({ correlationId: about(message) }) };
  try {
    const outcome = await step(message, ports, signal);
    log.outcome({ ...entry, outcome });
    // A part that failed is looked after already, and the message is done; but people are told.
    if (hasFailure(outcome)) log.failure({ ...entry, error: outcome.failure });
    return true;
  } catch (error) {
    log.failure({ ...entry, error });
    if (!(error instanceof PermanentError)) return false;
    await setAside.deadLetter({ id, body, why: error.message });
    return true;
  }
}

function hasFailure(outcome: unknown): outcome is { readonly failure: unknown } {
  return typeof outcome === "object" && outcome !== null && "failure" in outcome;
}
