import type { WorkloadSettings } from "../settings/settings.ts";
import type { AwayReason, Reason } from "../shared/reasons.ts";
import type { DurationMs, EpochMs } from "../shared/time.ts";
import type { Observed } from "../workload/observed.ts";
import type { WorkloadName } from "../workload/workload.ts";
import type { ClosedGate } from "./closed-gate.ts";
import type { AllFreezes } from "./freeze.ts";

/** A digest of the update that is in quarantine, and why. */
export interface QuarantineFact {
  readonly digest: string;
  readonly why: string;
}

/** What stands outside a workload's record and may close a gate, as it was read last. */
export interface GateFacts extends AllFreezes {
  /** Those of the update's digests that are in quarantine. */
  readonly quarantined: readonly QuarantineFact[];
  /** Why looks at the cluster fail, once they have for a while; absent: it counts as there. */
  readonly away?: {
    readonly reason: AwayReason;
    readonly detail: string;
  };
  /** When the cluster answered a look last; absent: never. */
  readonly answeredAt?: EpochMs;
  /** A free slot of the cluster's budget that the update may take; absent: none is free. */
  readonly slot?: number;
  /** Over how long openings are spread, by the workload's uid. */
  readonly windowSpread: DurationMs;
}

/** What the gates need to know of the workload; its record has it. */
export interface GatedWorkload {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly observed: Observed;
  /** The stop that a user's rollback put. */
  readonly hold?: { readonly reason: Reason; readonly seq: number; readonly detail: string };
  /** The update that is on its way. */
  readonly active?: { readonly seq: number; readonly status: string };
}

/** What the gates are asked about: an update of a workload, at an instant. */
export interface GateQuestion {
  readonly now: EpochMs;
  readonly record: GatedWorkload;
  readonly settings: WorkloadSettings;
  /** The number of the update: an active update does not wait for itself. */
  readonly seq: number;
  readonly facts: GateFacts;
}

/** What a gate says of an update now. `closed` holds why, and until when where it opens by itself. */
export type Passage =
  | { readonly kind: "open"; readonly detail?: string | undefined }
  | { readonly kind: "closed"; readonly wait: ClosedGate };

/** Decides whether an update may pass. What cannot be proved is closed. */
export type AskGate = (question: GateQuestion) => Passage;

/** The answer of a gate with nothing to say. */
export const open: Passage = { kind: "open" };

/** Makes the answer of a closed gate. */
export function closed(wait: ClosedGate): Passage {
  return { kind: "closed", wait };
}
