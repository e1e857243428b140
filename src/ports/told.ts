import type { ChannelState } from "#domain/notify/channel-state";
import type { Subject, ToldMessage } from "#domain/notify/told";

/** What channels were told. */
export interface ToldMessages {
  /** Returns what a channel was told about a subject, or undefined if nothing. */
  read(channel: string, subject: Subject): Promise<ToldMessage | undefined>;
  /** Stores the next version. Returns false if another run stored it first. */
  write(told: ToldMessage): Promise<boolean>;
}

/** How channels do. */
export interface ChannelStates {
  /** Returns the state of a channel, or undefined if it has none, or one that can't be read. */
  read(channel: string): Promise<ChannelState | undefined>;
  /** Stores the next version. Returns false if another run stored it first. */
  write(state: ChannelState): Promise<boolean>;
  /** Lists the states of all channels, also of removed ones. */
  list(): Promise<readonly ChannelState[]>;
}
