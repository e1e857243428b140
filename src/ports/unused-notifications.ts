import type { EpochMs } from "#domain/shared/time";

/**
 * The authenticated notifications that changed nothing although they may report a push: malformed
 * ones, and ones that a setting of the receiver excludes.
 */
export interface UnusedNotifications {
  /** Counts one notification. It never throws and never waits. */
  readonly add: (notification: UnusedNotification) => void;
  /** Returns the receivers with such notifications, in the order of their first one. */
  readonly list: () => readonly UnusedByReceiver[];
}

/** One notification that changed nothing. */
export interface UnusedNotification {
  /** The receiver's name in `lookout.yaml`. */
  readonly receiver: string;
  readonly reason: string;
  readonly remedy: string;
  readonly at: EpochMs;
}

/** The notifications of a receiver that changed nothing. The text is of the last one. */
export interface UnusedByReceiver extends UnusedNotification {
  readonly count: number;
  readonly firstAt: EpochMs;
}
