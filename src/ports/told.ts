import type { ChannelState } from "#domain/notify/channel-state";
import type { Subject, ToldMessage } from "#domain/notify/told";

/** What channels were told. */
export interface ToldMessages {
  read(channel: string, subject: Subject): Promise<ToldMessage | undefined>;
  /** Stores the next version. Returns false if another run stored it first. */
  write(told: ToldMessage): Promise<boolean>;
}

/** How channels do. */
export interface ChannelStates {
  read(channel: string): Promise<ChannelState | undefined>;
  /** Stores the next version. Returns false if another run stored it first. */
  write(state: ChannelState): Promise<boolean>;
  list(): Promise<readonly ChannelState[]>;
}
