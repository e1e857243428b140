import type { DomainEvent } from "#domain/update/events";
import type { Command } from "#domain/update/commands";
import type { DurationMs } from "#domain/shared/time";

/** One piece of work to send. */
export interface OutgoingCommand {
  readonly command: Command;
  /** How long the queue keeps it back, at most six hours; exact to the second. Absent: at once. */
  readonly delay?: DurationMs;
}

/** Sends commands to the functions' queues: at least once, in no order. Sends all or throws; after a throw some may have been sent. */
export interface Queues {
  /** An empty list is fine. */
  send(sendings: readonly OutgoingCommand[]): Promise<void>;
}

/** Publishes events and facts for the rules of the bus: at least once, in no order. */
export interface Bus {
  /** Publishes all or throws; after a throw some may have been published. An empty list is fine. */
  publish(events: readonly DomainEvent[]): Promise<void>;
}
