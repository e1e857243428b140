import type { Access } from "#domain/access/access";
import type { Ports } from "#app/shared/ports";
import type { DeadLetterOutcome, FailedMessage, FailureCause } from "#app/gate/dead-letter";
import { eventSchemas, isOfNewerVersion } from "#contracts/messages/event-schemas";
import { commandSchemas } from "#contracts/messages/commands";
import type { FunctionName } from "#contracts/routes";
import { correlationIn, correlationOf } from "#domain/update/state/correlation";
import type { ImagePushed } from "#domain/image/push";
import { parseJson } from "#domain/shared/json";
import type { CommandName, Command } from "#domain/update/commands";
import { NewerRecordError, PermanentError, TransientError } from "#ports/errors";
import type { PushReceivers } from "#ports/push-receiver";
import type { StoredVersion } from "#ports/store";
import * as z from "zod/mini";
import { failedMessageIn, letterIn } from "./dead-letter.ts";

/** The subject of a log line. */
interface LogEntry {
  readonly id: string;
  /**
   * The id of the update's push, on every line of the update. Absent for a run without a message.
   */
  readonly correlationId?: string;
}

/**
 * Writes one line for operators about each message. A line never contains an event, a body or a
 * secret.
 */
export interface Log {
  outcome(entry: LogEntry & { readonly outcome: unknown }): void;
  failure(entry: LogEntry & { readonly error: unknown }): void;
}

/** A message as a queue delivers it. */
export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  /**
   * The number of waiting messages that this message replaced. Absent if this message replaced
   * none.
   */
  readonly replaced?: number;
}

/** A failed message, and the cause of its failure. */
export interface DeadLetter extends QueueMessage, FailureCause {}

/** Takes messages that are not delivered again. */
export interface SetAside {
  /** Sends a message to the function `gate/dead-letter`. */
  deadLetter(message: DeadLetter): Promise<void>;
  /** Keeps a message for a user, because no function of Lookout can handle the message. */
  keep(message: DeadLetter): Promise<void>;
}

/** The limits of a process for notifications. */
export interface Intake {
  /**
   * Registers a body. The process calls `cut` if the body arrives too slowly, or if newer bodies
   * need its memory.
   */
  beginBody(cut: () => void): { readonly grew: (bytes: number) => void; readonly end: () => void };
  /** Returns true if too many pushes wait for their evaluation. */
  isFull(): boolean;
}

/** The input of a function besides its event. */
export interface Invocation {
  readonly ports: Ports;
  readonly receivers: PushReceivers;
  readonly setAside: SetAside;
  readonly log: Log;
  /** The rights of the caller of a request. Absent on AWS, where IAM admits callers. */
  readonly access?: Access;
  /** The limits for notifications. Absent if each request has its own process. */
  readonly intake?: Intake;
  /** Aborts before the time limit ends the run: on AWS, one second before. */
  readonly signal: AbortSignal;
}

/** Handles one message of a queue. `again`: the queue delivers it again. */
export type QueueFunction = (message: QueueMessage, invocation: Invocation) => Promise<"done" | "again">;
/** A function that a schedule triggers. */
export type ScheduleFunction = (invocation: Invocation) => Promise<void>;
/**
 * A function that the writes of records trigger. After an error, it gets the same changes again.
 */
export type ChangesFunction = (changes: readonly StoredVersion[], invocation: Invocation) => Promise<void>;
/** A function that an HTTP request triggers. */
export type RequestFunction = (request: Request, invocation: Invocation) => Promise<Response>;

type UseCase<Message> = (message: Message, ports: Ports, signal: AbortSignal) => Promise<unknown>;

/** The use case of each command on a queue. */
type UseCases = { readonly [Name in CommandName]?: UseCase<Extract<Command, { name: Name }>> };

/**
 * Returns the function of a queue of commands.
 *
 * A failed message is delivered again. A message that can't be parsed, or that no retry can help,
 * is set aside.
 */
export function onCommands(useCases: UseCases): QueueFunction {
  const names = Object.keys(useCases) as readonly CommandName[];
  const schema: z.ZodMiniType<Command> = z.union(names.map((name) => commandSchemas[name]));
  return onMessage({
    parse: ({ body }) => schema.parse(JSON.parse(body)),
    correlation: correlationIn,
    useCase: (command, ports, signal) => (useCases[command.name] as UseCase<Command>)(command, ports, signal),
  });
}

/** Returns the function of the queue of pushes. */
export function onImagePushed(useCase: UseCase<ImagePushed>): QueueFunction {
  return onMessage({
    parse: ({ body, replaced }) => {
      const push = eventSchemas.ImagePushed.parse(ofKnownVersion(JSON.parse(body)));
      return replaced === undefined ? push : { ...push, replaced };
    },
    correlation: correlationIn,
    useCase,
  });
}

