import type { EpochMs } from "#domain/shared/time";

/** A message of a local queue that outlives the process. */
export interface KeptMessage {
  readonly body: string;
  /** The instant at which the message is due. */
  readonly dueAt: EpochMs;
}

/** The messages of a local process that nothing else stored would bring back. */
export interface KeptMessages {
  /** Stores messages. A message with the same body replaces the stored one. */
  keep(messages: readonly KeptMessage[]): Promise<void>;
  /** Removes a handled message. */
  forget(body: string): Promise<void>;
  /** Lists all stored messages, in no order. */
  list(): Promise<readonly KeptMessage[]>;
}
