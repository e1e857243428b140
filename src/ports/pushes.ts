import type { PushStep } from "#domain/history/push-step";

/** What pushes led to. Derived from records. */
export interface Pushes {
  /** Stores steps. A step of an older version does not replace a newer one. */
  note(steps: readonly PushStep[]): Promise<void>;
  /** Returns which of these steps are not stored, nor replaced by newer ones. */
  missing(steps: readonly PushStep[]): Promise<readonly PushStep[]>;
  /** Lists what a push led to, one step for each workload, sorted by workload. Empty for an unknown push. */
  stepsOf(push: string): Promise<readonly PushStep[]>;
}