/**
 * Returns the value.
 *
 * @throws TransientError if only a newer version of Lookout can read the value
 */
function ofKnownVersion(value: unknown): unknown {
  if (isOfNewerVersion(value))
    throw new TransientError(
      "a newer version of Lookout sent this event; the queue delivers it again after the deployment",
    );
  return value;
}

/**
 * Returns the function that handles dead letters. The function counts each dead letter.
 *
 * The function keeps a message for a user if the message or the record of its workload can't be
 * read.
 */
export function onDeadLetter(
  useCase: (failed: FailedMessage, cause: FailureCause, ports: Ports) => Promise<DeadLetterOutcome>,
): QueueFunction {
  return onMessage({
    parse: ({ id, body: text }) => {
      const { timesFailed: _, ...letter } = letterIn(text);
      ofKnownVersion(parseJson(letter.body));
      return { id, letter, failed: failedMessageIn(letter.body) };
    },
    correlation: ({ failed }) => failed && correlationIn(failed),
    useCase: async ({ id, failed, letter: { body, ...cause } }, ports, _signal, setAside) => {
      const { why } = cause;
      ports.metrics.add("MessagesDeadLettered", 1, { message: failed?.name ?? "unknown", why });
      const outcome = failed && (await useCase(failed, cause, ports));
      if (outcome !== undefined && outcome.kind !== "kept") return outcome;
      const kept = outcome === undefined ? body : JSON.stringify(outcome.message);
      await keepMessage({ id, body: kept, why }, { ports, setAside });
      return { kind: "kept", why };
    },
    kept: ({ id, letter: { body, why } }) => ({ id, body, why }),
  });
}

/** Returns the function that a schedule runs. */
export function onSchedule(id: string, useCase: (ports: Ports) => Promise<unknown>): ScheduleFunction {
  return async ({ ports, log }) => {
    log.outcome({ id, outcome: await useCase(ports) });
  };
}

/** Returns the function that gets the writes of records. */
export function onChanges(
  useCase: (changes: readonly StoredVersion[], ports: Ports) => Promise<unknown>,
): ChangesFunction {
  return async (changes, { ports }) => {
    await useCase(changes, ports);
  };
}

interface MessageHandling<Message> {
  readonly parse: (message: QueueMessage) => Message;
  /** Returns the {@link LogEntry.correlationId}. */
  readonly correlation: (message: Message) => string | undefined;
  readonly useCase: (message: Message, ports: Ports, signal: AbortSignal, setAside: SetAside) => Promise<unknown>;
  /**
   * Returns the message that is kept after an error that no retry can help. Absent if such a message
   * is dead-lettered.
   */
  readonly kept?: (message: Message) => DeadLetter;
}

function onMessage<Message>({ parse, correlation, useCase, kept }: MessageHandling<Message>): QueueFunction {
  return async (delivered, { ports, setAside, log, signal }) => {
    const { id, body } = delivered;
    let message: Message;
    try {
      message = parse(delivered);
    } catch (error) {
      log.failure({ id, error });
      if (error instanceof TransientError) return "again";
      await keepMessage({ id, body, why: "the message can't be parsed" }, { ports, setAside });
      return "done";
    }
    const entry = { id, ...correlationOf({ correlationId: correlation(message) }) };
    try {
      const outcome = await useCase(message, ports, signal, setAside);
      log.outcome({ ...entry, outcome });
      // The use case retries a failed part itself. So the message is done, and the log has the
      // failure.
      if (hasFailure(outcome)) log.failure({ ...entry, error: outcome.failure });
      return "done";
    } catch (error) {
      log.failure({ ...entry, error });
      if (kept !== undefined && (error instanceof PermanentError || error instanceof NewerRecordError))
        await keepMessage(kept(message), { ports, setAside });
      else if (error instanceof PermanentError)
        await setAside.deadLetter({ id, body, why: error.message, isPermanent: true });
      else return "again";
      return "done";
    }
  };
}

/** Counts deliveries that failed, by the stage of their function. */
export function countFailed(deliveries: number, name: FunctionName, { metrics }: Pick<Ports, "metrics">): void {
  const [stage = ""] = name.split("/");
  if (deliveries > 0) metrics.add("MessagesFailed", deliveries, { stage, function: name });
}

/** Keeps a message for a user, and counts it. */
export async function keepMessage(
  message: DeadLetter,
  { ports, setAside }: Pick<Invocation, "ports" | "setAside">,
): Promise<void> {
  ports.metrics.add("MessagesKept", 1, { why: message.why });
  await setAside.keep(message);
}

function hasFailure(outcome: unknown): outcome is { readonly failure: unknown } {
  return typeof outcome === "object" && outcome !== null && "failure" in outcome;
}
