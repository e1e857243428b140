import type { DomainEvent } from "#domain/update/events";
import type { Command } from "#domain/update/commands";
import type { DurationMs } from "#domain/shared/time";

/** A command to send, with its delay. */
export interface OutgoingCommand {
  readonly command: Command;
  /**
   * The time for which the queue delays the command: at most six hours, exact to the second. Absent
   * if there is no delay.
   */
  readonly delay?: DurationMs;
}

/**
 * Sends commands to the functions' queues: at least once, in no order. Sends all commands or
 * throws. After an error, some commands may have been sent.
 */
export interface Queues {
  /** Sends commands. The list may be empty. */
  send(sendings: readonly OutgoingCommand[]): Promise<void>;
}

/** Publishes events and facts for the rules of the bus: at least once, in no order. */
export interface Bus {
  /**
   * Publishes all events or throws. After an error, some events may have been published. The list
   * may be empty.
   */
  publish(events: readonly DomainEvent[]): Promise<void>;
}
